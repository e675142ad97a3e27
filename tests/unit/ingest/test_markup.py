from tests.unit.ingest.samples import RUSSIAN
from tgrag.ingest.markup import read_html, read_markdown


def rows(html: str) -> list[tuple[str, int | None, str]]:
    return [(e.kind, e.level, e.text) for e in read_html(html.encode()).elements]


def test_blocks_headings_lists_and_tables() -> None:
    html = """<html lang="uk"><head><title>Назва</title><style>p {}</style></head><body>
      <h1>Заголовок</h1><p>Перший <b>аб</b>зац — «так».<br>Другий рядок</p>
      <ul><li>раз<ul><li>два</li></ul></li></ul>
      <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2 <i>3</i></td></tr></table>
      <h3>Менший</h3>хвіст<script>x()</script></body></html>"""
    assert rows(html) == [
        ("heading", 1, "Заголовок"),
        ("paragraph", None, "Перший абзац — «так».\nДругий рядок"),
        ("list_item", None, "раз"),
        ("list_item", None, "два"),
        ("table", None, "A | B\n1 | 2 3"),
        ("heading", 3, "Менший"),
        ("paragraph", None, "хвіст"),
    ]
    markup = read_html(html.encode())
    assert (markup.title, markup.language) == ("Назва", "uk")


def test_a_table_that_lays_out_a_page_is_read_as_its_blocks() -> None:
    assert rows("<table><tr><td><h2>Меню</h2></td><td><p>Текст.</p></td></tr></table>") == [
        ("heading", 2, "Меню"),
        ("paragraph", None, "Текст."),
    ]


def test_unmarked_chapter_lines_become_headings() -> None:
    assert rows("<p><b>Глава первая</b></p><p>Текст.</p>")[0] == ("heading", 5, "Глава первая")


def test_html_without_tags_is_plain_text() -> None:
    assert rows(f"Глава I\n\n{RUSSIAN}\n")[0][0] == "heading"


def test_hidden_parts_and_preformatted_text() -> None:
    html = "<div style='display: none'>тайна</div><p hidden>тайна</p><pre>def f():\n    return 1\n</pre>"
    assert rows(html) == [("paragraph", None, "def f():\n    return 1")]


PAGE = """<html><body><header><a href="/">Сайт</a><nav><ul><li><a href="/a">Главная</a></li></ul></nav></header>
<div class="cookie-banner">Мы используем cookie <button>Хорошо</button></div>
<main><nav class="toc"><h2>Содержание</h2><ul><li><a href="#a">Глава 1</a></li></ul></nav>
<article><header><h1>Глава 1</h1></header>
<p>Слово<sup><a href="#n1">[1]</a></sup> далее, <a href="#x">12</a>.</p>
<div class="share-buttons"><a href="v">VK</a> <a href="t">TG</a></div>
<div class="menu">Меню столовой: борщ, <a href="k">каша</a>.</div>
<section role="doc-endnotes"><ol><li>Сноска <a role="doc-backlink" href="#x">↩</a></li></ol></section>
<footer>Автор статьи</footer></article></main><aside>Реклама</aside><footer>© 2020</footer></body></html>"""


def test_what_a_site_puts_around_the_text_is_dropped_in_its_place() -> None:
    elements = read_html(PAGE.encode()).elements
    assert [(e.drop.kind if e.drop else e.kind, e.text) for e in elements] == [
        ("boilerplate", "Сайт"),
        ("boilerplate", "Главная"),
        ("boilerplate", "Мы используем cookie Хорошо"),
        ("contents", "Содержание"),
        ("contents", "Глава 1"),
        ("heading", "Глава 1"),
        ("paragraph", "Слово далее, 12."),
        ("boilerplate", "VK TG"),
        ("paragraph", "Меню столовой: борщ, каша."),
        ("notes", "Сноска"),
        ("paragraph", "Автор статьи"),
        ("boilerplate", "Реклама"),
        ("boilerplate", "© 2020"),
    ]


def test_a_page_without_a_main_part_keeps_its_head_and_foot() -> None:
    html = "<body><header><p>Письмо</p></header><p>Текст.</p><footer><p>Подпись</p></footer></body>"
    assert [e.drop for e in read_html(html.encode()).elements] == [None, None, None]


def test_footnotes_of_markdown_are_kept_and_their_marks_cut() -> None:
    elements = read_markdown("Слово[^1] далее.\n\n[^1]: Примечание к слову\n").elements
    assert [(e.kind, e.text) for e in elements] == [
        ("paragraph", "Слово далее."),
        ("list_item", "Примечание к слову"),
    ]


def test_markdown() -> None:
    matter = "---\ntitle: Довідник\nlang: uk\n---\n"
    text = matter + "# Перші *кроки* { #first }\n\nТекст **жир**ний.\n\n- раз\n\n|a|b|\n|-|-|\n|1|2|\n"
    markup = read_markdown(text)
    assert (markup.title, markup.language) == ("Довідник", "uk")
    assert [(e.kind, e.level, e.text) for e in markup.elements] == [
        ("heading", 1, "Перші кроки"),
        ("paragraph", None, "Текст жирний."),
        ("list_item", None, "раз"),
        ("table", None, "a | b\n1 | 2"),
    ]


def test_markdown_nested_deeper_than_its_parser_likes_loses_nothing() -> None:
    text = "".join("  " * depth + f"- item {depth}\n" for depth in range(60))
    read = read_markdown(text)
    assert [element.text for element in read.elements] == [f"item {depth}" for depth in range(60)]
