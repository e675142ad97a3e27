import pytest

from tgrag.search.listing import asks_which, lists


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Какие три карты назвала графиня?", True),
        ("В каких образах являлись карты?", True),
        ("Перечислите пропавшие вещи.", True),
        ("Які дари принесли мудреці?", True),
        ("Перелічіть усі дари.", True),
        ("Which three gifts did they bring?", True),
        ("Name the ships.", True),
        ("What is his name?", False),
        ("Which ship sank?", False),
        ("Какой мундир носил Герман?", False),
        ("Кто назвал имена?", False),
        ("Who named the ship?", False),
    ],
)
def test_questions_that_ask_for_several_things(question, expected):
    assert asks_which(question) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Тройка, семерка и туз выиграют тебе сряду.", True),
        ("Принесли золото,\nладан та смирну.", True),
        ("They had bread, salted fish, and wine.", True),
        ("Он встал и вышел.", False),
        ("— Нет, — сказал он.", False),
    ],
)
def test_sentences_that_list_things(sentence, expected):
    assert lists(sentence) == expected
