from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgrag.chunk.sentences import sentences

# A bar marks each boundary.
MARKED = {
    "ru": [
        "Германн дрожал.|Часы пробили два.",
        "— Что ты сделал, Сурин? — спросил хозяин.|— Проиграл.",
        "Родился А. С. Пушкин в Москве.|Жил там же.",
        "Я не играю никогда-с.|Вот и все.",
        "Что вы нашли в нем.|— Сколько? — спросил он.",
        "Он родился в 1799 г.|Умер он рано.",
        "В 1799 г. Пушкин родился.",
        "В 1917 г. Октябрьская революция победила.",
        "Волнение овладело им.|Карета подъехала.",
        "Завод им. Ленина закрыт.|Люди ушли.",
        "Сосед помог им.|Иван ушел, и все говорили о нем.|Марья молчала.",
        "— Кто там?|— Я.|Открой.",
        "Книги Я. Перельмана читали все.",
        "Пришли все; Иван остался.|Маша тоже.",
        "«Он с ума сошел!» — подумал Нарумов.|«Что?» — спросил он.",
        "«Прощай, — сказал он. — Не жди».|Она ушла.".replace(". — Не", ".|— Не"),
        "Нет! расчет, умеренность и трудолюбие: вот мои три карты.|Ёлка упала.",
        "Работает мотор и т. д.|Сам он, т. е. мастер, ушел (и т. п.) домой.",
        "Он дал 5 тыс. руб. за дом и 3 руб. 50 коп. сверху.|Дом стоит на ул. Ленина, д. 5.",
        "См. рис. 5 и ст. 12 п. 3 закона от 5 мая 2013 г. № 44-ФЗ.|Закон действует.",
        "Нагрели до 30 °C.|Вода кипит при 100 °C.|Пар выходит.",
        "Витамин С.|Группа крови важна.",
        "Это работает! 🎉|Дальше проще.",
        "Их было много.[12] Он ушел.[нужен источник] Все забыли.".replace("] ", "]|"),
        "Пришли 1990-е гг.|Жизнь изменилась.",
        "Статья 5.1. Нарушение порядка.|Штраф велик.",
        "«Уехал, и т. д.»... — сказал он.|«Ладно».",
        "Адрес: http://example.org/a.b?c=1.|Файл app/main.py. Там код.".replace("py. ", "py.|"),
    ],
    "uk": [
        "Ісус пійшов у Галилею.|Там навчав.",
        "Зберігати при 25 °C.|Умови відомі.",
        "— Хто там?|— Це я, Петро.",
        "Тарас Г. Шевченко писав; Він малював.",
        "Він народився 1814 р. у селі.|У 1861 р. Шевченко помер.",
        "Живе в м. Києві, вул. Хрещатик, буд. 5.|Там гарно.",
        "Україна, 03134, м. Київ, вул. Миру, 17.|Пишіть нам.",
        "Кількість становить 5 мл.|2 таблетки на добу.",
        "Див. розділ 5, напр. рис. 3 і табл. 2 та ін.|Вони корисні.",
        "До 300 р. до н. е. тут жили люди.|Потім пішли.",
        "Коли б ви знали, то прийшли б.|Такі слова.",
        "«Хто там?» — спитав він.|— Я, — відповіла вона.",
        "Закон ст. 5 ч. 2 діє.|Є й інші.",
    ],
    "en": [
        "Mr. Smith went home.|He slept.",
        "I met Mrs. Dalloway and Dr. Jekyll at St. James's Park.|It rained.",
        "J. R. R. Tolkien wrote it.|We read it.",
        "The U.S. Navy sent the Abraham Lincoln.|It sank.",
        "He lived in the U.S.|It was good, e.g. Boston, i.e. the city.",
        '"Where are you going?" he asked.|"Home," I said.',
        "“Well?” said the captain.|“Well, sir, he is gone.”|He turned away.",
        "“Get up!” I shouted.|“Why?” Ned Land put in.|“Look!”",
        "“Sir, I repeat: it is infinite.|The pumps have strength.|They hold.”|He left.",
        "See vol. 2, p. 45 for more.|Now.",
        "At Lat. 20° N. we stopped.|The sea was calm.",
        "Wait... what is that?|It moves...|Then nothing.",
        "Neither Ned nor I.|The food was good.",
        "John I. Smith and Henry M. Shreve met.|They talked.",
        "It ended World War I.|New buildings rose on Dec. 10, 1919.",
        "Acme Inc. Robotics grew.|Acme Ltd.|It fell at 5 p.m.|Then it rose.",
        "It grew.[citation needed] However, it fell.".replace("] ", "]|"),
        "He was ill.|John came from Los Angeles, CA.|Mary stayed in Ill. The rest left.".replace(
            "Ill. The", "Ill.|The"
        ),
        "CHAPTER VIII. TOBACCO.|It harms.",
        "What is it? 24. Why?|25. How?".replace("? 24", "?|24"),
        "He came in 1902.|200 men left.|iPhone sales rose.",
        "He bought bread, milk, etc.|The shop (on Main St.) closed.",
    ],
}


