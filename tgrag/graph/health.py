"""Numbers that tell whether a graph is sound; they go into the manifest of its version."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel

from tgrag.language import fold
from tgrag.records import Entity, Relationship


class Health(BaseModel):
    """nodes: entities; edges: pairs of entities with a relationship. duplicate_rate: share of the entities that
    share their name with another one of their series. weak_names: names dropped because they were attested once, weakly."""

    nodes: int
    edges: int
    components: int
    largest_component: int
    isolated_nodes: int
    duplicate_rate: float
    weak_names: int


def health(entities: Sequence[Entity], relationships: Sequence[Relationship], n_weak: int) -> Health:
    """Measure the canonical graph."""
    from scipy.sparse import coo_matrix  # readers of manifests import this module and never need it
    from scipy.sparse.csgraph import connected_components

    index = {entity.entity_id: row for row, entity in enumerate(entities)}
    pairs = {(index[r.source_id], index[r.target_id]) for r in relationships}
    n = len(entities)
    rows, columns = (
        np.array(side, dtype=np.int64) for side in (zip(*pairs, strict=True) if pairs else ((), ()))
    )
    n_components, labels = connected_components(
        coo_matrix((np.ones(len(pairs), np.int8), (rows, columns)), shape=(n, n)), directed=False
    )
    names = Counter((entity.series_id, fold(entity.name)) for entity in entities)
    n_duplicates = sum(count for count in names.values() if count > 1)
    return Health(
        nodes=n,
        edges=len(pairs),
        components=int(n_components),
        largest_component=int(np.bincount(labels).max()) if n else 0,
        isolated_nodes=n - len(np.union1d(rows, columns)),
        duplicate_rate=n_duplicates / n if n else 0.0,
        weak_names=n_weak,
    )
