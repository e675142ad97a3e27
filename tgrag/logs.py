"""tgrag's log: standard error, from the level that ``TGRAG_LOG_LEVEL`` names, as text or as JSON (``TGRAG_LOG_FORMAT``)."""

import json
import logging
import os
from contextvars import ContextVar
from datetime import UTC, datetime

from tgrag.errors import ConfigurationError

VARIABLE = "TGRAG_LOG_LEVEL"  # variables, because workers and replicas inherit them
FORMAT_VARIABLE = "TGRAG_LOG_FORMAT"
LEVELS = ("debug", "info", "warning", "error")
FORMATS = ("text", "json")

request_id: ContextVar[str] = ContextVar("request_id", default="")  # of the request that is being answered


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
        handler.setFormatter(
            JsonLines() if as_json else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
        )
        logger.addHandler(handler)


class JsonLines(logging.Formatter):
    """One object a line: time (ISO 8601, UTC), level, logger, message, the request's id, a traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if current := request_id.get():
            told["request_id"] = current
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


def _chosen(variable: str, default: str, known: tuple[str, ...]) -> str:
    named = os.environ.get(variable, default).lower()
    if named not in known:
        raise ConfigurationError(f"{variable} is {named!r}; there are {', '.join(known)}")
    return named
