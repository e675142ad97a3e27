"""Sentences of a Russian, Ukrainian or English text.

Only the few places where a sentence may end are looked at (``scan``); what a full stop means there is told from
the word before it, the word after it and, in Russian and Ukrainian, the dictionary (``cyrillic``, ``english``).
Of every place a bounded neighbourhood is read, so that time grows with the length of a text whatever is in it.
"""

from tgrag.chunk.sentences.scan import Spans, sentences

__all__ = ["Spans", "sentences"]
