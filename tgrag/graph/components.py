"""What belongs together, from pairs that do."""

from collections.abc import Iterable

from scipy.cluster.hierarchy import DisjointSet


def components(ids: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return for each id the one that stands for its component, the first of ``ids`` in it."""
    sets = DisjointSet(ids)
    for first, second in pairs:
        sets.merge(first, second)
    firsts: dict[str, str] = {}
    return {key: firsts.setdefault(sets[key], key) for key in sets}
