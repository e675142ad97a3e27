"""tgrag's log: standard error, from the level that ``TGRAG_LOG_LEVEL`` names, as text or as JSON (``TGRAG_LOG_FORMAT``).

A line names what it belongs to: the request, the collection, the version, where they are known.
"""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from tgrag.errors import ConfigurationError

VARIABLE = "TGRAG_LOG_LEVEL"  # variables, because workers and replicas inherit them
FORMAT_VARIABLE = "TGRAG_LOG_FORMAT"
LEVELS = ("debug", "info", "warning", "error")
FORMATS = ("text", "json")

request_id: ContextVar[str] = ContextVar("request_id", default="")  # of the request that is being answered
_collection: ContextVar[str] = ContextVar("collection", default="")
_version: ContextVar[str] = ContextVar("version", default="")
_KNOWN = (request_id, _collection, _version)


def level() -> str:
    """Return the level that is asked for, "warning" without one. Raises ConfigurationError."""
    return _chosen(VARIABLE, "warning", LEVELS)


def set_up() -> None:
    """Show tgrag's log in this process; again does nothing more. At debug level each call of a model is a line."""
    logger = logging.getLogger("tgrag")
    logger.setLevel(level().upper())
    as_json = _chosen(FORMAT_VARIABLE, "text", FORMATS) == "json"
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(JsonLines() if as_json else TextLines())
        logger.addHandler(handler)


@contextmanager
def about(collection: str, version: str = "") -> Iterator[None]:
    """Let the lines that are written meanwhile, here and in tasks begun here, name a collection and its version."""
    with ExitStack() as restoring:
        for variable, value in ((_collection, collection), (_version, version)):
            restoring.callback(variable.reset, variable.set(value))
        yield


class TextLines(logging.Formatter):
    """One line for a person, at its end what it belongs to."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        told = " ".join(f"{name}={value}" for name, value in _belonging().items())
        return super().formatMessage(record) + (f" [{told}]" if told else "")


class JsonLines(logging.Formatter):
    """One object a line: time (ISO 8601, UTC), level, logger, message, request_id, collection, version, traceback; what is
    not known is left out."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        } | _belonging()
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


def _belonging() -> dict[str, str]:
    return {variable.name: value for variable in _KNOWN if (value := variable.get())}


def _chosen(variable: str, default: str, known: tuple[str, ...]) -> str:
    named = os.environ.get(variable, default).lower()
    if named not in known:
        raise ConfigurationError(f"{variable} is {named!r}; there are {', '.join(known)}")
    return named
