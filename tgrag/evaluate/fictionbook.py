"""Passages as files: FictionBook keeps every character, names title, language and date, and is no guess to read."""

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

_PARAGRAPH = re.compile(r"\n\s*\n")
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def fictionbook(title: str, passages: Sequence[str], date: str | None) -> bytes:
    """Return a file with the passages in order, each beginning a paragraph; a series of its own by its title."""
    paragraphs = [part for passage in passages for part in _PARAGRAPH.split(passage) if part.strip()]
    dated = f"<date value={quoteattr(date)}>{escape(date)}</date>" if date else ""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info>',
        f"<book-title>{escape(title)}</book-title>{dated}<sequence name={quoteattr(title)}/>",
        "</title-info></description><body><section>",
        *(f"<p>{escape(' '.join(paragraph.split()))}</p>" for paragraph in paragraphs),
        "</section></body></FictionBook>",
    ]
    return _NO_XML.sub(" ", "\n".join(lines)).encode()
