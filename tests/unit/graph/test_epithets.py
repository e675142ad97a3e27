"""Epithets: what a name says, what a description says, and who is meant."""

import pytest

from tgrag.evaluate.recorded import text_unit
from tgrag.graph.epithets import is_epithet, phrase, predicates, same_persons
from tgrag.graph.resolve import Mention
from tgrag.records import ExtractedEntity, Language

Named = tuple[str, str]


def mentions(*units: list[Named], language: Language = "ru") -> list[Mention]:
    return [
        Mention(name, text_unit(place, str(place), "", language), ExtractedEntity(name, "PERSON", said))
        for place, unit in enumerate(units)
        for name, said in unit
    ]


def meant(*units: list[Named], language: Language = "ru") -> set[tuple[str, str, int]]:
    found = same_persons(mentions(*units, language=language))
    return {(s.epithet_id, s.person_id, s.ordinal) for s in found}


@pytest.mark.parametrize(
    ("description", "language", "heads"),
    [
        ("Молодой инженер, расчетливый немец, который сам не играл.", "ru", ["инженер", "немец"]),
        ("Старуха, бывшая фрейлина, которая просит роман.", "ru", ["старуха", "фрейлина"]),
        ("Сошел с ума и бормочет.", "ru", []),
        ("Старий мельник, батько Марусі.", "uk", ["мельник", "батько"]),
        ("A young engineer of German blood, the guest of Narumov.", "en", ["engineer", "guest"]),
    ],
)
def test_what_a_description_says_of_its_subject(
    description: str, language: Language, heads: list[str]
) -> None:
    assert [p.head for p in predicates(description, language)] == heads


def test_a_plural_is_another_head() -> None:
    one, many = phrase("старая горничная", "ru"), phrase("старые горничные", "ru")
    assert one and many and one.head != many.head


def test_an_epithet_has_no_proper_name() -> None:
    assert is_epithet("старая графиня ***") and is_epithet("the old countess")
    assert not is_epithet("графиня Анна Федотовна")


def test_a_title_means_its_only_bearer() -> None:
    story = [("графиня Анна", "Хозяйка.")], [("графиня", "Вошла.")]
    assert meant(*story) == {("графиня", "графиня Анна", 1)}
    assert meant([("графиня Анна", ""), ("графиня Вера", "")], [("графиня", "")]) == set()


def test_names_listed_side_by_side_are_two_persons() -> None:
    assert meant([("графиня Анна", "Хозяйка."), ("графиня", "Гостья.")]) == set()
    assert meant([("Томский", "Молодой офицер."), ("молодой офицер", "Стоял.")]) == set()


def test_a_noun_said_once_long_ago_means_nobody() -> None:
    nobody: list[Named] = []
    assert meant([("Сурин", "Игрок.")], [("игрок", "")]) == {("игрок", "Сурин", 1)}
    assert meant([("Сурин", "Игрок.")], nobody, nobody, nobody, [("игрок", "")]) == set()


def test_who_is_named_later_is_known_from_there() -> None:
    story = [("молодой инженер", "Стоял у окна.")], [("Германн", "Молодой инженер, который играл.")]
    assert meant(*story) == {("Германн", "молодой инженер", 1)}


def test_in_english() -> None:
    story = [("Countess Anna", "An old lady.")], [("the old lady", "Slept.")]
    assert meant(*story, language="en") == {("the old lady", "Countess Anna", 1)}
