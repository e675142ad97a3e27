"""Every hostile file ends as a failed document with a clear reason, or is read; none costs the process its life."""

import http.server
import os
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.unit.ingest import hostile
from tests.unit.ingest.samples import RUSSIAN, epub, fb2, page, pdf, zipped
from tgrag.index.listing import hashed
from tgrag.ingest.sandbox import ParsingCrashed, ParsingPool
from tgrag.ingest.sources import discover, read_source
from tgrag.settings import ParseSettings

SETTINGS = ParseSettings(timeout_seconds=60, memory_mb=1500)
TEXT = "A page of text in a strange file."
SUFFIXES = (".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".epub", ".fb2", ".fb2.zip", ".html", ".md", ".csv", ".rtf",
            ".xml", ".txt", "")  # fmt: skip


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsingPool]:
    with ParsingPool(SETTINGS) as pool:
        yield pool


def outcome(pool: ParsingPool, name: str, data: bytes) -> tuple[str | None, str]:
    """Return the reason of a failure, or None, and the text that was read. The parser must not die."""
    try:
        document = pool.parse(name, data)
    except ParsingCrashed as crash:
        assert not crash.transient, crash.reason
        return crash.reason, ""
    assert (document.status == "failed") == bool(document.reason)
    return document.reason, "\n".join(element.text for element in document.elements)


