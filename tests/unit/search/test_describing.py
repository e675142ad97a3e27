import pytest

from tgrag.language import lemma
from tgrag.search.describing import asks_who, describes


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Кто такой Гаврила?", True),
        ("И кто же такая Марфа?", True),
        ("Хто такий Тарас?", True),
        ("Who is Ishmael?", True),
        ("Who's Ahab?", True),
        ("Кто потерял ключ?", False),
        ("Who lost the key?", False),
    ],
)
def test_a_question_who_someone_is(question, asks):
    assert asks_who(question) == asks


@pytest.mark.parametrize(
    ("sentence", "name", "language", "does"),
    [
        ("Гаврила — немец.", "гаврила", "ru", True),
        ("Потом Гаврила был старый моряк.", "гаврила", "ru", True),
        ("Гаврила, племянник смотрителя, молчал.", "гаврила", "ru", True),
        ("Гаврила был человеком.", "гаврила", "ru", True),
        ("Гаврила увидел маяк.", "гаврила", "ru", False),
        ("Гаврила, Никита и Марфа ушли.", "гаврила", "ru", False),
        ("Ушёл Гаврила. Моряк остался.", "гаврила", "ru", False),
        ("Тарас — мірошник.", "тарас", "uk", True),
        ("Тарас побачив млин.", "тарас", "uk", False),
        ("Ahab was a captain.", "ahab", "en", True),
        ("Ahab, the captain, frowned.", "ahab", "en", True),
        ("Ahab was angry.", "ahab", "en", False),
    ],
)
def test_a_sentence_that_says_who_someone_is(sentence, name, language, does):
    assert describes(sentence, {lemma(name, language)}, language) == does
