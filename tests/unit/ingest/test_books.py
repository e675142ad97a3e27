"""EPUB, FictionBook and TEI."""

from collections.abc import Callable

import pytest

from tests.data import shared
from tests.unit.ingest.samples import CONTAINER, RUSSIAN, epub, fb2, page, zipped
from tgrag.ingest.headings import CHAPTER, PART, SECTION
from tgrag.ingest.parse import parse
from tgrag.records import ParsedDocument


def shape(document: ParsedDocument) -> list[tuple[int | None, str]]:
    assert document.status == "ok", document.reason
    return [(element.level, element.text) for element in document.elements if not element.drop]


def dropped(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(element.drop.kind, element.text) for element in document.elements if element.drop]


METADATA = (
    '<dc:title id="t">Война и мир</dc:title><dc:language>ru-RU</dc:language><dc:date>2014-05-25</dc:date>'
    '<meta id="c" property="belongs-to-collection">Эпопея</meta>'
    '<meta refines="#c" property="collection-type">series</meta>'
    '<meta refines="#c" property="group-position">2</meta>'
)


def test_epub_follows_the_spine_and_drops_what_the_publisher_added() -> None:
    pages = {
        "a": page("<h2>Глава I</h2><p>Первая.</p>"),
        "b": page('<section epub:type="chapter"><hgroup><h2>II</h2><p>Название</p></hgroup><p>Вторая<a '
                  'epub:type="noteref" href="#">1</a>&nbsp;— да.</p></section>'),
        "title": page("<h1>Титул</h1>", "titlepage frontmatter"),
        "imprint": page('<section epub:type="imprint"><p>Издательство</p></section>', "frontmatter"),
        "notes": page('<section epub:type="endnotes"><p>Сноска</p></section>', "backmatter"),
        "aside": page("<p>Не для чтения подряд</p>"),
    }  # fmt: skip
    document = parse("book.epub", epub(pages, ["title", "imprint", "b", "a", "notes", "-aside"], METADATA))
    assert shape(document) == [(2, "II. Название"), (None, "Вторая — да."), (2, "Глава I"), (None, "Первая.")]
    assert dropped(document) == [
        ("boilerplate", "Титул"),
        ("boilerplate", "Издательство"),
        ("notes", "Сноска"),
        ("boilerplate", "Не для чтения подряд"),
    ]
    places = [element.text for element in document.elements]
    assert places.index("Издательство") < places.index("II. Название") < places.index("Сноска")
    assert (document.title, document.language, document.date) == ("Война и мир", "ru", None)
    assert (document.series_title, document.series_number) == ("Эпопея", 2)


def test_epub_series_of_calibre_and_pages_that_are_not_well_formed() -> None:
    metadata = (
        '<meta name="calibre:series" content="Хроники"/><meta name="calibre:series_index" content="3.0"/>'
    )
    document = parse(
        "book.epub", epub({"a": "<html><body><h1>Раз<br>Два</h1><p>Текст<p>Ещё"}, ["a"], metadata)
    )
    assert shape(document) == [(1, "Раз. Два"), (None, "Текст"), (None, "Ещё")]
    assert (document.series_title, document.series_number) == ("Хроники", 3)


STORY = "<p>Однажды играли в карты у конногвардейца Нарумова.</p>" * 6
LISTED_PAGES = {
    "a": page(f'<p class="title1"><b>УТРО</b></p>{STORY}<p id="i">I</p><p>Дом<br/>у реки</p>{STORY}'
              f'<p><a id="x"/>Мост</p>{STORY}'),
    "b": page(f'<div><p>Часть вторая</p></div>{STORY}<p>Ночь</p>'),
    "c": page(f"<h2>Степь</h2><p>Степь</p>{STORY}"),
}  # fmt: skip
LISTED = [("Утро", "a", 0), ("I. Дом у реки", "a#i", 1), ("Мост", "a#x", 1), ("Часть вторая", "b", 0), ("Ночь", "b", 0),
          ("Степь", "c", 0), ("Не напечатано", "c", 1)]  # fmt: skip


def nav() -> tuple[str, str]:
    """Return an item of the manifest and the file of an EPUB 3 navigation."""
    links = {
        depth: [f'<li><a href="text/{target.replace("#", ".xhtml#")}{"" if "#" in target else ".xhtml"}">{label}</a></li>'
                for label, target, d in LISTED if d == depth]
        for depth in (0, 1)
    }  # fmt: skip
    listed = f"<ol>{''.join(links[0])}<li><span>…</span><ol>{''.join(links[1])}</ol></li></ol>"
    return (
        '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        page(f'<nav epub:type="toc">{listed}</nav>'),
    )


def ncx() -> tuple[str, str]:
    """Return an item of the manifest and the file of an EPUB 2 navigation."""
    points = {
        depth: [f'<navPoint><navLabel><text>{label}</text></navLabel>'
                f'<content src="text/{target.replace("#", ".xhtml#")}{"" if "#" in target else ".xhtml"}"/>{{}}</navPoint>'
                for label, target, d in LISTED if d == depth]
        for depth in (0, 1)
    }  # fmt: skip
    inner = "".join(points[1]).format(*[""] * len(points[1]))
    listed = "".join(points[0]).format(inner, *[""] * len(points[0]))
    return (
        '<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
        f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{listed}</navMap></ncx>',
    )


