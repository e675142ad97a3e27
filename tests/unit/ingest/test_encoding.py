import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.ingest.samples import RUSSIAN, SHORT, UKRAINIAN
from tgrag.ingest.encoding import decode, decode_markup
from tgrag.ingest.refusal import Refused


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1251", "koi8-r", "koi8-u", "cp866", "iso8859-5"]
)
@pytest.mark.parametrize(
    "text", [RUSSIAN, RUSSIAN * 20, SHORT, "ГЛАВА ПЕРВАЯ", "Пётр ушёл. The end, he said."]
)
def test_russian_comes_out_equal_from_every_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1251", "koi8-u", "cp1125"])
@pytest.mark.parametrize("text", [UKRAINIAN, UKRAINIAN * 20, "Частина перша. Її подорож."])
def test_ukrainian_comes_out_equal_from_every_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("text", ["«Да», — сказал он… № 5", "Він сказав: «Ні» – і пішов."])
def test_typography_of_windows_files_is_kept(text: str) -> None:
    assert decode(text.encode("cp1251")) == text


def test_western_text_is_not_taken_for_cyrillic() -> None:
    text = "Une soirée d'été, le café était fermé; où aller? Elle rêvait déjà de Noël à Besançon. " * 5
    assert decode(text.encode("cp1252")) == text


def test_a_few_broken_bytes_do_not_change_the_encoding() -> None:
    data = bytearray((RUSSIAN * 20).encode())
    data[101] = 0xFF
    assert decode(bytes(data)).count("Нарумова") == 20


def test_html_charset_is_honoured_when_it_is_true() -> None:
    html = '<meta charset="{}"><p>' + SHORT
    assert SHORT in decode_markup(html.format("windows-1251").encode("cp1251"))
    assert SHORT in decode_markup(html.format("koi8-r").encode("koi8-r"))


def test_html_charset_is_not_believed_when_it_is_false() -> None:
    html = '<meta charset="{}"><p>' + RUSSIAN
    assert RUSSIAN in decode_markup(html.format("windows-1251").encode("utf-8"))
    assert RUSSIAN in decode_markup(html.format("utf-8").encode("cp1251"))
    assert RUSSIAN in decode_markup(html.format("no-such-thing").encode("koi8-r"))


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03" * 100, bytes(range(1, 9)) * 50])
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(Refused, match="not text"):
        decode(data)


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_decoded_or_refused(data: bytes) -> None:
    with contextlib.suppress(Refused):
        assert isinstance(decode(data), str)
