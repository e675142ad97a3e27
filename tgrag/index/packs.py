"""Stored answers as bytes: one is a gzip member of JSON, a pack is many members one after the other.

``zcat`` reads both. Each member has its own checksum, so a pack that is damaged in one place is read in all others.
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from pydantic import TypeAdapter

from tgrag.models.chat import ChatReply

_REPLY = TypeAdapter(ChatReply)
_MEMBER_BEGINS = b"\x1f\x8b\x08"
_PIECE = 4096


@dataclass(frozen=True, slots=True)
class Member:
    """An answer, and the bytes that hold it."""

    key: str
    reply: ChatReply
    data: bytes


def member_bytes(key: str, reply: ChatReply) -> bytes:
    """Return the bytes that hold an answer: the same for the same answer."""
    text = json.dumps({"key": key} | asdict(reply), ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode() + b"\n", compresslevel=6, mtime=0)


def members(data: bytes) -> Iterator[Member | None]:
    """Return the answers in an object, in order; None for each place where the bytes are damaged."""
    start = 0
    while start < len(data):
        try:
            text, end = _member_at(data, start)
            stated = json.loads(text)
            yield Member(stated.pop("key"), _REPLY.validate_python(stated), data[start:end])
            start = end
        except (zlib.error, EOFError, ValueError, TypeError, KeyError, AttributeError):
            yield None
            following = data.find(_MEMBER_BEGINS, start + 1)
            start = following if following >= 0 else len(data)


def _member_at(data: bytes, start: int) -> tuple[bytes, int]:
    """Return the text of the member that begins here, and where it ends. Read in pieces, as a pack has many."""
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    texts, position = [], start
    while not stream.eof:
        piece = data[position : position + _PIECE]
        if not piece:
            raise EOFError("cut off")
        texts.append(stream.decompress(piece))
        position += len(piece)
    return b"".join(texts), position - len(stream.unused_data)
