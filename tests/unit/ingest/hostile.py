"""Files made to do harm, and files that accidents made."""

import io
import zipfile
import zlib
from string import ascii_uppercase

import pikepdf

from tests.unit.ingest.samples import CONTAINER, epub, page, pdf, zipped

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>{}</Types>'
)
_OVERRIDE = (
    '<Override PartName="/{}" ContentType="application/vnd.openxmlformats-officedocument.{}.main+xml"/>'
)
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}'
    "</Relationships>"
)
_RELATION = (
    '<Relationship Id="r{}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" Target="{}"'
    "{}/>"
)


def docx(
    body: str, prolog: str = "", more: dict[str, str | bytes] | None = None, relations: str = ""
) -> bytes:
    """body: WordprocessingML inside w:body; prolog: what stands before the root, such as a DTD."""
    main = f'<?xml version="1.0"?>{prolog}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return zipped({
        "[Content_Types].xml": _TYPES.format(_OVERRIDE.format("word/document.xml", "wordprocessingml.document")),
        "_rels/.rels": _RELATIONS.format(_RELATION.format(1, "officeDocument", "word/document.xml", "")),
        "word/_rels/document.xml.rels": _RELATIONS.format(relations),
        "word/document.xml": main,
        **(more or {}),
    })  # fmt: skip


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def xlsx(cell: str, prolog: str = "", far: str = "B2") -> bytes:
    """far: the place of a second cell."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    sheet = (
        f'<?xml version="1.0"?>{prolog}<worksheet xmlns="{main}"><sheetData><row r="1">'
        f'<c r="A1" t="inlineStr"><is><t>{cell}</t></is></c></row><row r="{far.lstrip(ascii_uppercase)}">'
        f'<c r="{far}" t="inlineStr"><is><t>far</t></is></c></row></sheetData></worksheet>'
    )
    return zipped({
        "[Content_Types].xml": _TYPES.format(
            _OVERRIDE.format("xl/workbook.xml", "spreadsheetml.sheet")
            + '<Override PartName="/xl/worksheets/sheet1.xml" ContentType='
            '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
        ),
        "_rels/.rels": _RELATIONS.format(_RELATION.format(1, "officeDocument", "xl/workbook.xml", "")),
        "xl/_rels/workbook.xml.rels": _RELATIONS.format(_RELATION.format(1, "worksheet", "worksheets/sheet1.xml", "")),
        "xl/workbook.xml": f'<?xml version="1.0"?><workbook xmlns="{main}" xmlns:r="{relations}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": sheet,
    })  # fmt: skip


def odt(body: str, prolog: str = "") -> bytes:
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text")
    )
    content = (
        f'<?xml version="1.0"?>{prolog}<office:document-content{spaces}><office:body><office:text><text:p>{body}'
        "</text:p></office:text></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def book(body: str, prolog: str = "") -> bytes:
    """An EPUB of one page."""
    text = page(body)
    return epub({"a": text.replace("<!DOCTYPE html>", prolog or "<!DOCTYPE html>")}, ["a"])


def external_relation(target: str) -> str:
    return _RELATION.format(9, "image", target, ' TargetMode="External"')


def laughs(root: str) -> str:
    """Ten entities each ten times the one before: ten thousand million letters."""
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 11))
    return f'<!DOCTYPE {root} [<!ENTITY l0 "ha">{entities}]>'


def quadratic(root: str) -> str:
    return f'<!DOCTYPE {root} [<!ENTITY l10 "{"x" * 100_000}">]>'


def external(root: str, address: str) -> str:
    return f'<!DOCTYPE {root} [<!ENTITY l10 SYSTEM "{address}">]>'


def external_dtd(root: str, address: str) -> str:
    return f'<!DOCTYPE {root} SYSTEM "{address}">'


def zeros(n_bytes: int) -> bytes:
    """A deflated zip member's worth of zeros, as text."""
    return b"0" * n_bytes


def lying_archive(files: dict[str, str | bytes], name: str, stated: int) -> bytes:
    """Return an archive whose directory states a smaller size of one file than it unpacks to."""
    data = bytearray(zipped(files))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        true = archive.getinfo(name).file_size
    return bytes(data.replace(true.to_bytes(4, "little"), stated.to_bytes(4, "little")))


def encrypted_pdf() -> bytes:
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf([[(50, 700, "A secret page.")]]))) as document:
        document.save(out, encryption=pikepdf.Encryption(user="secret", owner="secret"))
    return out.getvalue()


def encrypted_zip(files: dict[str, str | bytes]) -> bytes:
    """Set the flag of encryption on every file of an archive, in both of its headers."""
    data = bytearray(zipped(files))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.find(signature)
        while start >= 0:
            data[start + offset] |= 1
            start = data.find(signature, start + 4)
    return bytes(data)


def raw_pdf(objects: dict[int, bytes], root: int = 1) -> bytes:
    """Write a PDF from the bodies of its objects."""
    out, offsets = bytearray(b"%PDF-1.4\n"), {}
    for number, content in objects.items():
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    out += b"".join(b"%010d 00000 n \n" % offsets.get(number, 0) for number in range(1, size))
    out += b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, root, start)
    return bytes(out)


def pdf_of_tree(pages: bytes, more: dict[int, bytes] | None = None) -> bytes:
    leaf = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>"
    )
    shown = b"BT /F1 12 Tf 50 700 Td (A page of text in a strange file.) Tj ET"
    return raw_pdf({
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: pages,
        3: leaf,
        4: b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
        5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        **(more or {}),
    })  # fmt: skip


def pdf_of_stream(content: bytes) -> bytes:
    """A page whose content is a deflated stream."""
    packed = zlib.compress(content, 9)
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
    return pdf_of_tree(b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", {4: stream})


def with_member(name: str) -> bytes:
    """An EPUB that also holds a file under a path of its own choosing."""
    text = page("<p>A page of text in a strange file.</p>")
    opf = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>'
        f'<item id="a" href="{name}" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    return zipped({"META-INF/container.xml": CONTAINER, "OPS/book.opf": opf, name: text})
