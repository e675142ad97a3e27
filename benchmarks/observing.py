"""scripts/bench observing: what it takes of a question to be counted, logged and traced, connected to Ray."""

import argparse
import io
import json
import logging
from collections.abc import Callable, Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from benchmarks.measure import cpu_seconds, table
from tgrag import logs
from tgrag.cluster import connect
from tgrag.metrics import tell
from tgrag.search.requests import Answer, FallBack
from tgrag.serve.telling import tell_question
from tgrag.tracing import Tracing

REPEATS = 5_000
STEPS = (
    "view",
    "embed",
    "hints",
    "entities",
    "text_units",
    "rerank",
    "relationships",
    "communities",
    "context",
    "render",
    "answer",
)
ANSWER = Answer(
    collection="library",
    version="0123456789abcdef",
    mode="temporal",
    question="Кто такой Германн?",
    answer="",
    found=True,
    citations=[],
    hints=[],
    fall_backs=[FallBack(step="rerank", wanted="reranker", used="fused rank", cause="absent", reason="")],
    timings=dict.fromkeys(STEPS, 0.003),
    tokens={"context": 11_000, "prompt": 12_000, "answer": 200},
)


class NoCollector(SpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.SUCCESS


def add_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("observing", help=__doc__.partition(": ")[2])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    connect()
    logger, handler = logging.getLogger("tgrag"), logging.StreamHandler(io.StringIO())
    handler.setFormatter(logs.JsonLines())
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    measured = {"a request's metrics in the ingress": _milliseconds(_tell_request)}
    measured["a question's metrics in the retriever"] = _milliseconds(
        lambda: tell_question(ANSWER, 0.03, None)
    )
    logger.setLevel(logging.INFO)
    measured["the same and its log line"] = _milliseconds(lambda: tell_question(ANSWER, 0.03, None))
    tracing = Tracing(BatchSpanProcessor(NoCollector()))
    measured["the same and its spans"] = _milliseconds(lambda: tell_question(ANSWER, 0.03, tracing))
    print(json.dumps(measured) if arguments.json else table(("what", "CPU ms"), measured.items()))


def _milliseconds(act: Callable[[], None]) -> float:
    act()

    def repeatedly() -> None:
        for _ in range(REPEATS):
            act()

    return 1000 * cpu_seconds(repeatedly) / REPEATS


def _tell_request() -> None:
    tell("tgrag_requests_in_flight", 1)
    tell("tgrag_requests_in_flight", 0)
    tell("tgrag_requests", route="/v1/query", status="200", code="ok")
    tell("tgrag_request_seconds", 0.05, route="/v1/query")
