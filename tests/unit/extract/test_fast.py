from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgrag.extract.fast import DESCRIPTION_CHARACTERS, EXTRACT_VERSION, extract
from tgrag.hashing import stable_hash
from tgrag.settings import ExtractSettings

DEFAULTS = ExtractSettings()


def names(text, language, *, concepts=False):
    found = extract("u", text, language, DEFAULTS).entities
    return [(e.name, e.type) for e in found if (e.type == "CONCEPT") == concepts]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("ru", "Он увидел Лизавету Ивановну.", [("Лизавета Ивановна", "PERSON")]),
        ("ru", "Рука Германна дрожала.", [("Германн", "PERSON")]),
        ("ru", "Граф говорил с Сен-Жерменом.", [("Сен-Жермен", "PERSON")]),
        ("ru", "Насмешка Пугачева возвратила мне бодрость.", [("Пугачев", "PERSON")]),
        ("ru", "Вечером Одинцова сказала ему правду.", [("Одинцова", "PERSON")]),
        ("ru", "Я говорил с Одинцовой.", [("Одинцова", "PERSON")]),
        ("ru", "Письмо дали капитану Миронову.", [("Миронов", "PERSON")]),
        ("ru", "Мы подъехали к Белогорской крепости.", [("Белогорская крепость", "PLACE")]),
        ("ru", "Она жила в Петербурге.", [("Петербург", "PLACE")]),
        ("ru", "Вчера А. С. Пушкин приехал.", [("А. С. Пушкин", "PERSON")]),
        ("ru", "Вчера Иван Марью видел.", [("Иван", "PERSON"), ("Марья", "PERSON")]),
        ("ru", "Послали Марью-то Ивановну.", [("Марья Ивановна", "PERSON")]),
        ("ru", "Мы пишем на Python и FastAPI.", [("Python", "NAME"), ("FastAPI", "NAME")]),
        ("ru", "Скажите, что Вы и Ваша сестра придете.", []),
        ("ru", "Долгая ночь прошла. Прошли годы. — Пойдем! Тогда он встал.", []),
        ("ru", "ГЛАВА ПЕРВАЯ ИВАН", []),
        ("uk", "І прийшов до Ісуса Христа чоловік.", [("Ісус Христос", "PERSON")]),
        ("uk", "Учора бачили Тараса Шевченка.", [("Тарас Шевченко", "PERSON")]),
        ("uk", "Він узяв Його за руку, і Тобі дав.", []),
        ("uk", "Тодї нїхто не знав. Нехай буде.", []),
        ("en", "We saw Captain Nemo there.", [("Captain Nemo", "PERSON")]),
        ("en", "When Ned Land spoke, I left.", [("Ned Land", "NAME")]),
        ("en", "Then the Nautilus’s hull broke.", [("Nautilus", "NAME")]),
        ("en", "They sailed to the Cape of Good Hope.", [("Cape of Good Hope", "PLACE")]),
        ("en", "It was Captain Dumont d’Urville.", [("Captain Dumont d’Urville", "PERSON")]),
        ("en", "“I’m here,” said the Frenchman on Monday in May.", []),
        ("en", "The sea was calm. Nobody spoke. However, we waited.", []),
    ],
)
def test_names(language, text, expected):
    assert names(text, language) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("ru", "Он отдал старинные картины.", "старинная картина"),
        ("ru", "Дочь коменданта ушла.", "дочь коменданта"),
        ("ru", "В комнату вошел комендант.", "комендант"),
        ("uk", "Це автоматичну документацію зробило.", "автоматична документація"),
        ("en", "He looked at the electric lights.", "electric light"),
    ],
)
def test_concepts(language, text, expected):
    assert expected in [name for name, _ in names(text, language, concepts=True)]


def test_a_word_the_dictionary_lacks_is_uncertain_at_the_start_of_a_sentence_only():
    first, second = (e for e in extract("u", "Казбич ушел. Потом Казбич вернулся.", "ru", DEFAULTS).entities)
    assert (first.name, first.certain) == ("Казбич", False)
    assert (second.name, second.certain) == ("Казбич", True)


