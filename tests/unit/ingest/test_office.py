"""Word, OpenDocument, presentations and RTF: what is printed, and nothing else."""

import io

import docx
import openpyxl
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from odfdo import Document as OpenDocument
from odfdo import DrawPage, Frame, Table
from PIL import Image
from pptx import Presentation

from tests.unit.ingest.makers import make_odt, with_part
from tgrag.ingest.parse import parse

Row = tuple[str, int | None, str | None, str]
W = nsdecls("w")


def rows(name: str, data: bytes) -> list[Row]:
    document = parse(name, data)
    assert document.status == "ok", document.reason
    return [(e.kind, e.level, e.drop.kind if e.drop else None, e.text) for e in document.elements]


def word_rows(*paragraphs: str, numbering: str = "", styles: str = "", notes: str = "") -> list[Row]:
    """Return what is read of a Word file with these paragraphs, each the content of a <w:p>."""
    document = docx.Document()
    for paragraph in paragraphs:
        document.element.body.insert(-1, parse_xml(f"<w:p {W}>{paragraph}</w:p>"))
    buffer = io.BytesIO()
    document.save(buffer)
    data = buffer.getvalue()
    data = with_part(data, "word/styles.xml", lambda xml: xml.replace("</w:styles>", styles + "</w:styles>"))
    if numbering:
        data = with_part(data, "word/numbering.xml", lambda _: f"<w:numbering {W}>{numbering}</w:numbering>")
    if notes:
        data = with_part(data, "word/footnotes.xml", lambda _: f"<w:footnotes {W}>{notes}</w:footnotes>")
    return rows("a.docx", data)


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def style(identity: str, name: str, properties: str = "", based_on: str = "Normal") -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{identity}"><w:name w:val="{name}"/>'
        f'<w:basedOn w:val="{based_on}"/><w:pPr>{properties}</w:pPr></w:style>'
    )


def styled(identity: str, text: str) -> str:
    return f'<w:pPr><w:pStyle w:val="{identity}"/></w:pPr>{run(text)}'


def test_headings_are_told_by_style_name_and_outline_level() -> None:
    outline = '<w:outlineLvl w:val="{}"/>'
    styles = (
        style("1", "Заголовок 1")
        + style("a5", "Мой заголовок", outline.format(1))
        + style("a6", "Внук", based_on="a5")
        + style("a8", "Заголовок статьи")
        + style("a9", "Заголовок таблицы")
        + style("a7", "Просто текст", outline.format(9))
    )
    assert word_rows(
        styled("1", "Общие положения"),
        styled("a5", "Термины"),
        styled("a6", "Определения"),
        f"<w:pPr>{outline.format(2)}</w:pPr>{run('Сам по себе')}",
        styled("a7", "Текст."),
        styled("a8", "Статья 5. Ответственность"),
        styled("a9", "Таблица 1. Цены"),
        run("Не заголовок", "<w:b/>"),
        styles=styles,
    ) == [
        ("heading", 1, None, "Общие положения"),
        ("heading", 2, None, "Термины"),
        ("heading", 2, None, "Определения"),
        ("heading", 3, None, "Сам по себе"),
        ("paragraph", None, None, "Текст."),
        ("heading", 7, None, "Статья 5. Ответственность"),
        ("paragraph", None, None, "Таблица 1. Цены"),
        ("paragraph", None, None, "Не заголовок"),
    ]


def level(depth: int, format: str, text: str, style_name: str = "") -> str:
    linked = f'<w:pStyle w:val="{style_name}"/>' if style_name else ""
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{format}"/>{linked}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def listed(number: int, depth: int, text: str) -> str:
    return (
        f'<w:pPr><w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr></w:pPr>{run(text)}'
    )


NUMBERING = (
    '<w:abstractNum w:abstractNumId="0">'
    + level(0, "decimal", "Статья %1.", "Art")
    + level(1, "decimal", "%1.%2.")
    + level(2, "russianLower", "%3)")
    + level(3, "upperRoman", "%4")
    + '</w:abstractNum><w:abstractNum w:abstractNumId="1">'
    + level(0, "bullet", "•")
    + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/>'
    "</w:lvlOverride></w:num>"
)


