"""What a sentence tells of its names."""

import pytest

from tgrag.graph.told import also_named, are_told_one, is_thing
from tgrag.records import Language


@pytest.mark.parametrize(
    ("first", "second", "sentence", "language"),
    [
        (
            "Rose Simon",
            "Rose Fairfield",
            "sworn that Rose Simon _alias_ Rose Fairfield was the only child",
            "en",
        ),
        ("Crete", "Candia", "the isle of Crete, formerly known as Candia, lay before us", "en"),
        ("Пугачев", "Хлопуша", "Пришел Хлопуша, он же Пугачев, и сел.", "ru"),
        ("Соколов", "Хлопуша", "ссыльный преступник, Соколов, по прозванью Хлопуша, встал", "ru"),
        ("Савло", "Павло", "А Савло, він же й Павло, сповнившись духа, глянув.", "uk"),
        ("Хома", "Близняк", "Рече тоді Хома, званий Близняк, до товаришів.", "uk"),
    ],
)
def test_one_bearer_of_two_names(first: str, second: str, sentence: str, language: Language) -> None:
    assert are_told_one(first, second, sentence, language)
    assert are_told_one(second, first, sentence, language)


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("Rose and Roxie, known to all, came.", "en"),
        ("Rose knew that Roxie was called away.", "en"),
        ("Rose, whose aunt was called Mary, met Roxie.", "en"),
    ],
)
def test_two_bearers(sentence: str, language: Language) -> None:
    assert not are_told_one("Rose", "Roxie", sentence, language)


@pytest.mark.parametrize(
    ("name", "sentence", "thing"),
    [
        ("Dean", "Then the Dean rose.", True),
        ("Asia", "We were in Asia.", True),
        ("Rose", "Then Rose came in.", False),
        ("Rose Simon", "in Rose Simon I trust", False),
    ],
)
def test_where_things_stand(name: str, sentence: str, thing: bool) -> None:
    assert is_thing(name, sentence, "en") == thing


@pytest.mark.parametrize(
    ("description", "names"),
    [
        ("Внук графини (Paul), собирающийся ей представить гостя.", ["Paul"]),
        ("Молодой офицер, внук графини (она зовет его Paul), желающий уйти.", ["Paul"]),
        ("Разбойник по прозвищу Хромой.", ["Хромой"]),
        ("Козак на прізвисько Кривий.", ["Кривий"]),
        ("A clerk, known as Slim Jim.", ["Slim Jim"]),
        ("Барыня, которая зовет его Петрушей.", []),
        ("Офицер (он служил в Москве).", []),
    ],
)
def test_other_names_in_a_description(description: str, names: list[str]) -> None:
    assert also_named(description) == names
