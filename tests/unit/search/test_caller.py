"""What is heard of an answer, and leaving it."""

from concurrent.futures import Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.calls.fakes import pieces
from tests.unit.search.graphs import BOOKS, text_units
from tgrag.errors import CallerLeft
from tgrag.models.chat import InvalidAnswer
from tgrag.search.caller import Caller, Delta, Restart
from tgrag.search.quoting import read_answer, readable
from tgrag.search.requests import ContextItem

UNIT = text_units(BOOKS)[0]
ITEM = ContextItem(
    kind="text_unit", id=UNIT.text_unit_id, name="", label="", text=UNIT.text, series="", book="", book_number=1,
    chapter="", first_ordinal=0, last_ordinal=0, score=0.0, n_tokens=1,
)  # fmt: skip
PARTS = st.sampled_from(
    [f"«{UNIT.text[:12]}» [1]", f'"{UNIT.text[:5]}"\n [1]', "«", "»", '"', "„", "”", "[", "1", "]", "[12]", " ", "\n",
     "Он сказал", "<", "«нет такого» [1]", "passages do not answer"]
)  # fmt: skip


class Heard:
    """Keeps the text as a reader has it, and how often it began anew."""

    def __init__(self):
        self.text, self.deltas, self.restarts = "", [], 0
        self.caller = Caller(self.take)

    def take(self, event):
        match event:
            case Delta():
                assert event.text
                self.text += event.text
                self.deltas.append(event.text)
            case Restart():
                self.text, self.restarts = "", self.restarts + 1


@given(st.lists(PARTS, max_size=12).map("".join))
def test_what_is_shown_is_always_a_beginning_of_the_answer(text):
    try:
        answer = read_answer(text, [ITEM], lambda item: [UNIT]).text
    except InvalidAnswer:
        return
    for end in range(len(text) + 1):
        assert answer.startswith(readable(text[:end]))


def test_a_train_of_thought_is_not_shown():
    text = f"<think>Мне кажется, «Да» [7].</think>\n\n«{UNIT.text[:12]}» [1]"
    answer = read_answer(text, [ITEM], lambda item: [UNIT]).text
    assert answer == f"«{UNIT.text[:12]}» [1]"
    assert all(answer.startswith(readable(text[:end])) for end in range(len(text) + 1))


@given(st.lists(PARTS, max_size=12).map("".join), st.booleans())
def test_in_the_end_the_reader_has_the_answer(text, invalid):
    heard = Heard()
    heard.caller.begun()
    for piece in pieces(text):
        heard.caller.piece(piece)
    answer = "Другой ответ." if invalid else text.strip()
    heard.caller.complete(answer)
    assert heard.text == answer


def test_the_number_of_a_quote_is_shown_when_it_is_known():
    heard = Heard()
    for piece in ("Вот: «да» ", "[1", "7", "] и", " «нет» [3]"):
        heard.caller.piece(piece)
    assert heard.deltas == ["Вот: «да»", " [1] и", " «нет» [2]"]


def test_a_request_after_the_first_begins_the_text_anew():
    heard = Heard()
    heard.caller.begun()
    heard.caller.piece("Не то")
    heard.caller.begun()
    heard.caller.piece("То")
    heard.caller.complete("То.")
    assert (heard.text, heard.restarts) == ("То.", 1)


def test_quotes_come_one_by_one():
    heard = Heard()
    heard.caller.complete("«раз» [1]\n«два» [2]")
    assert heard.deltas == ["«раз» [1]\n", "«два» [2]"]


def test_who_leaves_gives_up_what_runs_and_what_would_come():
    caller, work = Caller(), Future()
    caller.leave()
    with pytest.raises(CallerLeft):
        caller.stay()
    with pytest.raises(CallerLeft):
        caller.wait(work)
    assert work.cancelled()