def test_automatic_numbers_are_written_out() -> None:
    article = style("Art", "Art", '<w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/>')
    assert word_rows(
        styled("Art", "Предмет"),
        listed(1, 1, "Первая часть"),
        listed(1, 2, "пункт"),
        listed(1, 2, "ещё"),
        run("Обычный абзац"),
        listed(1, 1, "Вторая часть"),
        listed(1, 2, "снова пункт"),
        listed(1, 3, "римский"),
        styled("Art", "Сроки"),
        listed(1, 1, "Часть"),
        listed(2, 0, "просто точка"),
        listed(3, 0, "С начала"),
        numbering=NUMBERING,
        styles=article,
    ) == [
        ("heading", 1, None, "Статья 1. Предмет"),
        ("list_item", None, None, "1.1. Первая часть"),
        ("list_item", None, None, "а) пункт"),
        ("list_item", None, None, "б) ещё"),
        ("paragraph", None, None, "Обычный абзац"),
        ("list_item", None, None, "1.2. Вторая часть"),
        ("list_item", None, None, "а) снова пункт"),
        ("list_item", None, None, "I римский"),
        ("heading", 1, None, "Статья 2. Сроки"),
        ("list_item", None, None, "2.1. Часть"),
        ("list_item", None, None, "просто точка"),
        ("list_item", None, None, "Статья 7. С начала"),
    ]


def test_bold_numbered_lines_are_headings_but_not_in_a_list_of_them() -> None:
    def bold(depth: int, text: str) -> str:
        return listed(4, depth, "").replace(run(""), run(text, "<w:b/>"))

    numbering = (
        '<w:abstractNum w:abstractNumId="0">'
        + level(0, "decimal", "%1.")
        + level(1, "decimal", "%1.%2.")
        + '</w:abstractNum><w:num w:numId="4"><w:abstractNumId w:val="0"/></w:num>'
    )
    assert word_rows(
        bold(0, "Предмет договора"),
        bold(1, "Услуги"),
        run("Исполнитель оказывает услуги."),
        listed(4, 0, "ПРАВА СТОРОН"),
        run("Стороны вправе."),
        bold(0, "Требования к сроку:"),
        run("Три дня."),
        bold(0, "Иванов"),
        bold(0, "Петров"),
        listed(4, 0, "Просто пункт"),
        run("Конец."),
        numbering=numbering,
    ) == [
        ("heading", 8, None, "1. Предмет договора"),
        ("heading", 9, None, "1.1. Услуги"),
        ("paragraph", None, None, "Исполнитель оказывает услуги."),
        ("heading", 8, None, "2. ПРАВА СТОРОН"),
        ("paragraph", None, None, "Стороны вправе."),
        ("list_item", None, None, "3. Требования к сроку:"),
        ("paragraph", None, None, "Три дня."),
        ("list_item", None, None, "4. Иванов"),
        ("list_item", None, None, "5. Петров"),
        ("list_item", None, None, "6. Просто пункт"),
        ("paragraph", None, None, "Конец."),
    ]


def typed(text: str) -> str:
    return f"<w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    ("numbers", "n_found"), [((1, 2, 3, 4), 4), ((1, 2), 0), ((7, 3, 5), 0), ((1941, 1942, 1943), 0)]
)
def test_bold_lines_with_typed_numbers_that_count_are_headings(
    numbers: tuple[int, ...], n_found: int
) -> None:
    text = f"<w:r><w:t>{'Прибор включают и ждут. ' * 8}</w:t></w:r>"
    paragraphs = [part for number in numbers for part in (typed(f"{number}. Порядок работы"), text)]
    kinds = [kind for kind, *_ in word_rows(*paragraphs)]
    assert kinds.count("heading") == n_found


def test_bold_typed_numbers_without_text_between_are_a_list() -> None:
    kinds = [kind for kind, *_ in word_rows(*(typed(f"{number}. Порядок работы") for number in range(1, 6)))]
    assert "heading" not in kinds


def test_changes_are_accepted() -> None:
    deleted_end = '<w:pPr><w:rPr><w:del w:id="4"/></w:rPr></w:pPr>'
    assert word_rows(
        run("Ста") + f'<w:ins w:id="1">{run("ло ")}</w:ins><w:del w:id="2"><w:r><w:delText>было</w:delText></w:r></w:del>'
        + f'<w:moveFrom w:id="3">{run("ушло")}</w:moveFrom>' + run("лучше."),
        deleted_end + run("Абзац "),
        run("продолжен."),
    ) == [("paragraph", None, None, "Стало лучше."), ("paragraph", None, None, "Абзац продолжен.")]  # fmt: skip


def test_hidden_text_goes_and_links_are_text() -> None:
    assert word_rows(
        run("Вид") + run("тайное", "<w:vanish/>") + f"<w:hyperlink>{run('но', '<w:b/>')}</w:hyperlink>"
    ) == [("paragraph", None, None, "Видно")]


def test_notes_follow_the_paragraph_that_refers_to_them() -> None:
    notes = (
        f'<w:footnote w:type="separator" w:id="0"><w:p>{run("---")}</w:p></w:footnote>'
        f'<w:footnote w:id="2"><w:p>{run("О ")}{run("том", "<w:i/>")}</w:p></w:footnote>'
    )
    assert word_rows(
        run("Слово") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + run(" дальше."), run("Конец."), notes=notes
    ) == [
        ("paragraph", None, None, "Слово дальше."),
        ("footnote", None, None, "О том"),
        ("paragraph", None, None, "Конец."),
    ]  # fmt: skip