@pytest.mark.parametrize("listing", [nav, ncx])
def test_paragraphs_that_the_list_of_chapters_names_are_headings(
    listing: Callable[[], tuple[str, str]],
) -> None:
    item, text = listing()
    name = "OPS/nav.xhtml" if "nav" in item else "OPS/toc.ncx"
    document = parse("book.epub", epub(LISTED_PAGES, ["a", "b", "c"], manifest=item, files={name: text}))
    assert [(level, text) for level, text in shape(document) if level is not None] == [
        (CHAPTER, "УТРО"),
        (SECTION, "I. Дом. у реки"),
        (SECTION, "Мост"),
        (PART, "Часть вторая"),
        (2, "Степь"),
    ]
    assert (None, "Ночь") in shape(document)  # too far from the place that its entry points to


def test_a_list_of_chapters_that_is_missing_or_broken_costs_nothing() -> None:
    item = nav()[0]
    for files in ({}, {"OPS/nav.xhtml": "<html><nav><ol><li><a href="}):
        document = parse("book.epub", epub(LISTED_PAGES, ["c"], manifest=item, files=files))
        assert (2, "Степь") in shape(document)


def test_epub_paths_cannot_leave_the_archive() -> None:
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="x" href="../../../../etc/hosts"'
        ' media-type="text/html"/></manifest><spine><itemref idref="x"/></spine></package>'
    )
    document = parse("x.epub", zipped({"META-INF/container.xml": CONTAINER, "OPS/book.opf": package}))
    assert document.status == "failed"
    assert "missing" in (document.reason or "")


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = zipped({"META-INF/container.xml": CONTAINER, "OPS/book.opf": b" " * 80_000_000})
    document = parse("bomb.epub", bomb)
    assert document.status == "failed"
    assert "unpack" in (document.reason or "")


BODY = """<title><p>Книга</p></title><epigraph><p>Эпиграф</p><text-author>Автор</text-author></epigraph>
<section><title><p>Часть</p><p>первая</p></title>
<section><title><p>Глава 1</p></title><p>Те<emphasis>кст</emphasis><a l:href="#n1" type="note">[1]</a>.</p>
<poem><stanza><v>Строка</v><v>другая</v></stanza></poem><cite><p>Цитата</p></cite></section></section>"""
INFO = """<annotation><p>О книге.</p></annotation>
<book-title>Мастер</book-title><lang>ru</lang><date value="1940-02-01">1940</date>
<sequence name="Сага" number="4"/>"""
NOTES = '<body name="notes"><section id="n1"><p>Примечание</p></section></body>'


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1251"])
def test_fictionbook(encoding: str) -> None:
    document = parse("book.fb2", fb2(BODY, INFO, NOTES, encoding))
    assert shape(document) == [
        (None, "Книга"),
        (None, "Эпиграф"),
        (None, "Автор"),
        (1, "Часть. первая"),
        (2, "Глава 1"),
        (None, "Текст."),
        (None, "Строка\nдругая"),
        (None, "Цитата"),
    ]
    assert dropped(document) == [("boilerplate", "О книге."), ("notes", "Примечание")]
    assert (document.title, document.language, document.date) == ("Мастер", "ru", "1940-02-01")
    assert (document.series_title, document.series_number) == ("Сага", 4)
    assert parse("book.fb2.zip", zipped({"book.fb2": fb2(BODY, INFO, NOTES, encoding)})) == document


def test_entities_are_refused_and_nothing_outside_is_read() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><FictionBook><body><p>&b;</p></body></FictionBook>'
    outside = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hosts">]><FictionBook><body><p>&e;</p></body></FictionBook>'
    for data in (bomb, outside):
        document = parse("x.fb2", data)
        assert document.status == "failed"
        assert "entities" in (document.reason or "")


TEI = """<?xml version="1.0"?><cesDoc><cesHeader><h.title> Біблія </h.title></cesHeader><text><body lang="uk">
<div id="b.MAT" type="book"><div id="b.MAT.1" type="chapter"><seg type="verse"> Книга родоводу. </seg>
<seg type="verse">Авраам породив.</seg></div></div>
<div id="b.MAR" type="book"><head>Від Марка</head><div type="chapter" id="b.MAR.1"><p>Початок.</p><p>Далі.</p></div></div>
</body></text></cesDoc>"""


def test_tei_books_are_on_level_zero() -> None:
    document = parse("bible.xml", TEI.encode())
    assert shape(document) == [
        (0, "MAT"),
        (1, "1"),
        (None, "Книга родоводу. Авраам породив."),
        (0, "Від Марка"),
        (1, "1"),
        (None, "Початок."),
        (None, "Далі."),
    ]
    assert (document.title, document.language) == ("Біблія", "uk")


def test_the_new_testament_has_27_books_of_260_chapters() -> None:
    path = next(shared("nt_uk").glob("*.xml"))
    levels = [level for level, _ in shape(parse(path.name, path.read_bytes()))]
    assert (levels.count(0), levels.count(1)) == (27, 260)


def test_a_real_epub() -> None:
    path = next(shared("books_en").glob("*.epub"))
    document = parse(path.name, path.read_bytes())
    titles = [text for level, text in shape(document) if level is not None]
    assert sum(title.startswith("Part ") for title in titles) == 2
    assert titles.index("Part I") < titles.index("I. A Runaway Reef") < titles.index("Part II")
    assert len(titles) == 3 + 2 + 24 + 23
    assert (document.series_title, document.series_number) == ("Voyages Extraordinaires", 6)
    everything = "\n".join(text for _, text in shape(document))
    assert "—" in everything and "“" in everything
    assert "Standard Ebooks is a volunteer" not in everything


def test_other_xml_is_refused_by_name() -> None:
    document = parse("feed.xml", f"<rss><p>{RUSSIAN}</p></rss>".encode())
    assert document.status == "failed"
    assert "<rss>" in (document.reason or "")
