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
        "Волнение овладело им.|Карета подъехала.",
        "— Кто там?|— Я.|Открой.",
        "Книги Я. Перельмана читали все.",
        "Пришли все; Иван остался.|Маша тоже.",
    ],
    "uk": [
        "Ісус пійшов у Галилею.|Там навчав.",
        "Зберігати при 25 °C.|Умови відомі.",
        "— Хто там?|— Це я, Петро.",
        "Тарас Г. Шевченко писав; Він малював.",
    ],
    "en": [
        "Mr. Smith went home.|He slept.",
        "I met Mrs. Dalloway and Dr. Jekyll at St. James's Park.|It rained.",
        "J. R. R. Tolkien wrote it.|We read it.",
        "The U.S. Navy sent the Abraham Lincoln.|It sank.",
        '"Where are you going?" he asked.|"Home," I said.',
        "“Well?” said the captain.|“Well, sir, he is gone.”|He turned away.",
        "“Sir, I repeat: it is infinite.|The pumps have strength.|They hold.”|He left.",
        "See vol. 2, p. 45 for more.|Now.",
        "At Lat. 20° N. we stopped.|The sea was calm.",
        "Wait... what is that?|It moves...|Then nothing.",
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


@given(
    st.text(alphabet=st.sampled_from("аАяЯbB.!?…;:—-«»“”\" '\n\t0°CгJ"), max_size=80) | st.text(max_size=60),
    st.sampled_from(["ru", "uk", "en"]),
)
def test_spans_partition_the_text(text, language):
    spans = sentences(text, language)
    assert "".join(text[a:b] for a, b in spans) == text
    assert all(a < b for a, b in spans)