BOMBS: dict[str, Callable[[], bytes]] = {
    "a.docx": lambda: hostile.docx(hostile.paragraph(TEXT), more={"word/media/x.xml": hostile.zeros(300_000_000)}),
    "b.docx": lambda: hostile.docx(hostile.paragraph("0" * 60_000_000)),
    "a.epub": lambda: epub({"a": page(f"<p>{'0' * 60_000_000}</p>")}, ["a"]),
    "a.xlsx": lambda: hostile.xlsx("0" * 60_000_000),
    "nested.docx": lambda: hostile.docx(
        hostile.paragraph(TEXT), more={"a.zip": zipped({"b.zip": zipped({"c": hostile.zeros(300_000_000)})})}
    ),
    "many.epub": lambda: zipped({"META-INF/container.xml": "", **{f"{n}.xhtml": "" for n in range(25_000)}}),
    "a.fb2.zip": lambda: zipped({"a.fb2": fb2(f"<section><p>{'0' * 60_000_000}</p></section>")}),
    "lying.epub": lambda: hostile.lying_archive(
        {"META-INF/container.xml": "x", "a.xhtml": hostile.zeros(60_000_000)}, "a.xhtml", 1000
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_zip_bombs_are_not_unpacked(pool: ParsingPool, name: str) -> None:
    reason, text = outcome(pool, name, BOMBS[name]())
    if name == "nested.docx":  # what lies in it is never opened
        assert text == TEXT
    else:
        assert reason and ("would unpack to" in reason or "damaged" in reason)


def with_prolog(name: str, prolog: Callable[[str], str]) -> bytes:
    body = "&l10;" * 1000
    match name:
        case "a.docx":
            return hostile.docx(hostile.paragraph(TEXT + body), prolog("w:document"))
        case "a.xlsx":
            return hostile.xlsx(TEXT + body, prolog("worksheet"))
        case "a.odt":
            return hostile.odt(TEXT + body, prolog("office:document-content"))
        case "a.epub":
            return hostile.book(f"<p>{TEXT}{body}</p>", prolog("html"))
        case "a.fb2":
            return fb2(f"<section><p>{TEXT}{body}</p></section>").replace(
                b"?>", f"?>{prolog('FictionBook')}".encode(), 1
            )
        case "a.xhtml":
            return page(f"<p>{TEXT}{body}</p>").replace("<!DOCTYPE html>", prolog("html")).encode()
    raise AssertionError(name)


def test_the_same_files_without_harm_are_read(pool: ParsingPool) -> None:
    harmless = {
        "a.docx": hostile.docx(hostile.paragraph(TEXT)),
        "a.xlsx": hostile.xlsx(TEXT),
        "a.odt": hostile.odt(TEXT),
        "a.epub": hostile.book(f"<p>{TEXT}</p>"),
        "a.pdf": hostile.pdf_of_tree(KIDS % (b"3 0 R", 1)),
    }
    for name, data in harmless.items():
        reason, text = outcome(pool, name, data)
        assert TEXT in text, (name, reason)


XML_FILES = ("a.docx", "a.xlsx", "a.odt", "a.epub", "a.fb2", "a.xhtml")


@pytest.mark.parametrize("bomb", [hostile.laughs, hostile.quadratic])
@pytest.mark.parametrize("name", XML_FILES)
def test_entity_bombs_do_not_go_off(pool: ParsingPool, name: str, bomb: Callable[[str], str]) -> None:
    reason, text = outcome(pool, name, with_prolog(name, bomb))
    assert reason or len(text) < 100_000
    assert "memory" not in (reason or "") and "not read within" not in (reason or "")
    assert "]>" not in text


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A web server that writes down who asks for what."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"SECRET")

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", XML_FILES)
def test_nothing_outside_of_a_file_is_read(
    pool: ParsingPool, name: str, tmp_path: Path, listener: tuple[str, list[str]]
) -> None:
    address, asked = listener
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    for target in (secret.as_uri(), str(secret), f"{address}/secret"):
        for prolog in (hostile.external, hostile.external_dtd):
            _, text = outcome(pool, name, with_prolog(name, lambda root, p=prolog, t=target: p(root, t)))
            assert "SECRET" not in text
    assert asked == []


def test_pictures_and_frames_are_not_fetched(
    pool: ParsingPool, tmp_path: Path, listener: tuple[str, list[str]]
) -> None:
    address, asked = listener
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    for target in (f"{address}/x.png", secret.as_uri()):
        html = (
            f'<html><head><link rel="stylesheet" href="{target}"><base href="{address}/"></head><body><p>{TEXT}</p>'
            f'<img src="{target}"><iframe src="{target}"></iframe><object data="{target}"></object></body></html>'
        )
        files = {
            "a.html": html.encode(),
            "a.md": f"{TEXT}\n\n![x]({target})\n".encode(),
            "a.docx": hostile.docx(hostile.paragraph(TEXT), relations=hostile.external_relation(target)),
            "a.epub": hostile.book(f'<p>{TEXT}</p><img src="{target}"/>'),
        }
        for name, data in files.items():
            reason, text = outcome(pool, name, data)
            assert TEXT in text, reason
            assert "SECRET" not in text
    assert asked == []


@pytest.mark.parametrize(
    "member", ["../../../etc/passwd", "/etc/passwd", "..\\..\\x.xhtml", "C:\\x.xhtml", "a\x00b.xhtml"]
)
def test_paths_do_not_leave_the_archive(pool: ParsingPool, member: str, tmp_path: Path) -> None:
    before = set(Path.cwd().iterdir())
    reason, text = outcome(pool, "a.epub", hostile.with_member(member))
    assert reason or text == TEXT  # the archive's own file of that name, never the machine's
    assert "root:" not in text
    assert set(Path.cwd().iterdir()) == before


def test_locked_files_say_so(pool: ParsingPool) -> None:
    ole = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(2000)
        + "EncryptedPackage".encode("utf-16-le")
        + bytes(2000)
    )
    locked = {
        "a.pdf": hostile.encrypted_pdf(),
        "a.docx": ole,
        "b.docx": hostile.encrypted_zip({"word/document.xml": "secret"}),
        "a.epub": hostile.encrypted_zip({"META-INF/container.xml": "secret"}),
    }
    for name, data in locked.items():
        reason, _ = outcome(pool, name, data)
        assert "password" in (reason or ""), name


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9, 0.99])
def test_truncated_files_are_damaged_or_read(pool: ParsingPool, share: float) -> None:
    whole = {
        "a.pdf": pdf(
            [
                [(50, 700 - 20 * n, f"Line {n} of page {number} of a file.") for n in range(20)]
                for number in range(9)
            ]
        ),
        "a.docx": hostile.docx("".join(map(hostile.paragraph, [TEXT] * 200))),
        "a.xlsx": hostile.xlsx(TEXT),
        "a.epub": epub({"a": page(f"<p>{TEXT}</p>"), "b": page(f"<p>{RUSSIAN}</p>")}, ["a", "b"]),
        "a.fb2": fb2(f"<section><p>{RUSSIAN}</p></section>"),
    }
    for name, data in whole.items():
        reason, text = outcome(pool, name, data[: int(len(data) * share)])
        assert text or (reason and ("damaged" in reason or "not read" in reason or "empty" in reason)), (
            name,
            reason,
        )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_random_bytes_are_refused(pool: ParsingPool, suffix: str) -> None:
    chosen = random.Random(suffix)
    for size in (1, 10, 1000, 100_000):
        reason, text = outcome(pool, f"a{suffix}", chosen.randbytes(size))
        assert reason or size <= 10, text[:100]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_zero_bytes_are_refused(pool: ParsingPool, suffix: str) -> None:
    for data in (
        b"",
        b"\x00",
        bytes(100_000),
        b"Text \x00 with \x00 zeros. " * 1000 if suffix == "" else b" \n",
    ):
        reason, text = outcome(pool, f"a{suffix}", data)
        assert reason, text[:100]


