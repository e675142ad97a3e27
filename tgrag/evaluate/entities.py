"""Entity resolution against labels: pairwise precision and recall over names, homonyms that were merged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True)
class PairScore:
    """Pairs of labelled names: told to be one, truly one, and both; wrong: those told to be one that are not.

    missing: labelled names that no entity has.
    """

    told: int
    true: int
    both: int
    wrong: tuple[tuple[str, str], ...]
    missed: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]

    @property
    def precision(self) -> float:
        return self.both / self.told if self.told else 1.0

    @property
    def recall(self) -> float:
        return self.both / self.true if self.true else 1.0


def score_pairs(clusters: Sequence[Sequence[str]], entity_of: Mapping[str, str]) -> PairScore:
    """Compare labelled clusters of names with the entity that each name was given; a name without one is alone.

    Pairs inside one lemma key count too: to find inflected forms is a part of the task.
    """
    label = {name: number for number, names in enumerate(clusters) for name in names}
    told: set[tuple[str, str]] = set()
    true: set[tuple[str, str]] = set()
    for pair in combinations(sorted(label), 2):
        if label[pair[0]] == label[pair[1]]:
            true.add(pair)
        if pair[0] in entity_of and entity_of.get(pair[0]) == entity_of.get(pair[1]):
            told.add(pair)
    return PairScore(
        told=len(told),
        true=len(true),
        both=len(told & true),
        wrong=tuple(sorted(told - true)),
        missed=tuple(sorted(true - told)),
        missing=tuple(sorted(label.keys() - entity_of.keys())),
    )
