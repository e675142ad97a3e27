"""Epithets: what a name says, what a description says, and who is meant."""

import pytest

from tgrag.evaluate.recorded import text_unit
from tgrag.extract.keys import lemma_key
from tgrag.graph.clusters import Node
from tgrag.graph.epithets import Reader, is_epithet, phrase, predicates
from tgrag.graph.merging import Merging
from tgrag.graph.naming import person_name
from tgrag.graph.resolve import Mention
from tgrag.records import ExtractedEntity, Language

Named = tuple[str, str]


def meant(*units: list[Named], language: Language = "ru") -> set[tuple[str, str, int]]:
    """Read units of persons with what is said of them; return who is told to be one by what they are called."""
    merging = Merging("s")
    reader = Reader(merging)
    known: set[str] = set()
    found = set()
    for ordinal, unit in enumerate(units):
        read = text_unit(ordinal, str(ordinal), "", language)
        for name, _ in unit:
            if name not in known:
                known.add(name)
                key = lemma_key(name, "PERSON", language)
                merging.add(Node(name, key, "PERSON", person_name(key, "PERSON", language)), ordinal)
        present = [Mention(name, read, ExtractedEntity(name, "PERSON", said)) for name, said in unit]
        for epithet, person in reader.read(present, ordinal):
            merging.same(epithet, person, ordinal, "")
            found.add((epithet, person, ordinal))
        for name, _ in unit:
            merging.mentioned(name, 1, ordinal)
    return found


@pytest.mark.parametrize(
    ("description", "language", "heads"),
    [
        ("Молодой инженер, расчетливый немец, который сам не играл.", "ru", ["инженер", "немец"]),
        ("Старуха, бывшая фрейлина, которая просит роман.", "ru", ["старуха", "фрейлина"]),
        ("Сошел с ума и бормочет.", "ru", []),
        ("Умершая, которая сидит окаменев.", "ru", ["умерший"]),
        ("Внуки графини, по словам доктора богатые.", "ru", ["внук+"]),
        ("Хозяин дома, приехавший в Москву.", "ru", ["хозяин"]),
        ("Один из приятелей хозяина, гость.", "ru", ["приятель", "гость"]),
        ("Старий мельник, батько Марусі.", "uk", ["мельник", "батько"]),
        ("One of the guests, an old soldier.", "en", ["guest", "soldier"]),
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


def test_a_general_noun_means_who_has_been_called_so_often_and_just_now() -> None:
    sat = [("Лиза", "Девушка за пяльцами.")]
    assert meant(sat, sat, [("бедная девушка", "")]) == {("бедная девушка", "Лиза", 2)}
    assert meant(sat, [("Лиза", "")], [("бедная девушка", "")]) == set()
    other = [("Лиза", "Девушка за пяльцами."), ("Полина", "Девушка с книгой.")]
    assert meant(other, other, [("бедная девушка", "")]) == set()


@pytest.mark.parametrize(
    ("owner", "first", "second", "language"),
    [
        ("бабушка", ("дедушка", "Покойный муж бабушки."), ("муж", "Муж бабушки, который ждал."), "ru"),
        ("Томский", ("приятель", "Один из приятелей Томского."), ("Нарумов", "Приятель Томского."), "ru"),
        ("Марта", ("старий", "Сусід Марти."), ("Остап", "Сусід Марти, який мовчав."), "uk"),
        ("Anna", ("the lodger", "Uncle of Anna, a miser."), ("the uncle", "Anna's uncle, who slept."), "en"),
    ],
)
def test_who_is_the_same_to_the_same_person(
    owner: str, first: Named, second: Named, language: Language
) -> None:
    nobody: list[Named] = []
    story = [(owner, ""), first], nobody, nobody, [(owner, ""), second]
    assert (second[0], first[0], 3) in meant(*story, language=language)
    strangers = [(owner, ""), first], nobody, nobody, [("Чаплицкий", ""), second]
    assert meant(*strangers, language=language) == set()


def test_what_is_said_under_two_names_of_one_person_counts_together() -> None:
    nobody: list[Named] = []
    story = (
        [("mademoiselle Lise", "Барышня за пяльцами, воспитанница графини.")],
        [("Лизавета Ивановна", "Бедная воспитанница.")],
        *[nobody] * 4,
        [("воспитанница", "Уехала в карете.")],
    )
    (found,) = meant(*story)
    assert found[0] == "воспитанница" and found[2] == 6
