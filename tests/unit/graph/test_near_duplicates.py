from tgrag.graph.near_duplicates import Said


def test_what_differs_in_a_word_of_many_is_said_before() -> None:
    said = Said()
    long = "Старый слуга молча подал барину тёплый тулуп и вышел из тёмной горницы на двор к лошадям и ждал там до утра"
    assert said.is_new(long)
    assert not said.is_new(long.replace("ё", "е") + ".")
    assert not said.is_new(long.removesuffix(" утра"))
    assert said.is_new("Старый слуга молча вышел")


def test_short_texts_are_compared_whole() -> None:
    said = Said()
    assert said.is_new("Он офицер")
    assert said.is_new("Он генерал")
    assert not said.is_new("он офицер!")
