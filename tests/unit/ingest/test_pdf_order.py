"""The order in which pieces of a page are read: nothing is lost, and what is fine stays as the file has it."""

from hypothesis import given
from hypothesis import strategies as st

from tgrag.ingest.page import Line
from tgrag.ingest.pdf.hyphens import seam, vocabulary
from tgrag.ingest.pdf.order import reading_order
from tgrag.ingest.pdf.rows import to_columns, to_rows
from tgrag.ingest.pdf.typography import restored


def line(text: str, left: float, top: float, width: float = 100.0, size: float = 10.0) -> Line:
    return Line(text, left, top, left + width, top + size, size)


pieces = st.builds(
    line,
    st.text("абвabc-•1 ", min_size=1, max_size=12).map(lambda text: text.strip() or "x"),
    st.floats(0, 500),
    st.floats(0, 800),
    st.floats(1, 300),
    st.floats(4, 30),
)


@given(st.lists(pieces, max_size=30))
def test_no_piece_is_lost_or_doubled(page: list[Line]) -> None:
    ordered = reading_order(page)
    assert sorted(map(id, ordered)) == sorted(map(id, page))
    rows = to_rows(ordered, 1)
    assert sum(map(len, ("".join("".join(row.cells).split()) for row in rows))) == sum(
        len("".join(piece.text.split())) for piece in page
    )
    assert [row for part in to_columns(rows) for row in part.rows] == rows


@given(st.permutations(range(12)))
def test_one_column_is_read_from_above_whatever_the_file_says(order: list[int]) -> None:
    page = [line(f"строка {index}", 50, 20 * index) for index in order]
    assert [piece.text for piece in reading_order(page)] == [f"строка {index}" for index in range(12)]


def test_a_table_given_cell_by_cell_is_not_shuffled() -> None:
    cells = [line(f"{row}.{column}.{part}", 50 + 120 * column, 60 * row + 14 * part)
             for row in range(4) for column in range(3) for part in range(3)]  # fmt: skip
    assert reading_order(cells) == cells


def test_a_form_given_row_by_row_is_not_shuffled() -> None:
    form = [
        line(text, x, 30 * row)
        for row in range(8)
        for x, text in ((50, "Назва поля:"), (300, "його значення"))
    ]
    assert reading_order(form) == form


def test_columns_beside_each_other_keep_the_order_of_the_file() -> None:
    columns = [line(f"{x} {row} слова до края", x, 20 * row, 180) for x in (50, 250) for row in range(20)]
    assert reading_order(columns) == columns
    assert [len(column.rows) for column in to_columns(to_rows(columns, 1))] == [20, 20]


def test_a_page_of_many_pieces_takes_no_longer_a_piece() -> None:
    crowded = [line(str(index), index % 100 * 8, index // 100 * 4, 4, 4) for index in reversed(range(20_000))]
    assert [piece.text for piece in reading_order(crowded)][:2] == ["0", "100"]


def test_words_are_made_whole_as_the_document_writes_them() -> None:
    words = vocabulary(["научно-популярный журнал", "сегодня пришёл", "Івано-Франківськ"])
    assert seam("он сего-", "дня был", words) == (1, "")
    assert seam("журнал научно-", "популярный", words) == (0, "")
    assert seam("при\u00ad", "ка", words) == (1, "")
    assert seam("что-", "то", words) == (0, "")
    assert seam("в Івано-", "Франківську", words) == (0, "")
    assert seam("в 1914-", "1918 годах", words) == (0, "")
    assert seam("конец строки —", "начало", words) == (0, " ")
    assert seam("просто слово", "и ещё", words) == (0, " ")


def test_characters_are_taken_from_the_print_only_where_the_letters_agree() -> None:
    assert restored('- Да, "так" - он', "— Да, “так” – он") == "— Да, “так” – он"
    assert restored("конец-", "конец\x02") == "конец-"
    assert restored("д'Артаньян", "д’Артаньян") == "д’Артаньян"
    for other in ("— Нет", "—Даа", "—Д", ""):
        assert restored("- Да", other) == "- Да"
