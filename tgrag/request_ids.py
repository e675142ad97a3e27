"""The id of a request: from the header ``X-Request-ID`` through Serve's calls to the log and to a model's server.

Serve carries it from one deployment to the next in a context of its own; ``tgrag.logs.request_id`` holds it for the rest.
"""

import re
import sys
import uuid
from dataclasses import replace

from tgrag import logs

HEADER = "X-Request-ID"
_SANE = re.compile(
    r"[A-Za-z0-9._:=/+@-]{1,128}"
)  # what headers, log lines and servers of models take as it is


def sane(sent: str | None) -> str:
    """Return the id that was sent; a new one when none was, or one that is too long or has other characters."""
    return sent if sent and _SANE.fullmatch(sent) else uuid.uuid4().hex


def give_to_serve() -> None:
    """Let calls of deployments that are made from here on carry the id that the log names."""
    from ray.serve import context

    held = context._get_serve_request_context()
    context._serve_request_context.set(replace(held, request_id=logs.request_id.get()))


def carried_by_serve() -> str:
    """Return the id that came with a call of a deployment; nothing outside of one."""
    context = sys.modules.get("ray.serve.context")
    held: str = context._get_serve_request_context().request_id if context else ""
    return held


def take_from_serve() -> None:
    """Let the log name the id that came with a call of a deployment."""
    logs.request_id.set(carried_by_serve())
