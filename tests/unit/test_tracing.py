"""Spans of questions, as OpenTelemetry's SDK hands them on."""

import sys
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.unit.serve.fakes import FakeCatalog, FakeEngine
from tgrag import logs
from tgrag.errors import ConfigurationError
from tgrag.search.caller import Caller
from tgrag.search.requests import Answer, FallBack, QueryRequest
from tgrag.serve.library import Library
from tgrag.serve.service import Service
from tgrag.tracing import NANOSECONDS, Tracing, open_tracing

TIMINGS = {"embed": 0.002, "rerank": 0.0, "answer": 0.003}
NO_CHAT = FallBack(
    step="answer", wanted="chat model", used="extractive quotes", cause="absent", reason="Кто такой Германн?"
)


class TimedEngine(FakeEngine):
    def query(self, request: QueryRequest, caller: Caller | None = None) -> Answer:
        update = {"timings": TIMINGS, "tokens": {"context": 7}, "fall_backs": [NO_CHAT]}
        return super().query(request, caller).model_copy(update=update)


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    yield exporter
    exporter.shutdown()


def test_a_question_is_a_span_that_says_what_it_took(exporter: InMemorySpanExporter) -> None:
    catalog = FakeCatalog(shelf="v1")
    library = Library(catalog, TimedEngine, 8)  # type: ignore[arg-type]
    service = Service(catalog, library, Tracing(SimpleSpanProcessor(exporter)))  # type: ignore[arg-type]
    token = logs.request_id.set("r-1")
    reply = service.query({"question": "Кто такой Германн?", "collection": "shelf"})
    logs.request_id.reset(token)
    assert reply["status"] == 200
    question = exporter.get_finished_spans()[-1]
    assert (question.name, question.parent) == ("query", None)
    assert dict(question.attributes or {}) == {
        "tgrag.request_id": "r-1",
        "tgrag.collection": "shelf",
        "tgrag.version": "v1",
        "tgrag.mode": "classic",
        "tgrag.tokens.context": 7,
        "tgrag.fall_backs": ("answer: extractive quotes (absent)",),
    }


def test_each_of_its_steps_is_one_within_it_and_they_follow_each_other(
    exporter: InMemorySpanExporter,
) -> None:
    Tracing(SimpleSpanProcessor(exporter)).question(0.01, TIMINGS, {})
    *steps, question = exporter.get_finished_spans()
    assert [step.name for step in steps] == list(TIMINGS)
    begun = question.start_time or 0
    assert (question.end_time or 0) - begun == 10_000_000
    for step, seconds in zip(steps, TIMINGS.values(), strict=True):
        assert step.parent == question.context
        assert step.start_time == begun
        begun += int(seconds * NANOSECONDS)
        assert step.end_time == begun


def test_without_an_address_there_are_none() -> None:
    assert open_tracing("") is None


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(ConfigurationError, match=r"tgrag\[traces\]"):
        open_tracing("http://127.0.0.1:4318/v1/traces")