def test_one_entity_a_name_and_sentence():
    found = extract("u", "Германн и Германн. Опять Германн.", "ru", DEFAULTS).entities
    assert [(e.name, e.description) for e in found] == [
        ("Германн", "Германн и Германн."),
        ("Германн", "Опять Германн."),
    ]


def test_co_occurrence_links_the_names_of_a_sentence_in_text_order():
    found = extract("u", "Вчера старуха видела Германна и Томского. Нарумов спал.", "ru", DEFAULTS)
    links = [(r.source, r.target, r.type, r.strength) for r in found.relationships]
    assert links == [
        ("старуха", "Германн", "CO_OCCURS", 1),
        ("старуха", "Томский", "CO_OCCURS", 1),
        ("Германн", "Томский", "CO_OCCURS", 1),
    ]
    assert {r.description for r in found.relationships} == {"Вчера старуха видела Германна и Томского."}


def test_names_go_before_concepts_when_there_is_no_room_for_all():
    tight = ExtractSettings(max_entities_per_sentence=2)
    found = extract("u", "Старуха и офицер видели Германна и Томского.", "ru", tight)
    assert [(r.source, r.target) for r in found.relationships] == [("Германн", "Томский")]


def test_a_very_long_sentence_is_cut_at_words_around_the_name():
    text = "а также многое другое " * 60 + "видел Германна " + "и прочее в том же роде " * 60 + "."
    (entity,) = [e for e in extract("u", text, "ru", DEFAULTS).entities if e.type == "PERSON"]
    assert "Германна" in entity.description
    assert len(entity.description) <= DESCRIPTION_CHARACTERS
    assert f" {entity.description} " in f" {text} "


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "Германн",
                "Лизавету",
                "она",
                "Nemo",
                "the",
                "of",
                "А.",
                "—",
                "«",
                "».",
                "Томского!",
                "\n",
                "дом",
            ]
        )
        | st.text(max_size=8),
        max_size=25,
    ).map(" ".join),
    st.sampled_from(["ru", "uk", "en"]),
)
def test_every_description_is_found_in_the_text_and_every_end_is_an_entity(text, language):
    found = extract("u", text, language, DEFAULTS)
    known = {entity.name for entity in found.entities}
    assert all(entity.name.strip() and entity.description in text for entity in found.entities)
    for link in found.relationships:
        assert {link.source, link.target} <= known
        assert link.source != link.target
        assert link.description in text
    assert extract("u", text, language, DEFAULTS) == found


def test_golden():
    """When this fails, the same text is extracted otherwise than before: raise EXTRACT_VERSION with the hashes."""
    texts = {
        "ru": "Однажды играли в карты у конногвардейца Нарумова. — Что ты сделал, Сурин? — спросил хозяин.",
        "uk": "Народив ся ж Ісус у Витлеємі Юдейському за царя Ірода. Прийшли мудреці від сходу в Єрусалим.",
        "en": "“Ned Land is right,” said Conseil. Captain Nemo left the chart room of the Nautilus.",
    }
    found = {language: extract("u", text, language, DEFAULTS) for language, text in texts.items()}  # type: ignore[arg-type]
    digest = stable_hash(
        {
            language: [
                [[e.name, e.type, e.description, e.certain] for e in extraction.entities],
                [[r.source, r.target, r.description] for r in extraction.relationships],
            ]
            for language, extraction in found.items()
        }
    )
    assert (EXTRACT_VERSION, digest) == (2, "669fce2efe2afdb843b0f25a78dbb40e")


def test_a_longer_text_says_the_same_of_its_beginning():
    parts = ["Германн встал.\n\n", "Он увидел Томского.\n\n", "Потом пришла Лизавета Ивановна."]
    texts = ["".join(parts[:n]) for n in range(1, 4)]
    for shorter, longer in pairwise(extract("u", text, "ru", DEFAULTS) for text in texts):
        assert longer.entities[: len(shorter.entities)] == shorter.entities
