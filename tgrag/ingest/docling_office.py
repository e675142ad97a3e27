"""Docling's readers of Microsoft Office files, kept to themselves.

Docling hands drawings and pictures of old kinds to LibreOffice where that is installed, to have them painted. A
strange file must reach no other program: these readers believe that they looked for LibreOffice and found none.
"""

from collections.abc import Iterable
from typing import Any

from docling.backend.msexcel_backend import MsExcelDocumentBackend
from docling.backend.mspowerpoint_backend import MsPowerpointDocumentBackend
from docling.backend.msword_backend import MsWordDocumentBackend
from openpyxl.cell.cell import MergedCell
from openpyxl.worksheet.worksheet import Worksheet

_GAP = 3  # rows or columns; what is so far apart is two tables


class WordReader(MsWordDocumentBackend):  # type: ignore[misc]
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.docx_to_pdf_converter_init = True


class ExcelReader(MsExcelDocumentBackend):  # type: ignore[misc]
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.xlsx_to_pdf_converter_init = True
        for sheet in self.workbook.worksheets:
            _close_up(sheet)


class PowerpointReader(MsPowerpointDocumentBackend):  # type: ignore[misc]
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.pptx_to_pdf_converter_init = True


def _close_up(sheet: Worksheet) -> None:
    """Narrow the wide gaps between the cells of a sheet: Docling walks through all that is within its corners."""
    cells = [cell for cell in sheet._cells.values() if cell.value is not None or isinstance(cell, MergedCell)]
    merged = sheet.merged_cells.ranges
    rows = _closer({cell.row for cell in cells}.union(*((area.min_row, area.max_row) for area in merged)))
    columns = _closer(
        {cell.column for cell in cells}.union(*((area.min_col, area.max_col) for area in merged))
    )
    for cell in cells:
        cell.row, cell.column = rows[cell.row], columns[cell.column]
    for area in merged:
        area.min_row, area.max_row = rows[area.min_row], rows[area.max_row]
        area.min_col, area.max_col = columns[area.min_col], columns[area.max_col]
    sheet._cells = {(cell.row, cell.column): cell for cell in cells}


def _closer(places: Iterable[int]) -> dict[int, int]:
    """Return for each place the one that it moves to: in the same order, no further than a gap from the one before."""
    moved: dict[int, int] = {}
    before = to = 0
    for place in sorted(places):
        to += min(place - before, _GAP)
        moved[place] = to
        before = place
    return moved
