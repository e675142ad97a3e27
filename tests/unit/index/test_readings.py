"""Where units stand, taken in by tables: the last reading counts, whatever the order."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.extraction import unit
from tgrag.index.assemble import UsedAnswer
from tgrag.index.picked import Picked
from tgrag.index.read_units import Fault, Reading
from tgrag.index.readings import Account, Answers, Marked, Readings
from tgrag.index.walk import tasks_of
from tgrag.records import ExtractedEntity, Extraction
from tgrag.store.tables import to_table

ANSWER = UsedAnswer("d0", "u", "k", "x")
MISSING = Reading("u", (), (), (), 2, (), 0, 0, 0)
FAILED = Reading("u", (), (), (ANSWER,), 0, (Fault("k", "bad", False, 1, ("k", "k2")),), 0, 0, 0)
DONE = Reading("u", (ExtractedEntity("Германн", "PERSON", "Игрок."),), (), (ANSWER, ANSWER), 0, (), 3, 1, 0)
KINDS = {"missing": MISSING, "failed": FAILED, "done": DONE}


def reading(number: int, kind: str) -> Reading:
    name = str(number)
    answers = tuple(replace(a, about=name, key=f"{kind}{i}") for i, a in enumerate(KINDS[kind].answers))
    return replace(KINDS[kind], text_unit_id=name, answers=answers)


@settings(deadline=None)
@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.permutations(range(n)),
            st.lists(st.sampled_from(sorted(KINDS)), min_size=n, max_size=n),
            st.lists(st.sampled_from(sorted(KINDS)), min_size=n, max_size=n),
        )
    )
)
def test_the_last_reading_of_a_unit_counts(case: tuple[int, list[int], list[str], list[str]]) -> None:
    n, order, first, second = case
    second = [
        b if a == "missing" else a for a, b in zip(first, second, strict=True)
    ]  # only these are read again
    found = Readings(map(str, range(n)))
    for number in order:
        found.take(to_table(Reading, [reading(number, first[number])]))
    found.take(to_table(Reading, [reading(number, second[number]) for number in order]))

    expected = [reading(number, kind) for number, kind in enumerate(second)]
    done = [r for r in expected if not r.n_missing and not r.faults]
    assert found.done.tolist() == [r in done for r in expected]
    assert dict(found.extractions) == {
        r.text_unit_id: Extraction(r.text_unit_id, r.entities, r.relationships) for r in done
    }
    assert dict(found.accounts) == {
        r.text_unit_id: Account(r.text_unit_id, r.answers, r.faults) for r in expected
    }
    assert list(Answers(found.accounts)) == [answer for r in expected for answer in r.answers]
    assert list(found.faults()) == [(i, fault) for i, r in enumerate(expected) for fault in r.faults]
    assert found.total("n_missing") == sum(r.n_missing for r in expected)
    assert found.total("dropped", found.done) == sum(r.dropped for r in done)
    waiting = Marked(found, found.counts["n_missing"] > 0)
    assert set(waiting) == {r.text_unit_id for r in expected if r.text_unit_id in waiting}
    assert set(waiting) == {r.text_unit_id for r in expected if r.n_missing} and len(waiting) == len(
        set(waiting)
    )


def test_tasks_are_some_of_all_in_the_order_of_asking() -> None:
    units = [unit(n, "a") for n in range(3)] + [unit(n, "b") for n in range(2)]
    tasks = tasks_of(units, 1)
    marked = np.array([True, False, True, False, True])
    some = tasks.where(marked)
    assert [task.unit.text_unit_id for task in some] == ["a-0", "b-1", "a-2"]
    assert list(some) == [task for task in tasks if marked[units.index(task.unit)]]
    assert list(some[1:]) == list(some)[1:] and len(some[:0]) == 0
    with pytest.raises(IndexError):
        some[3]


def test_items_are_picked_by_number() -> None:
    picked = Picked("abcdef", np.array([4, 0, 0]))
    assert list(picked) == ["e", "a", "a"] and list(picked[1:]) == ["a", "a"] and len(picked) == 3