def test_a_giant_file_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    giant = tmp_path / "giant.pdf"
    with giant.open("wb") as file:
        file.write(b"%PDF-1.4\n")
        file.truncate(1_000_000_000)
    monkeypatch.setattr("tgrag.index.listing.read_source", lambda location: pytest.fail("it was read"))
    (listed,) = hashed(discover([str(giant)]), ParseSettings())
    assert "1000 MB, more than the 200" in (listed.unreadable or "")


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(OSError, match="no regular file"):
        read_source(str(tmp_path / "pipe.txt"))


DEEP = 100_000
NESTED: dict[str, Callable[[], bytes]] = {
    "divs.html": lambda: f"<html><body>{'<div>' * DEEP}{TEXT}{'</div>' * DEEP}</body></html>".encode(),
    "open.html": lambda: f"<html><body>{'<b><i><div>' * DEEP}{TEXT}".encode(),
    "tables.html": lambda: f"<html><body>{'<table><tr><td>' * 5000}{TEXT}".encode(),
    "lists.html": lambda: f"<html><body>{'<ul><li>' * 20_000}{TEXT}".encode(),
    "a.fb2": lambda: fb2(f"{'<section>' * DEEP}<p>{TEXT}</p>{'</section>' * DEEP}"),
    "a.epub": lambda: hostile.book(f"{'<div>' * DEEP}{TEXT}{'</div>' * DEEP}"),
    "quotes.md": lambda: ("> " * 10_000 + TEXT).encode(),
    "lists.md": lambda: "".join("  " * n + "- x\n" for n in range(2000)).encode(),
    "stars.md": lambda: ("*a **b " * 20_000 + TEXT).encode(),
    "brackets.md": lambda: ("[" * 50_000 + TEXT).encode(),
    "a.docx": lambda: hostile.docx("<w:tbl><w:tr><w:tc>" * 3000 + hostile.paragraph(TEXT) + "</w:tc></w:tr></w:tbl>" * 3000),
    "a.rtf": lambda: b"{\\rtf1 " + b"{" * DEEP + TEXT.encode() + b"}" * DEEP + b"}",
}  # fmt: skip


@pytest.mark.parametrize("name", NESTED)
def test_deep_nesting_is_read_or_refused(pool: ParsingPool, name: str) -> None:
    reason, text = outcome(pool, name, NESTED[name]())
    assert reason or text
    assert "not read within" not in (reason or ""), reason


KIDS = b"<< /Type /Pages /Kids [%s] /Count %d >>"
PDFS: dict[str, Callable[[], bytes]] = {
    "a loop": lambda: hostile.pdf_of_tree(KIDS % (b"3 0 R 2 0 R", 2)),
    "a loop of two": lambda: hostile.pdf_of_tree(KIDS % (b"6 0 R 3 0 R", 2), {6: KIDS % (b"2 0 R", 1)}),
    "a claim": lambda: hostile.pdf_of_tree(KIDS % (b"3 0 R", 2_000_000_000)),
    "a negative claim": lambda: hostile.pdf_of_tree(KIDS % (b"3 0 R", -5)),
    "no pages": lambda: hostile.pdf_of_tree(KIDS % (b"", 0)),
    "a million objects": lambda: hostile.pdf_of_tree(
        KIDS % (b"3 0 R", 1), dict.fromkeys(range(6, 1_000_006), b"null")
    ),
    "nested arrays": lambda: hostile.pdf_of_tree(KIDS % (b"[" * 100_000 + b"3 0 R" + b"]" * 100_000, 1)),
    "no table of objects": lambda: pdf([[(50, 700, TEXT)]]).replace(b"startxref", b"startnothing"),
}  # fmt: skip


@pytest.mark.parametrize("name", PDFS)
def test_strange_pdfs_are_read_or_refused(pool: ParsingPool, name: str) -> None:
    reason, text = outcome(pool, "a.pdf", PDFS[name]())
    assert reason or text
    assert "not read within" not in (reason or "")
