from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data import shared
from tgrag.ingest.encoding import decode
from tgrag.ingest.plain import read_plain
from tgrag.records import Element

WRAPPED = """\
     Я ехал на перекладных из Тифлиса. Вся поклажа моей тележки  состояла  из
одного небольшого чемодана, который до половины был набит путевыми записками
о Грузии. Большая часть из них, к счастию для вас, потеряна, а чемодан с ос-
тальными вещами, к счастью для меня, остался цел.
     - Вы едете в Ставрополь?
     - Так-с точно, - отвечал он.
"""


def texts(text: str) -> list[str]:
    return [element.text for element in read_plain(text)[1]]


def headings(name: str) -> list[tuple[int | None, str]]:
    path = next(shared("ruslit_ru").rglob(name))
    return [(e.level, e.text) for e in read_plain(decode(path.read_bytes()))[1] if e.kind == "heading"]


def test_hard_wrapped_lines_are_joined_and_indents_part_paragraphs() -> None:
    paragraphs = texts(WRAPPED)
    assert len(paragraphs) == 3
    assert paragraphs[0].startswith(
        "Я ехал на перекладных из Тифлиса. Вся поклажа моей тележки состояла из одного"
    )
    assert "а чемодан с остальными вещами" in paragraphs[0]
    assert paragraphs[1] == "- Вы едете в Ставрополь?"


def test_hard_wrapped_paragraphs_without_indents_part_at_short_lines() -> None:
    text = (
        "The quick brown fox jumped over the lazy dog, and the dog did not so much as\n"
        "look up from its sleep in the warm afternoon.\n"
        "The fox was offended by this and went away to find another dog that would pay\n"
        "some attention.\n"
    )
    assert [paragraph[:8] for paragraph in texts(text)] == ["The quic", "The fox "]


def test_one_paragraph_a_line_stays_so() -> None:
    lines = [
        "Долгая строка, " * 20 + "конец.",
        "— Что?",
        "— Ничего.",
        "Другая долгая строка, " * 20 + "конец.",
    ]
    assert texts("\n".join(lines)) == [" ".join(line.split()) for line in lines]


def test_verse_is_kept_as_lines() -> None:
    verse = ["А в ненастные дни", "Собирались они", "Часто;", "Гнули — бог их прости! —", "От пятидесяти"]
    assert texts("\n".join(verse)) == verse


def test_title_is_found_and_stays_in_the_text() -> None:
    title, elements = read_plain("Александр Пушкин\nПИКОВАЯ ДАМА\n\nI\n\nОднажды играли в карты.\n")
    assert title == "ПИКОВАЯ ДАМА"
    assert [element.kind for element in elements] == ["paragraph", "paragraph", "heading", "paragraph"]
    assert read_plain("Михаил Лермонтов. Герой нашего времени\n\n\nТекст.")[0] == "Герой нашего времени"
    assert read_plain("Jane Austen\nPride and Prejudice\n\nChapter 1\n\nIt is.")[0] == "Pride and Prejudice"
    assert read_plain("It was a dark and stormy night; the rain fell in torrents.")[0] is None


def test_invisible_characters_go_and_letters_are_composed() -> None:
    assert texts("\ufeffпри\u00adвет, и\u0306од\u200b") == ["привет, йод"]


def test_a_latin_letter_inside_a_cyrillic_word_is_mended() -> None:
    assert texts("Амоксицилiн лiкує, а Latin стоїть; ABCшка.") == [
        "Амоксицилін лікує, а Latin стоїть; ABCшка."
    ]


def test_headings_of_the_queen_of_spades() -> None:
    expected = [(6, numeral) for numeral in ("I", "II", "III", "IV", "V", "VI")] + [(3, "ЗАКЛЮЧЕНИЕ")]
    assert headings("Пиковая дама.txt") == expected


