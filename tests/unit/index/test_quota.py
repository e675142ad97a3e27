from hypothesis import given
from hypothesis import strategies as st

from tgrag.index.quota import SILENT_SECONDS, Shares, fair_shares


@given(st.integers(0, 40), st.dictionaries(st.sampled_from("abcde"), st.integers(0, 30), min_size=1))
def test_shares_are_fair_and_use_what_is_wanted(total: int, wanted: dict[str, int]) -> None:
    shares = fair_shares(total, wanted)
    assert sum(shares.values()) == min(total, sum(wanted.values()))
    assert all(0 <= shares[worker] <= wish for worker, wish in wanted.items())
    least = min((shares[w] for w in wanted if shares[w] < wanted[w]), default=total)
    assert all(share <= least + 1 for share in shares.values()), "nobody gets more while another wants more"


class Worker:
    """Keeps to what it is told; ends its calls one by one."""

    def __init__(self, name: str) -> None:
        self.name, self.limit, self.in_use = name, 0, 0


STEPS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["report", "begin", "end"]), st.integers(0, 12)),
    max_size=120,
)


@given(st.integers(1, 10), STEPS)
def test_all_together_never_have_more_in_flight_than_the_total(
    total: int, steps: list[tuple[str, str, int]]
) -> None:
    shares = Shares(total, clock=lambda: 0.0)
    workers = {name: Worker(name) for name in "abc"}
    for name, step, wish in steps:
        worker = workers[name]
        if step == "report":
            worker.limit = shares.report(name, worker.limit, worker.in_use, max(wish, worker.in_use))
        elif step == "begin":
            worker.in_use += worker.in_use < worker.limit
        else:
            worker.in_use -= worker.in_use > 0
        assert sum(w.in_use for w in workers.values()) <= total


def test_slots_that_one_does_not_want_go_to_the_other() -> None:
    shares = Shares(8, clock=lambda: 0.0)
    a = shares.report("a", 0, 0, 20)
    assert (a, shares.report("b", 0, 0, 20)) == (8, 0), "nothing is taken from who works"
    a = shares.report("a", a, 8, 20)
    assert (a, shares.report("b", 0, 0, 20)) == (4, 0), "four are asked back, none has come yet"
    a = shares.report("a", a, 4, 20)
    b = shares.report("b", 0, 0, 20)
    assert (a, b) == (4, 4)
    assert shares.report("b", b, 0, 0) == 0
    shares.report("b", 0, 0, 0)
    assert shares.report("a", a, 4, 20) == 8


def test_a_dead_worker_has_no_share() -> None:
    now = 0.0
    shares = Shares(8, clock=lambda: now)
    assert shares.report("a", 0, 0, 20) == 8
    now = SILENT_SECONDS + 1
    assert shares.report("b", 0, 0, 20) == 8
