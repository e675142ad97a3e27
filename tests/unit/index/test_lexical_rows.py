from collections import Counter

from tests.unit.search.graphs import BOOKS, text_units
from tgrag.index.assemble import unit_lemmas
from tgrag.language import lemmas


def test_a_text_unit_is_found_by_its_heading_and_the_first_of_a_book_by_its_title():
    for unit in text_units(BOOKS):
        added = Counter(unit_lemmas(unit)) - Counter(lemmas(unit.text, unit.language))
        titles = [*unit.headings[-1:], *([unit.book_title] if unit.chunk_index == 0 else [])]
        assert added == Counter(word for title in titles for word in lemmas(title, unit.language))
        assert (set(lemmas(unit.book_title, unit.language)) <= set(unit_lemmas(unit))) == (
            unit.chunk_index == 0
        )
