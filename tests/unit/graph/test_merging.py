"""Who is who: merges through time, homonyms, and what the user says."""

import pytest

from tgrag.errors import ConfigurationError
from tgrag.extract.keys import lemma_key
from tgrag.graph.clusters import Node
from tgrag.graph.merging import Merging
from tgrag.graph.naming import is_of_another, person_name
from tgrag.graph.wishes import Wished, Wishes
from tgrag.records import Language, Merge


class Story:
    """Names one after the other, each in a text unit of its own."""

    def __init__(self, *names: str, language: Language = "ru") -> None:
        self.merging = Merging("s")
        self._language = language
        self._known: set[str] = set()
        for ordinal, name in enumerate(names):
            self.say(name, ordinal)

    def say(self, name: str, ordinal: int, as_thing: int = 0) -> None:
        if name not in self._known:
            self._known.add(name)
            key = lemma_key(name, "PERSON", self._language)
            of_another = is_of_another(name, self._language)
            person = None if of_another else person_name(key, "PERSON", self._language)
            self.merging.add(Node(name, key, "PERSON", person), ordinal)
        self.merging.mentioned(name, 1, ordinal, as_thing)

    def tell_apart(self, first: str, second: str, ordinal: int) -> None:
        self.merging.apart(first, second, ordinal)

    def stand_together(self, first: str, second: str, times: int, ordinal: int) -> None:
        self.merging.beside(first, second, times, ordinal)

    def tell_one(self, first: str, second: str, ordinal: int) -> None:
        self.merging.same(first, second, ordinal, "the text says so")

    def near_misses(self) -> list[Merge]:
        return [m for m in self.merging.merges() if m.decision == "near_miss"]

    def merges(self) -> list[Merge]:
        return [m for m in self.merging.merges() if m.decision == "merge"]

    def at(self, ordinal: int) -> set[frozenset[str]]:
        return {
            frozenset((m.source_id, m.target_id))
            for m in self.merges()
            if m.known_from <= ordinal < m.known_until
        }


def pair(*names: str) -> frozenset[str]:
    return frozenset(names)


def test_a_stranger_is_a_stranger_until_he_is_named() -> None:
    story = Story("Пугачев", "Оренбург", "Емельян Пугачев")
    assert story.at(1) == set()
    assert story.at(2) == {pair("Пугачев", "Емельян Пугачев")}


def test_what_is_known_at_a_time_does_not_depend_on_what_comes_after() -> None:
    names = ["Гринев", "Андрей Петрович Гринев", "Петр Андреевич Гринев", "Петр Андреич", "Петруша", "Маша",
             "Марья Ивановна", "Иван Кузмич", "Иван", "Иван Игнатьич"]  # fmt: skip
    whole = Story(*names)
    for ordinal in range(len(names)):
        assert whole.at(ordinal) == Story(*names[: ordinal + 1]).at(ordinal)


def test_a_name_that_two_may_bear_is_withdrawn() -> None:
    story = Story("Иван Кузмич", "Иван", "Иван Игнатьич")
    assert story.at(1) == {pair("Иван", "Иван Кузмич")}
    assert story.at(2) == set()


@pytest.mark.parametrize(
    "names",
    [
        ("Миронов", "Миронова"),
        ("Иван Кузмич", "Иван Игнатьич"),
        ("Иван Иванович Зурин", "Иван Иванович Михельсон"),
        ("Акулина Памфиловна", "Акулька"),
        ("Павло", "Сергій Павло"),
    ],
)
def test_homonyms_stay_apart(names: tuple[str, ...]) -> None:
    assert Story(*names, language="uk" if "і" in names[1] else "ru").merges() == []


@pytest.mark.parametrize(
    ("names", "language"),
    [
        (("Марья Ивановна", "Маша"), "ru"),
        (("Алексей Иваныч", "Швабрин Алексей Иваныч"), "ru"),
        (("Иван Иванович Зурин", "И. И. Зурин"), "ru"),
        (("Ісаїя", "Ісаія"), "uk"),
        (("Михайло Грушевський", "Грушевський"), "uk"),
        (("Mr. Darbey", "Darbey"), "en"),
        (("Thomas Fairfield", "Tom"), "en"),
        (("J. K. Rowling", "Rowling"), "en"),
        (("Suza Fairfield", "Suza"), "en"),
        (("Gen. Price", "General Price"), "en"),
        (("Earl Van Dorn", "Gen. Van Dorn"), "en"),
        (("Sir Tristram Mardon", "Tris Mardon"), "en"),
        (("Понтийський Пилат", "Пилат"), "uk"),
        (("Лизавета Ивановна", "mademoiselle Lise"), "ru"),
    ],
)
def test_one_person(names: tuple[str, ...], language: Language) -> None:
    assert Story(*names, language=language).at(1) == {pair(*names)}


def test_husband_and_wife_stay_apart() -> None:
    story = Story("Noah Topping", "Mr. Topping", "Mrs. Topping", "Topping", language="en")
    assert story.at(3) == {pair("Mr. Topping", "Noah Topping"), pair("Topping", "Noah Topping")}


@pytest.mark.parametrize(
    ("names", "language"),
    [
        (("Германн", "отец Германна"), "ru"),
        (("Марта", "муж Марты"), "ru"),
        (("Томский", "дядя Томского"), "ru"),
        (("Марта", "чоловік Марти"), "uk"),
        (("Микола", "дружина Миколи"), "uk"),
        (("Martha", "Martha's husband"), "en"),
    ],
)
def test_who_is_named_by_another_is_not_that_one(names: tuple[str, ...], language: Language) -> None:
    assert Story(*names, language=language).at(1) == set()


