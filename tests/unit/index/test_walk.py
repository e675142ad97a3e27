"""Where a unit stands, by what is stored: a model that is told what to say, asked by the walk itself."""

import json
from collections.abc import Callable

import pytest

from tests.extraction import unit
from tgrag.chunk.sentences import sentences
from tgrag.index.standing import Ask, Standing
from tgrag.index.walk import MOST_HALVINGS, UnitMethod, UnitTask, tasks_of
from tgrag.models.chat import ChatIdentity, ChatReply
from tgrag.settings import ExtractSettings

METHOD = UnitMethod(ChatIdentity("m", ""), ExtractSettings())
GOOD = json.dumps(
    {"entities": [{"name": "Германн", "type": "PERSON", "description": "Игрок."}], "relationships": []}
)
TASK = UnitTask(unit(1), "")


def reply(text: str = GOOD, finish_reason: str = "stop") -> ChatReply:
    return ChatReply(text, finish_reason, 10, 5)  # type: ignore[arg-type]


def asked_until_done(says: Callable[[Ask], ChatReply]) -> tuple[Standing, list[Ask]]:
    """Make all calls that the walk wants, round by round."""
    answers: dict[str, ChatReply] = {}
    asked: list[Ask] = []
    while missing := (found := METHOD.standing(TASK, answers.get)).next:
        assert not {ask.key for ask in missing} & answers.keys(), "nothing is asked twice"
        answers |= {ask.key: says(ask) for ask in missing}
        asked += missing
    assert {key for key, _ in found.answers} == answers.keys(), "every answer that was asked for is used"
    return found, asked


def test_a_good_answer_is_the_end() -> None:
    found, asked = asked_until_done(lambda ask: reply())
    assert found.done and [ask.kind for ask in asked] == ["first"]
    assert found.said[0].entities[0].name == "Германн"


def test_a_bad_answer_is_repaired_once() -> None:
    found, asked = asked_until_done(lambda ask: reply(GOOD if ask.kind == "repair" else "Sure!"))
    assert found.done and [ask.kind for ask in asked] == ["first", "repair"]
    assert asked[1].request.messages[:-2] == asked[0].request.messages
    assert asked[1].request.messages[-2].content == "Sure!"


def test_what_stays_bad_is_broken_and_says_what_to_forget() -> None:
    found, asked = asked_until_done(lambda ask: reply("Sure!"))
    assert not found.done and "after a repair" in found.broken[0].reason
    assert found.broken[0].keys == tuple(ask.key for ask in asked)


def test_a_cut_off_answer_sends_halves_that_are_the_text() -> None:
    found, asked = asked_until_done(
        lambda ask: reply(finish_reason="length" if ask.kind == "first" else "stop")
    )
    assert found.done and [ask.kind for ask in asked] == ["first", "half", "half"]
    assert len(found.said) == 2
    said = [ask.request.messages[-1].content for ask in asked]
    for start, end in sentences(TASK.unit.text, "ru"):
        sentence = TASK.unit.text[start:end].strip()
        assert sum(sentence in text for text in said[1:]) == 1


def test_a_repair_that_is_cut_off_sends_halves() -> None:
    def says(ask: Ask) -> ChatReply:
        if ask.kind == "first":
            return reply("Sure!")
        return reply(finish_reason="length" if ask.kind == "repair" else "stop")

    found, asked = asked_until_done(says)
    assert found.done and [ask.kind for ask in asked] == ["first", "repair", "half", "half"]


def test_what_is_always_cut_off_is_broken_after_so_many_halvings() -> None:
    found, asked = asked_until_done(lambda ask: reply(finish_reason="length"))
    assert len(asked) <= 2 ** (MOST_HALVINGS + 1) - 1
    assert not found.done and all("cut off" in broken.reason for broken in found.broken)


def test_a_withheld_answer_is_broken() -> None:
    found, _ = asked_until_done(lambda ask: reply("", "filter"))
    assert "filter" in found.broken[0].reason


def test_documents_take_turns_each_in_reading_order() -> None:
    units = [unit(n, "a") for n in range(3)] + [unit(n, "b") for n in range(2)]
    assert [task.unit.text_unit_id for task in tasks_of(units, 0)] == ["a-0", "b-0", "a-1", "b-1", "a-2"]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_end_of_the_unit_before_is_of_the_same_document(n: int) -> None:
    units = [unit(0, "a"), unit(1, "a"), unit(0, "b")]
    before = {task.unit.text_unit_id: task.before for task in tasks_of(units, n)}
    spans = list(sentences(units[0].text, "ru"))
    assert before["a-0"] == before["b-0"] == ""
    assert before["a-1"] == (units[0].text[spans[-n][0] :] if n else "")
