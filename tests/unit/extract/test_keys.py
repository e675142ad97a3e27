import json
from itertools import combinations

import pytest

from tests.data import shared
from tgrag.extract.keys import NAME_TYPES, lemma_key


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("ru", ["Лизавета Ивановна", "Лизаветы Ивановны", "Лизаветой Ивановной"]),
        ("ru", ["Германн", "Германна", "Германном"]),
        ("ru", ["Одинцов", "Одинцовым"]),
        ("ru", ["Одинцова", "Одинцовой"]),
        ("ru", ["Томский", "Томского"]),
        ("ru", ["Максим Максимыч", "Максима Максимыча", "Максим Максимович"]),
        ("ru", ["Белогорская крепость", "Белогорской крепости"]),
        ("ru", ["Пётр Гринёв", "Петр Гринев"]),
        ("uk", ["Ісус Христос", "Ісуса Христа", "Ісусу Христу"]),
        ("uk", ["Марія", "Марії"]),
        ("uk", ["Тарас Шевченко", "Тараса Шевченка"]),
        ("en", ["Captain Nemo", "captain nemo", "Captain Nemo’s"]),
    ],
)
def test_inflected_forms_of_one_name_have_one_key(language, forms):
    assert len({lemma_key(form, "PERSON", language) for form in forms}) == 1


def test_husband_and_wife_stay_apart():
    keys = {lemma_key(name, "PERSON", "ru") for name in ("Одинцов", "Одинцова", "Иванович", "Ивановна")}
    assert len(keys) == 4


def test_the_key_does_not_depend_on_which_kind_of_name_it_is():
    assert len({lemma_key("Вера Лиговская", type, "ru") for type in NAME_TYPES}) == 1


def test_a_name_without_letters_keeps_a_key():
    assert lemma_key("***", "NAME", "ru") == "***"


def test_different_recorded_entities_have_different_keys():
    clusters = json.loads(shared("recorded_ru", "entity_resolution.json").read_text())["clusters"]
    keys = [{lemma_key(form, cluster["type"], "ru") for form in cluster["forms"]} for cluster in clusters]
    merged = [
        (one["canonical"], other["canonical"])
        for (one, a), (other, b) in combinations(zip(clusters, keys, strict=True), 2)
        if a & b
    ]
    assert all(one.split()[0][:3] == other.split()[0][:3] for one, other in merged)  # «письма» and «письмо»
    assert len(merged) <= 2