FIELD = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'


@pytest.mark.parametrize("by", ["field", "style"])
def test_contents_are_dropped_with_their_title(by: str) -> None:
    instruction = '<w:r><w:instrText> TOC \\o "1-3" </w:instrText></w:r>'
    first = run("1 Предмет") + "<w:r><w:tab/></w:r>" + run("3")
    last = run("Глава 2") + "<w:r><w:tab/></w:r>" + run("9")
    if by == "field":
        first = FIELD.format("begin") + instruction + FIELD.format("separate") + first
        last += FIELD.format("end")
    else:
        first, last = (f'<w:pPr><w:pStyle w:val="toc"/></w:pPr>{line}' for line in (first, last))
    styles = style("toc", "toc 1") if by == "style" else ""
    assert word_rows(run("Содержание"), first, last, run("Текст."), run("1. Предмет"), styles=styles) == [
        ("paragraph", None, "contents", "Содержание"),
        ("paragraph", None, "contents", "1 Предмет 3"),
        ("paragraph", None, "contents", "Глава 2 9"),
        ("paragraph", None, None, "Текст."),
        ("heading", 8, None, "1. Предмет"),
    ]


def test_heads_and_feet_of_pages_are_dropped() -> None:
    document = docx.Document()
    document.add_paragraph("Текст.")
    document.sections[0].header.paragraphs[0].text = "Колонтитул"
    buffer = io.BytesIO()
    document.save(buffer)
    assert rows("a.docx", buffer.getvalue()) == [
        ("paragraph", None, None, "Текст."),
        ("paragraph", None, "page_furniture", "Колонтитул"),
    ]


ODT_BODY = """<text:tracked-changes><text:changed-region><text:deletion><text:p>вычеркнуто</text:p></text:deletion>
</text:changed-region></text:tracked-changes>
<text:table-of-content><text:index-body><text:index-title><text:p>Зміст</text:p></text:index-title>
<text:p>Розділ<text:tab/>1</text:p></text:index-body></text:table-of-content>
<text:h text:outline-level="2" text:is-list-header="true">Розділ</text:h>
<text:p>Текст<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>
<text:p>При<text:span>мітка</text:span></text:p></text:note-body></text:note> далі.<draw:frame><draw:text-box>
<text:p>У рамці</text:p></draw:text-box></draw:frame></text:p>
<text:list text:style-name="Numbering_20_1"><text:list-item><text:p>раз</text:p><text:list><text:list-item>
<text:p>вкладене</text:p></text:list-item></text:list><text:p>після</text:p></text:list-item><text:list-item>
<text:p>два</text:p></text:list-item></text:list>
<text:section text:name="s"><text:p>У секції</text:p></text:section>"""
LIST_STYLE = """<text:list-style style:name="Numbering_20_1">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix=")"/>
<text:list-level-style-number text:level="2" style:num-format="1" style:num-suffix="." text:display-levels="2"/>
</text:list-style></office:automatic-styles>"""


def test_opendocument_text() -> None:
    def change(xml: str) -> str:
        xml = xml.replace("<office:automatic-styles/>", f"<office:automatic-styles>{LIST_STYLE}")
        assert LIST_STYLE in xml and "</office:text>" in xml
        return xml.replace("</office:text>", ODT_BODY + "</office:text>")

    made = with_part(make_odt([]), "content.xml", lambda xml: change(_opened(xml)))
    assert rows("a.odt", made) == [
        ("paragraph", None, "contents", "Зміст"),
        ("paragraph", None, "contents", "Розділ 1"),
        ("heading", 2, None, "Розділ"),
        ("paragraph", None, None, "Текст далі."),
        ("footnote", None, None, "Примітка"),
        ("paragraph", None, None, "У рамці"),
        ("list_item", None, None, "1) раз"),
        ("list_item", None, None, "1.1. вкладене"),
        ("list_item", None, None, "після"),
        ("list_item", None, None, "2) два"),
        ("paragraph", None, None, "У секції"),
    ]


def _opened(xml: str) -> str:
    return xml.replace("<office:text/>", "<office:text></office:text>")