@pytest.mark.parametrize("name", ["отец Герасим", "господин Дюма", "пан Микола", "графиня Анна", "дядя Саша"])
def test_a_title_is_no_owner(name: str) -> None:
    assert not is_of_another(name, "uk" if name == "пан Микола" else "ru")


def also_named(story: Story, owner: str, name: str, ordinal: int) -> None:
    key = lemma_key(name, "PERSON", "ru")
    story.merging.also(Node(owner, key, "PERSON", person_name(key, "PERSON", "ru")), ordinal)


def test_a_name_that_only_a_description_tells_finds_its_bearer() -> None:
    story = Story("Томский", "Лиза")
    also_named(story, "Томский", "Paul", 2)
    story.say("князь Павел Александрович", 3)
    assert story.at(2) == set()
    assert story.at(3) == {pair("Томский", "князь Павел Александрович")}
    story.say("Павел Петрович", 4)
    assert story.at(4) == set()
    women = Story("Томский", "Дарья Павловна")
    also_named(women, "Дарья Павловна", "Paul", 2)
    women.say("князь Павел Александрович", 3)
    assert women.at(3) == set()


def test_the_user_is_right_whatever_the_text_says() -> None:
    story = Story("Томский", "Лиза", "Хромой")
    story.tell_apart("Томский", "Хромой", 3)
    story.tell_one("Томский", "Хромой", 4)
    assert story.at(4) == set()
    story.merging.same("Томский", "Хромой", 5, "collection.yaml says so", forced=True)
    assert story.at(5) == {pair("Томский", "Хромой")}
    story.merging.apart("Томский", "Лиза", 6, forced=True)
    story.merging.same("Томский", "Лиза", 7, "collection.yaml says so", forced=True)
    assert story.at(7) == {pair("Томский", "Хромой")}


def test_a_wish_must_name_what_occurs() -> None:
    with pytest.raises(ConfigurationError, match="Незнакомец"):
        Wished(Wishes(merge=(("Незнакомец", "Маша"),)), [])


def test_who_stands_side_by_side_is_told_apart() -> None:
    story = Story("Зурин", "Иван Иванович Зурин")
    assert story.at(1) == {pair("Зурин", "Иван Иванович Зурин")}
    story.tell_apart("Зурин", "Иван Иванович Зурин", 2)
    assert story.at(1) == {pair("Зурин", "Иван Иванович Зурин")}
    assert story.at(2) == set()
    assert [m.reason for m in story.near_misses()] == ["told apart"]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("Чекалинский", "Chekalinsky"), "written in another script"),
        (("Shevchenko", "Шевченко"), "written in another script"),
        (("Rasselborough", "Raselborough"), "another spelling"),
    ],
)
def test_one_name_written_in_two_ways(names: tuple[str, ...], reason: str) -> None:
    language: Language = "en" if names[1].isascii() and names[0].isascii() else "ru"
    (merge,) = Story(*names, language=language).merges()
    assert ({merge.source_id, merge.target_id}, merge.reason) == (set(names), reason)


def test_a_slip_is_one_while_it_is_rare() -> None:
    story = Story(*["Швандербург"] * 10, "Швантербург")
    assert story.at(10) == {pair("Швандербург", "Швантербург")}
    for ordinal in (11, 12):
        story.say("Швантербург", ordinal)
    assert story.at(10) == {pair("Швандербург", "Швантербург")}
    assert story.at(12) == set()


def test_two_like_names_in_one_sentence_are_no_slip() -> None:
    story = Story(*["Blackwell"] * 10, "Blackwall", language="en")
    story.stand_together("Blackwell", "Blackwall", 2, 11)
    assert story.at(10) == {pair("Blackwell", "Blackwall")}
    assert story.at(11) == set()


def test_a_name_stays_his_who_was_called_so_all_the_time() -> None:
    story = Story("Roxie Fairfield", *["Roxie"] * 10, "Roxie Daymon", language="en")
    assert story.at(11) == {pair("Roxie", "Roxie Fairfield")}


def test_two_who_are_told_apart_by_their_short_names_are_two() -> None:
    story = Story("Rose", "Roxie", "Rose Fairfield", language="en")
    story.stand_together("Rose", "Roxie", 3, 3)
    story.say("Roxie Fairfield", 4)
    assert story.at(4) == {pair("Rose", "Rose Fairfield"), pair("Roxie", "Roxie Fairfield")}


def test_who_is_called_by_a_short_name_gets_a_surname() -> None:
    story = Story(*["Марья Ивановна", "Маша"] * 6, "Маша Миронова")
    assert pair("Маша Миронова", "Марья Ивановна") in story.at(12)


def test_a_lady_is_not_called_by_her_surname_alone() -> None:
    story = Story("Aunt Patsy Perkins", "Perkins", language="en")
    assert story.merges() == []


def test_a_thing_is_no_person() -> None:
    story = Story("Dean Lock", language="en")
    story.say("Dean", 1, as_thing=1)
    story.say("Dean", 2, as_thing=1)
    assert story.at(2) == set()


def test_the_text_may_say_that_two_are_one() -> None:
    story = Story("Rose Simon", "Rose Fairfield", language="en")
    assert story.merges() == []
    story.tell_one("Rose Simon", "Rose Fairfield", 2)
    assert story.at(2) == {pair("Rose Simon", "Rose Fairfield")}


@pytest.mark.parametrize(
    "names",
    [("Орлов", "Козлов"), ("Петров", "Петрова"), ("Мария", "Marina")],
)
def test_names_that_are_merely_like_each_other_stay_apart(names: tuple[str, ...]) -> None:
    assert Story(*names, language="ru" if not names[0].isascii() else "en").merges() == []
