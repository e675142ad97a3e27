"""Small files made in memory, and the texts that they hold."""

import io
import zipfile

RUSSIAN = (
    "Однажды играли в карты у конногвардейца Нарумова. Долгая зимняя ночь прошла незаметно; сели ужинать в пятом"
    " часу утра."
)
UKRAINIAN = "Реве та стогне Дніпр широкий, сердитий вітер завива, додолу верби гне високі, горами хвилю підійма. Ґедзь її є."
SHORT = "Глава первая"

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
    '<rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def zipped(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def page(body: str, body_type: str = "bodymatter") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="ru">'
        f'<head><title/></head><body epub:type="{body_type}">{body}</body></html>'
    )


def epub(
    pages: dict[str, str],
    spine: list[str],
    metadata: str = "",
    manifest: str = "",
    files: dict[str, str] | None = None,
) -> bytes:
    """pages: name -> XHTML; spine: names in reading order, a leading "-" makes one not linear.

    manifest, files: further items, and further files by their paths.
    """
    items = "".join(
        f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"/>' for name in pages
    )
    references = "".join(
        f'<itemref idref="{name.lstrip("-")}" linear="{"no" if name.startswith("-") else "yes"}"/>'
        for name in spine
    )
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
        f"{metadata}</metadata><manifest>{items}{manifest}</manifest><spine>{references}</spine></package>"
    )
    members: dict[str, str | bytes] = {"META-INF/container.xml": CONTAINER, "OPS/book.opf": package}
    members |= {f"OPS/text/{name}.xhtml": text for name, text in pages.items()}
    return zipped(members | (files or {}))


def fb2(body: str, info: str = "", after: str = "", encoding: str = "utf-8") -> bytes:
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?>'
        '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">'
        f"<description><title-info>{info}</title-info></description><body>{body}</body>{after}</FictionBook>"
    )
    return text.encode(encoding)


def pdf(pages: list[list[tuple[int, int, str]]], extra_trailer: str = "") -> bytes:
    """Make a PDF of Latin text lines: (x, y from the bottom, text) on each page."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        shown = "".join(f"BT /F1 12 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in lines).encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        extra_trailer.encode(),
        start,
    )
    return bytes(out)