def test_headings_of_the_captains_daughter() -> None:
    titles = (
        "I. СЕРЖАНТ ГВАРДИИ, II. ВОЖАТЫЙ, III. КРЕПОСТЬ, IV. ПОЕДИНОК, V. ЛЮБОВЬ, VI. ПУГАЧЕВЩИНА, VII. ПРИСТУП,"
        " VIII. НЕЗВАНЫЙ ГОСТЬ, IX. РАЗЛУКА, X. ОСАДА ГОРОДА, XI. МЯТЕЖНАЯ СЛОБОДА, XII. СИРОТА, XIII. АРЕСТ, XIV. СУД"
    )
    expected = [(5, f"ГЛАВА {title}") for title in titles.split(", ")]
    assert headings("Капитанская дочка.txt") == [*expected, (3, "ПРИЛОЖЕНИЕ. ПРОПУЩЕННАЯ ГЛАВА *")]


def test_headings_of_a_hero_of_our_time() -> None:
    assert headings("Герой нашего времени.txt") == [
        (3, "Часть первая"),
        (6, "I. БЭЛА"),
        (6, "II. МАКСИМ МАКСИМЫЧ"),
        (5, "ЖУРНАЛ ПЕЧОРИНА"),
        (6, "Предисловие"),
        (6, "I. ТАМАНЬ"),
        (3, "Часть вторая (Окончание журнала Печорина)"),
        (6, "II. КНЯЖНА МЕРИ"),
        (6, "III. ФАТАЛИСТ"),
    ]


LINES = st.sampled_from(
    [
        "",
        "",
        "Глава I",
        "СЕРЖАНТ ГВАРДИИ",
        "II",
        "Часть вторая",
        "Эпилог",
        "Название главы",
        "— Да, — сказал он.",
        "Он вышел из дома и долго шел по дороге, не думая ни о чем, пока не стало",
        "совсем темно и холодно.",
        "     Новый абзац начинается с отступа и тянется до самого края страницы, где",
        "12",
    ]
)


@settings(deadline=None)
@given(st.lists(LINES, max_size=30))
def test_no_word_is_lost_or_doubled(lines: list[str]) -> None:
    elements: tuple[Element, ...] = read_plain("\n".join(lines))[1]
    written = [word.strip(".:") for word in " ".join(lines).split()]
    read = [word.strip(".:") for word in " ".join(element.text for element in elements).split()]
    assert read == written


def test_real_books_cut_at_a_heading_parse_alike() -> None:
    for path in sorted(shared("ruslit_ru").rglob("*.txt")):
        text = decode(path.read_bytes())
        whole = read_plain(text)[1]
        for line in ("ГЛАВА VII\n", "Часть вторая\n", "\nIII\n"):
            at = text.find(line)
            if at > 0:
                beginning = read_plain(text[:at])[1]
                assert len(beginning) > 50
                assert whole[: len(beginning)] == beginning


def test_regulations_below_a_title_keep_their_numbered_chapters() -> None:
    point = "Работа ведется по порядку, который утвержден, и никто не вправе его нарушить по своей воле."
    lines = ["ПОЛОЖЕНИЕ", "о порядке работы"]
    for chapter, title in enumerate(["Общие положения", "Порядок работы", "Ответственность"], 1):
        lines += [f"{chapter}. {title}", *(f"{chapter}.{n}. {point}" for n in range(1, 6))]
    found = [e.text for e in read_plain("\n\n".join(lines))[1] if e.kind == "heading"]
    assert found == ["1. Общие положения", "2. Порядок работы", "3. Ответственность"]


LONG = "Дорога шла берегом, и лошади, почуяв жилье, пошли скорее. " * 12


def plain_headings(*blocks: str) -> list[str]:
    return [e.text for e in read_plain("\n\n".join(blocks))[1] if e.kind == "heading"]


def test_what_is_the_same_below_every_number_is_no_title() -> None:
    chapters = [text for n in range(1, 5) for text in (f"Глава {n}", "Да", "Нет", LONG)]
    assert plain_headings(*chapters) == [f"Глава {n}" for n in range(1, 5)]


def test_a_timetable_is_no_chapter() -> None:
    day = [f"{thing} {hour}" for hour, thing in enumerate(["Зарядка", "Завтрак", "Урок", "Обед"], 10)]
    assert plain_headings(*([*day, LONG] * 3)) == []
