"""Docling's readers of Microsoft Office files, kept to themselves.

Docling hands drawings and pictures of old kinds to LibreOffice where that is installed, to have them painted. A
strange file must reach no other program: these readers believe that they looked for LibreOffice and found none.
"""

from typing import Any

from docling.backend.msexcel_backend import MsExcelDocumentBackend
from docling.backend.mspowerpoint_backend import MsPowerpointDocumentBackend
from docling.backend.msword_backend import MsWordDocumentBackend


class WordReader(MsWordDocumentBackend):  # type: ignore[misc]
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.docx_to_pdf_converter_init = True


class ExcelReader(MsExcelDocumentBackend):  # type: ignore[misc]
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.xlsx_to_pdf_converter_init = True


class PowerpointReader(MsPowerpointDocumentBackend):  # type: ignore[misc]
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.pptx_to_pdf_converter_init = True
