"""tgrag's log: standard error, from the level that ``TGRAG_LOG_LEVEL`` names."""

import logging
import os

from tgrag.errors import ConfigurationError

VARIABLE = "TGRAG_LOG_LEVEL"  # a variable, because workers and replicas inherit it
LEVELS = ("debug", "info", "warning", "error")


def level() -> str:
    """Return the level that is asked for, "warning" without one. Raises ConfigurationError."""
    named = os.environ.get(VARIABLE, "warning").lower()
    if named not in LEVELS:
        raise ConfigurationError(f"{VARIABLE} is {named!r}; there are {', '.join(LEVELS)}")
    return named


def set_up() -> None:
    """Show tgrag's log in this process; again does nothing more. At debug level each call of a model is a line."""
    logger = logging.getLogger("tgrag")
    logger.setLevel(level().upper())
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logger.addHandler(handler)
