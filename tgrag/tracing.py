"""Traces of questions (OpenTelemetry): off unless ``serve.traces`` says where they go; needs the extra ``traces``.

A question is a span ``query`` with a span for each of its steps. They are written when the answer is there, from the
seconds that it says each step took, so the query path knows nothing of them.
"""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tgrag.errors import ConfigurationError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor

NANOSECONDS = 10**9


class Tracing:
    """Writes spans; processor: of OpenTelemetry's SDK, takes them to where they go."""

    def __init__(self, processor: "SpanProcessor") -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        provider = TracerProvider(resource=Resource.create({"service.name": "tgrag"}))
        provider.add_span_processor(processor)
        self._tracer = provider.get_tracer("tgrag")

    def question(
        self, seconds: float, steps: Mapping[str, float], attributes: Mapping[str, str | int | list[str]]
    ) -> None:
        """Tell of a question that has just been answered. steps: seconds by name, one after the other."""
        from opentelemetry.trace import set_span_in_context

        end = time.time_ns()
        start = end - int(seconds * NANOSECONDS)
        question = self._tracer.start_span("query", start_time=start, attributes=attributes)
        context, begun = set_span_in_context(question), start
        for name, lasted in steps.items():
            ended = min(begun + int(lasted * NANOSECONDS), end)
            self._tracer.start_span(name, context, start_time=begun).end(ended)
            begun = ended
        question.end(end)


def open_tracing(address: str) -> Tracing | None:
    """Return what sends spans to an OTLP collector over HTTP, None for no address. Raises ConfigurationError.

    How spans are sampled, and headers for the collector, are OpenTelemetry's own variables (OTEL_TRACES_SAMPLER, …).
    """
    if not address:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise ConfigurationError(
            f"serve.traces is {address}, but what sends traces is not installed: pip install 'tgrag[traces]', or leave "
            "serve.traces empty"
        ) from None
    return Tracing(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
