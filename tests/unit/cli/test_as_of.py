from typing import Any

import pytest

from tgrag.errors import InvalidRequest
from tgrag.search.requests import AsOf
from tgrag.search.written import parse_as_of


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("3", {"chapter": 3}),
        ("1.3", {"chapter": "1.3"}),
        ("Глава III", {"chapter": "Глава III"}),
        ("Глава III, в которой a=b", {"chapter": "Глава III, в которой a=b"}),
        ("book=2,chapter=5", {"book": 2, "chapter": 5}),
        ("book = 2, chapter = V", {"book": 2, "chapter": "V"}),
        ("book=Война, мир и люди,chapter=5", {"book": "Война, мир и люди", "chapter": 5}),
        ("date=1834-01", {"date": "1834-01"}),
        ("date=1834", {"date": "1834"}),
        ("series=1984,chapter=5", {"series": "1984", "chapter": 5}),
        ("ordinal=17", {"ordinal": 17}),
    ],
)
def test_what_is_typed_becomes_a_point_in_time(text: str, means: dict[str, Any]) -> None:
    assert parse_as_of(text) == AsOf.model_validate(means)


def test_nothing_typed_is_no_limit() -> None:
    assert parse_as_of(None) is None


@pytest.mark.parametrize(("text", "says"), [("date=soon", "as_of.date"), ("series=x", "needs a chapter")])
def test_nonsense_is_told_as_such(text: str, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        parse_as_of(text)
