from tgrag.index.budget import Budget, Spending
from tgrag.models.chat import ChatReply

REPLY = ChatReply("", "stop", 30, 20)


def test_without_a_limit_everything_may_begin() -> None:
    assert not Budget().is_limited
    spending = Spending(Budget())
    assert all(spending.begin() for _ in range(100))


def test_calls_are_counted_as_they_begin() -> None:
    spending = Spending(Budget(calls=2))
    assert [spending.begin() for _ in range(3)] == [True, True, False]


def test_tokens_are_counted_as_answers_come() -> None:
    spending = Spending(Budget(tokens=60))
    for _ in range(2):
        assert spending.begin()
        spending.end(REPLY)
    assert not spending.begin()


def test_time_is_a_budget() -> None:
    now = 10.0
    spending = Spending(Budget(until=11.0), clock=lambda: now)
    assert spending.begin()
    now = 11.0
    assert not spending.begin()