def test_slides_are_pages_with_their_notes() -> None:
    presentation = Presentation()
    for title, text, note in (("Перший", "раз", "Сказати це"), ("Второй", "два", "")):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text_frame.text = text
        if note:
            slide.notes_slide.notes_text_frame.text = note
    buffer = io.BytesIO()
    presentation.save(buffer)
    document = parse("a.pptx", buffer.getvalue())
    assert [(e.kind, e.level, e.fragments[0].page, e.text) for e in document.elements] == [
        ("heading", 1, 1, "Перший"),
        ("list_item", None, 1, "раз"),
        ("footnote", None, 1, "Сказати це"),
        ("heading", 1, 2, "Второй"),
        ("list_item", None, 2, "два"),
    ]
    assert document.n_pages == 2


def test_opendocument_sheets_and_slides() -> None:
    sheets, slides = OpenDocument("spreadsheet"), OpenDocument("presentation")
    table = Table("Ціни")
    table.set_values([["Товар", "Ціна"], ["Хліб", 25]])
    sheets.body.clear()
    sheets.body.append(table)
    slides.body.clear()
    for number in (1, 2):
        slide = DrawPage(f"p{number}", name=f"p{number}")
        title = Frame.text_frame(f"Слайд {number}")
        title.set_attribute("presentation:class", "title")
        slide.append(title)
        slide.append(Frame.text_frame(["Текст."]))
        slides.body.append(slide)
    assert rows("a.ods", _saved(sheets)) == [
        ("heading", 1, None, "Ціни"),
        ("table", None, None, "Товар | Ціна\nХліб | 25"),
    ]
    document = parse("a.odp", _saved(slides))
    assert [(e.kind, e.fragments[0].page, e.text) for e in document.elements] == [
        ("heading", 1, "Слайд 1"),
        ("paragraph", 1, "Текст."),
        ("heading", 2, "Слайд 2"),
        ("paragraph", 2, "Текст."),
    ]
    assert document.n_pages == 2


def _saved(document: OpenDocument) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_rtf_is_read_as_plain_text() -> None:
    data = (
        rb"{\rtf1\ansi\ansicpg1251{\fonttbl{\f0\fcharset204 Times;}}\f0 \'c3\'eb\'e0\'e2\'e0 I\par"
        rb" \'cf\'f0\'e8\'e2\'e5\'f2, \b \'ec\b0\'e8\'f0 \u8212\'97 \'ab\'e4\'e0\'bb.{\footnote x}\par}"
    )
    assert rows("a.rtf", data) == [
        ("heading", 5, None, "Глава I"),
        ("paragraph", None, None, "Привет, мир — «да»."),
    ]
    assert "footnotes" in parse("a.rtf", data).warnings[0]


@pytest.mark.parametrize("place", [(12, 6), (1_000_000, 16_000)])
def test_tables_far_apart_in_a_sheet_are_read_alike(place: tuple[int, int]) -> None:
    book, buffer = openpyxl.Workbook(), io.BytesIO()
    row, column = place
    sheet = book.active
    sheet.append(["Имя", "Цена"])
    sheet.append(["болт", 12])
    sheet.cell(row, column, "Вместе")
    sheet.merge_cells(start_row=row, end_row=row, start_column=column, end_column=column + 1)
    sheet.cell(row + 1, column, "левая")
    sheet.cell(row + 1, column + 1, "правая")
    book.save(buffer)
    assert [row[3] for row in rows("a.xlsx", buffer.getvalue())] == [
        "Sheet",
        "Имя | Цена\nболт | 12",
        "Вместе",
        "левая | правая",
    ]


def test_a_cell_that_spans_a_thousand_million_columns_is_read() -> None:
    document = docx.Document()
    table = document.add_table(2, 2)
    for index, cell in enumerate(("хлеб", "соль", "мёд", "вода")):
        table.cell(index // 2, index % 2).text = cell
    span = parse_xml(f'<w:gridSpan {W} w:val="1000000000"/>')
    table.cell(0, 0)._tc.get_or_add_tcPr().append(span)
    buffer = io.BytesIO()
    document.save(buffer)
    assert rows("a.docx", buffer.getvalue()) == [("table", None, None, "хлеб | соль\nмёд | вода")]


def test_a_picture_that_cannot_be_read_does_not_refuse_the_text_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError

    document = docx.Document()
    picture = io.BytesIO()
    Image.new("L", (4, 4)).save(picture, "PNG")
    paragraph = document.add_paragraph("До. ")
    paragraph.add_run().add_picture(picture)
    paragraph.add_run("После.")
    box = (
        f'<w:p {W}><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:imagedata/><v:textbox>'
        "<w:txbxContent><w:p><w:r><w:t>В рамке.</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict>"
        "</w:r></w:p>"
    )
    document.element.body.insert(-1, parse_xml(box))
    buffer = io.BytesIO()
    document.save(buffer)
    monkeypatch.setattr("docling.backend.msword_backend.Image.open", fail)
    assert [text for *_, text in rows("a.docx", buffer.getvalue())] == ["До. После.", "В рамке."]
