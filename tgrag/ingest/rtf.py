"""Rich Text Format, through striprtf: its paragraphs as plain text, each table row a line."""

import re

from striprtf.striprtf import rtf_to_text

from tgrag.ingest.archive import DAMAGED
from tgrag.ingest.plain import read_plain
from tgrag.ingest.refusal import Refused
from tgrag.records import ParsedDocument

_NOTE = re.compile(rb"\\footnote\b")


def read_rtf(data: bytes) -> ParsedDocument:
    """Read an RTF file. Headings are told from the lines' wording only. Raises Refused when it is damaged."""
    try:
        text = str(rtf_to_text(data.decode("cp1252", errors="replace"), errors="replace"))  # type: ignore[no-untyped-call]
    except (LookupError, ValueError, OverflowError) as error:
        raise Refused(DAMAGED.format("its RTF cannot be read")) from error
    title, elements = read_plain("\n\n".join(line for line in text.split("\n") if line.strip()))
    warnings = ("its footnotes were not read; save it as DOCX to have them",) if _NOTE.search(data) else ()
    return ParsedDocument(status="ok", title=title, elements=elements, warnings=warnings)
