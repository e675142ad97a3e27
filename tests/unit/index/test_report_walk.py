"""Where the report of a window stands, by what is stored."""

import json
from collections.abc import Callable

from tests.unit.graph.test_reports import SAID, UNITS
from tgrag.graph.report_answer import CommunityReport
from tgrag.graph.reports import window_facts
from tgrag.index.report_walk import MOST_SHRINKINGS, ReportMethod, ReportTask
from tgrag.index.standing import Ask, Standing
from tgrag.models.chat import ChatIdentity, ChatReply
from tgrag.settings import ReportSettings

METHOD = ReportMethod(ChatIdentity("m", ""), ReportSettings(), None, "multilingual-e5-small")
TASK = ReportTask("w", "d0", window_facts(UNITS, SAID))
GOOD = json.dumps({"title": "Игра", "summary": "Играли.", "report": "Играли в карты."})


def reply(text: str = GOOD, finish_reason: str = "stop") -> ChatReply:
    return ChatReply(text, finish_reason, 10, 5)  # type: ignore[arg-type]


def asked_until_done(says: Callable[[Ask], ChatReply]) -> tuple[Standing[CommunityReport], list[Ask]]:
    answers: dict[str, ChatReply] = {}
    asked: list[Ask] = []
    while missing := (found := METHOD.standing(TASK, answers.get)).next:
        answers |= {ask.key: says(ask) for ask in missing}
        asked += missing
    assert {key for key, _ in found.answers} == answers.keys()
    return found, asked


def test_a_good_answer_is_the_end() -> None:
    found, asked = asked_until_done(lambda ask: reply())
    assert found.done and [ask.kind for ask in asked] == ["first"]
    assert found.said[0].report == "Играли в карты."


def test_a_bad_answer_is_repaired_once() -> None:
    found, asked = asked_until_done(lambda ask: reply(GOOD if ask.kind == "repair" else '{"title": ""}'))
    assert found.done and [ask.kind for ask in asked] == ["first", "repair"]
    found, _ = asked_until_done(lambda ask: reply("Sure!"))
    assert not found.done and "after a repair" in found.broken[0].reason


def test_one_that_is_cut_off_is_asked_for_from_fewer_facts() -> None:
    found, asked = asked_until_done(
        lambda ask: reply(finish_reason="length" if ask.kind == "first" else "stop")
    )
    assert found.done and [ask.kind for ask in asked] == ["first", "smaller"]
    first, smaller = (ask.request.messages[-1].content for ask in asked)
    assert 0 < smaller.count("\n- ") < first.count("\n- ")
    found, asked = asked_until_done(lambda ask: reply(finish_reason="length"))
    assert len(asked) == 1 + MOST_SHRINKINGS and "cut off" in found.broken[0].reason
