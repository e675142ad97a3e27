"""Costly calls to a chat model: counted, remembered, retried, paced, bounded, and their answers validated."""

from tgrag.calls.ask import ask, repair_request
from tgrag.calls.call import Call, Handler, Listener, Truncated, Unreadable
from tgrag.calls.chain import chain
from tgrag.calls.counters import Counters
from tgrag.calls.faults import FaultRule
from tgrag.calls.recall import Memory
from tgrag.calls.slots import Slots

__all__ = [
    "Call",
    "Counters",
    "FaultRule",
    "Handler",
    "Listener",
    "Memory",
    "Slots",
    "Truncated",
    "Unreadable",
    "ask",
    "chain",
    "repair_request",
]
