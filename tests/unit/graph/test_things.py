"""Things that a model calls in several ways, and what keeps two of them apart."""

import pytest

from tgrag.evaluate.recorded import text_unit
from tgrag.graph.resolve import Mention
from tgrag.graph.things import same_things, thing
from tgrag.records import ExtractedEntity, Language

Unit = tuple[tuple[str, str], ...]


def same(*units: Unit, text: str = "", language: Language = "ru") -> set[tuple[str, str, int]]:
    """Return the pairs that are one, with their place; a thing is its name and its type."""
    mentions = [
        Mention(name, text_unit(place, str(place), text, language), ExtractedEntity(name, type, "Сказано."))
        for place, unit in enumerate(units)
        for name, type in unit
    ]
    return {(s.first_id, s.second_id, s.ordinal) for s in same_things(mentions)}


def at(*names: str, type: str = "PLACE") -> Unit:
    return tuple((name, type) for name in names)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("графинина спальня", "спальня графини", "ru"),
        ("тройка, семерка, туз", "тройка, семерка и туз", "ru"),
        ("бабусина хата", "хата бабусі", "uk"),
        ("the countess's bedroom", "bedroom of the countess", "en"),
    ],
)
def test_the_same_in_other_words(one: str, other: str, language: Language) -> None:
    assert same(at(one), at(other), language=language) == {(other, one, 1)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("витая лестница", "потаенная лестница"),
        ("отец сына", "сын отца"),
        ("банковый билет", "банковые билеты"),
        ("тайна", "тайна Лизаветы"),
    ],
)
def test_other_words_are_other_things(one: str, other: str) -> None:
    assert same(at(one), at(other)) == set()


def test_a_noun_alone_means_what_was_just_said() -> None:
    nothing: Unit = ()
    assert same(at("графинина спальня"), at("спальня")) == {("спальня", "графинина спальня", 1)}
    assert same(at("графинина спальня"), nothing, nothing, at("спальня")) == set()
    assert same(at("графинина спальня", "спальня")) == set()
    assert same(at("графинина спальня", "темная спальня"), at("спальня")) == set()
    assert same(at("графинина спальня"), at("спальня", type="OBJECT")) == set()
    assert same(at("спальня"), at("графинина спальня"), at("спальня")) == set()


def test_sentences_of_the_text_say_nothing_of_things() -> None:
    assert same(at("графинина спальня"), at("спальня"), text="Сказано.") == set()


def test_a_number_is_a_part_of_a_phrase() -> None:
    many, one = thing("два портрета", "ru"), thing("портрет", "ru")
    assert one is not None and one != many
