import contextlib
import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgrag.json_answers import (
    array,
    choice,
    compact,
    longest,
    most_tokens,
    number,
    read_object,
    record,
    text,
)
from tgrag.models.chat import InvalidAnswer
from tgrag.models.tokenizer import tokenizer

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
SCHEMA = record(kind=choice(["SHORT", "LONGEST"]), items=array(record(name=text(20), n=number(1, 10)), 3))


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.booleans())
def test_json_is_read_as_it_is(value, ascii_only):
    assert read_object(json.dumps(value, ensure_ascii=ascii_only)) == value


@pytest.mark.parametrize(
    "answer",
    [
        '{"a": ["b", 1]}',
        'Вот ответ:\n```json\n{"a": ["b", 1]}\n```\nГотово.',
        '<think>{"a": 2} или нет?</think>{"a": ["b", 1]}',
        '{"a": ["b", 1,],}',
        "{'a': ['b', 1]}",
        '{"a": ["b" 1]}',
        '{a: ["b", 1]}',
        '\ufeff{"a": ["b", 1]} // done',
    ],
)
def test_slips_without_doubt_are_mended(answer):
    assert read_object(answer) == {"a": ["b", 1]}


def test_a_line_break_in_a_string_is_read():
    assert read_object('{"a": "один\nдва"}') == {"a": "один\nдва"}


def test_a_number_of_thousands_of_digits_is_no_crash():
    assert read_object('{"a": ' + "1" * 5_000 + "}") == {"a": "1" * 5_000}


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("", "no JSON object"),
        ("Сущностей нет.", "no JSON object"),
        ('{"a": ["b"', "breaks off"),
        ('{"a": [{"b": 1}, {"b": ', "breaks off"),
        ('Sure! {"a": [{"b": 1} ...{]', "breaks off"),
        ('{"a": "no end}', "breaks off"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "longer than"),
        ('{"a":' * 20_000 + "1" + "}" * 20_000, "nested too deeply"),
        ('{"a": [...]}', "malformed"),
        ('{"a": "b" "c"}', "malformed"),
        ('{"a": 1, // one\n}', "malformed"),
        ("{'a': [{'name': 'O'Brien'}]}", "malformed"),
        ('{"a": "он сказал "да", и ушёл"}', "malformed"),
        ('{"a": 1} или {"a": 2}', "malformed"),
        ('{"a": [' + "'b'," * 20_000 + "]}", "malformed"),
        ("{" * 50_000 + "}" * 50_000, "malformed"),
    ],
)
def test_what_would_lose_or_invent_something_is_not_mended(answer, wrong):
    with pytest.raises(InvalidAnswer, match=wrong):
        read_object(answer)


@given(st.text())
def test_whatever_a_model_writes_is_an_object_or_invalid(answer):
    with contextlib.suppress(InvalidAnswer):
        assert isinstance(read_object("{" + answer + "}"), dict)


def test_the_longest_instance_is_valid_and_at_every_bound():
    found = longest(SCHEMA)
    jsonschema.validate(found, SCHEMA)
    assert found == {"kind": "LONGEST", "items": [{"name": "ж" * 20, "n": 10}] * 3}


def test_no_instance_has_more_letters_than_the_longest():
    one_more = {"kind": "LONGEST", "items": [{"name": "ж" * 21, "n": 10}] * 3}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(one_more, SCHEMA)


@pytest.mark.parametrize("letters", ["жшщъфюЁ", "їєщжхіґ", "qxzjkwv"])
def test_the_longest_instance_takes_no_more_tokens_than_reckoned(letters):
    instance = compact(longest(SCHEMA)).replace("ж" * 20, (letters * 20)[:20])
    assert tokenizer("multilingual-e5-small").count(instance) <= most_tokens(SCHEMA)


def test_properties_keep_their_order():
    assert compact(record(b=text(1), a=text(1))).startswith('{"type":"object","properties":{"b":')
