"""PDF: text lines with their places from Docling's parser, made into elements by our own layout rules.

reader: pages, one at a time. order: the order in which a page is read. furniture: running heads and page numbers.
blocks: rows to paragraphs, tables and footnotes. titles: which of them are headings. document: all together.
"""

from tgrag.ingest.pdf.document import ENCRYPTED, GARBAGE, SCAN, read_pdf

__all__ = ["ENCRYPTED", "GARBAGE", "SCAN", "read_pdf"]