@pytest.mark.parametrize(
    ("language", "marked"), [(lang, text) for lang, texts in MARKED.items() for text in texts]
)
def test_boundaries(language, marked):
    parts = marked.split("|")
    text = " ".join(parts)
    assert [text[a:b].strip() for a, b in sentences(text, language)] == parts


def test_no_sentence_crosses_a_blank_line():
    for language in ("ru", "uk", "en"):
        text = "без точки\n\nа это, дальше"
        assert [text[a:b] for a, b in sentences(text, language)] == ["без точки\n\n", "а это, дальше"]


SIGNS = "аАяЯbBI.!?…;:—-«»“”()[]\" '0°CгJ№"
LANGUAGE = st.sampled_from(["ru", "uk", "en"])
ANY_TEXT = (
    st.text(alphabet=st.sampled_from(SIGNS + "\n\t"), max_size=80)
    | st.text(max_size=60)
    | st.sampled_from([text.replace("|", " ") for texts in MARKED.values() for text in texts])
)
PARAGRAPH = st.text(alphabet=st.sampled_from(SIGNS), max_size=60).filter(str.strip)


@given(ANY_TEXT, LANGUAGE)
def test_spans_partition_the_text(text, language):
    spans = sentences(text, language)
    assert "".join(text[a:b] for a, b in spans) == text
    assert all(a < b for a, b in spans)
    assert all(b == c for (_, b), (c, _) in pairwise(spans))
    assert not any("\n\n" in text[a:b].strip() for a, b in spans)


@given(st.lists(PARAGRAPH, min_size=1, max_size=4), LANGUAGE)
def test_paragraphs_are_split_each_by_itself(paragraphs, language):
    """Hence what is added behind changes nothing before, and what is edited changes its own paragraph only."""
    paragraphs = [paragraph.strip() for paragraph in paragraphs]
    alone = [paragraph[a:b] for paragraph in paragraphs for a, b in sentences(paragraph, language)]
    text = "\n\n".join(paragraphs)
    assert [text[a:b].removesuffix("\n\n") for a, b in sentences(text, language)] == alone


@given(st.integers(0, 60), LANGUAGE)
def test_far_words_do_not_matter(n, language):
    """A boundary depends on its own sentence and on the next words only, not on what stands before or behind."""
    inside = {
        "ru": "Это был г. Иванов. Он ушел.",
        "uk": "Це був п. Іванов. Він пішов.",
        "en": "Dr. Ivanov. He left.",
    }
    text = inside[language]
    cuts = {a for a, _ in sentences(text, language)}
    around = {"ru": "Он был тут. ", "uk": "Він був тут. ", "en": "He was here. "}[language] * n
    longer = around + text + " " + around
    found = {a - len(around) for a, _ in sentences(longer, language)}
    assert {cut for cut in found if 0 <= cut < len(text)} == cuts


@pytest.mark.parametrize("unit", ["; ", "слово ", ".", ". ", ".)", '." ', "А. ", "1. ", "\n ", ".[а", "! А"])
def test_long_runs_are_read_in_one_go(unit):
    text = unit * (200_000 // len(unit))
    for language in ("ru", "en"):
        spans = sentences(text, language)
        assert (spans[0][0], spans[-1][1]) == (0, len(text))
