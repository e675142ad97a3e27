"""Stable identifiers: the same parts give the same hash in every process and on every machine."""

import hashlib
import json
from typing import Any

HASH_CHARACTERS = 32  # 128 bits: a collision among 10^12 objects has probability 10^-15


def stable_hash(*parts: Any) -> str:
    """Hash JSON-representable parts to 32 hexadecimal characters.

    Parts are told apart: ``stable_hash("ab", "c") != stable_hash("a", "bc")``.
    """
    canonical = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:HASH_CHARACTERS]


def bytes_hash(data: bytes) -> str:
    """Hash a byte string to 32 hexadecimal characters."""
    return hashlib.sha256(data).hexdigest()[:HASH_CHARACTERS]
