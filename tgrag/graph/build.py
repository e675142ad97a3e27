"""The whole graph stage as one pure function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tgrag.graph.aggregate import entity_states, relationships
from tgrag.graph.doubts import Decided
from tgrag.graph.health import Health, health
from tgrag.graph.identity import merges
from tgrag.graph.resolve import resolve, with_degrees
from tgrag.graph.windows import windows
from tgrag.graph.wishes import NO_WISHES, Wished, Wishes
from tgrag.records import Community, Entity, EntityState, Extraction, Merge, Relationship, TextUnit
from tgrag.settings import WindowSettings

GRAPH_VERSION = 5  # raise when the same extractions should give another graph


@dataclass(frozen=True, slots=True)
class Graph:
    entities: list[Entity]
    states: list[EntityState]
    relationships: list[Relationship]
    communities: list[Community]
    merges: list[Merge]
    health: Health


def build(
    units: Sequence[TextUnit],
    extractions: Mapping[str, Extraction],
    settings: WindowSettings,
    wishes: Wishes = NO_WISHES,
    decided: Sequence[Decided] = (),
) -> Graph:
    """Build the temporal graph of ``units``, which come by (series, ordinal); extractions by text_unit_id.

    decided: by a language model, of the pairs of names that the rules leave open.
    Raises ConfigurationError when ``wishes`` name what does not occur.
    """
    resolution = resolve(units, extractions)
    wished = Wished(wishes, resolution.entities.values())
    resolution.entities.update(wished.renamed())
    states = entity_states(resolution.entities, resolution.mentions)
    edges = relationships(units, extractions, resolution)
    entities = with_degrees(resolution.entities, ((edge.source_id, edge.target_id) for edge in edges))
    return Graph(
        entities,
        states,
        edges,
        windows(units, states, settings),
        merges(units, extractions, resolution, wished, decided),
        health(entities, edges, resolution.n_weak),
    )
