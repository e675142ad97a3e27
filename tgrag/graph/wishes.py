"""What the user says of entities, in the part ``entities`` of a collection.yaml; what is said holds over all evidence::

entities:
  merge:                                # lists of names that are one entity
    - [Хромой, Степан Ильич]
  split:                                # lists of names that are never one entity
    - [Иван, Иван Кузмич]
  rename:                               # name: the name to show instead
    Савельич: Архип Савельич
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from tgrag.errors import ConfigurationError
from tgrag.extract.keys import lemma_key
from tgrag.language import fold
from tgrag.records import Alias, Entity

Names = Annotated[tuple[str, ...], Field(min_length=2)]


class Wishes(BaseModel):
    """merge, split: groups of names. rename: name -> the name to show."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    merge: tuple[Names, ...] = ()
    split: tuple[Names, ...] = ()
    rename: dict[str, Annotated[str, Field(min_length=1)]] = {}

    @property
    def names(self) -> set[str]:
        """All names that have to occur."""
        return {name for group in (*self.merge, *self.split) for name in group} | set(self.rename)


NO_WISHES = Wishes()


def together(wishes: Iterable[Wishes]) -> Wishes:
    """Return what several files say, as one; of two names for one entity the first counts."""
    files = list(wishes)
    return Wishes(
        merge=tuple(group for file in files for group in file.merge),
        split=tuple(group for file in files for group in file.split),
        rename={old: new for file in reversed(files) for old, new in file.rename.items()},
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities of one series of which the user says something; ordinal: both are known from there."""

    first: Entity
    second: Entity
    ordinal: int


class Wished:
    """Wishes applied to the entities of an index. Raises ConfigurationError on names that do not occur."""

    def __init__(self, wishes: Wishes, entities: Iterable[Entity]) -> None:
        self._wishes = wishes
        called = _called(wishes.names, entities)
        missing = sorted(wishes.names - set(called))
        if missing:
            raise ConfigurationError(
                "collection.yaml: entities: no such name in the documents: " + ", ".join(missing)
            )
        self._called = called

    def same(self) -> Iterator[Pair]:
        return self._pairs(self._wishes.merge)

    def apart(self) -> Iterator[Pair]:
        return self._pairs(self._wishes.split)

    def renamed(self) -> dict[str, Entity]:
        """Return the entities that get another name, by id; the old name stays as an alias."""
        found = {}
        for name, shown in self._wishes.rename.items():
            for entity in self._called[name]:
                aliases = (Alias(entity.name, entity.known_from), *entity.aliases)
                kept = tuple(alias for alias in aliases if alias.name != shown)
                found[entity.entity_id] = replace(entity, name=shown, aliases=kept)
        return found

    def ids(self) -> set[str]:
        """Return the entities that are spoken of."""
        return {entity.entity_id for found in self._called.values() for entity in found}

    def _pairs(self, groups: Sequence[Names]) -> Iterator[Pair]:
        for group in groups:
            for one, other in combinations(group, 2):
                for first in self._called[one]:
                    for second in self._called[other]:
                        if first.series_id == second.series_id and first.entity_id != second.entity_id:
                            yield Pair(first, second, max(first.known_from, second.known_from))


def _called(names: Iterable[str], entities: Iterable[Entity]) -> Mapping[str, list[Entity]]:
    """Return the entities that a name as the user writes it, in any inflected form, may mean."""
    wanted: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        for key in (fold(name), *(lemma_key(name, kind, "ru") for kind in ("NAME", "CONCEPT"))):
            wanted[key].add(name)
        wanted[lemma_key(name, "NAME", "uk")].add(name)
        wanted[lemma_key(name, "NAME", "en")].add(name)
    found: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        for name in sorted(wanted.get(entity.lemma_key, set()) | wanted.get(fold(entity.name), set())):
            found[name].append(entity)
    return found
