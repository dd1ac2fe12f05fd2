from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.web.page import decoded

# Bytes from the code charts of each charset, as the Encoding Standard labels them.
CHARSETS = {
    "utf-8": ("Größe €".encode(), "Größe €"),
    "UTF8": (b"\xe2\x82\xac", "€"),
    "iso-8859-1": (b"Gr\xf6\xdfe \x80", "Größe €"),  # the web means windows-1252
    "latin1": (b"\xe9", "é"),
    "us-ascii": (b"\x93x\x94", "“x”"),
    "windows-1251": (b"\xcc\xe8\xf0", "Мир"),
    "koi8-r": (b"\xed\xc9\xd2", "Мир"),
    "iso-8859-2": (b"\xb3\xf3d\xbc", "łódź"),
    "shift_jis": (b"\x93\xfa\x96{", "日本"),
    "euc-jp": (b"\xc6\xfc\xcb\xdc", "日本"),
    "gb2312": (b"\xd6\xd0\xce\xc4", "中文"),
    "big5": (b"\xa4\xa4\xa4\xe5", "中文"),
    "euc-kr": (b"\xc7\xd1\xb1\xb9", "한국"),
    "utf-16le": (b"\xac\x20", "€"),
}


@pytest.mark.parametrize("charset", CHARSETS)
def test_the_charset_of_the_header_is_used(charset: str) -> None:
    body, text = CHARSETS[charset]
    assert decoded(body, f'text/html; charset="{charset}"') == text
    assert decoded(body, f"text/html;CHARSET={charset}") == text


@pytest.mark.parametrize("charset", ["windows-1251", "koi8-r", "utf-8"])
@pytest.mark.parametrize(
    "tag",
    [
        '<meta charset="{}">',
        "<META charset={}>",
        '<meta http-equiv=x content="text/html; charset={}">',
    ],
)
def test_the_charset_of_a_tag_is_used_where_the_header_has_none(charset: str, tag: str) -> None:
    body, text = CHARSETS[charset]
    start = f"<!doctype html>{tag.format(charset)}"
    assert decoded(start.encode() + body, "text/html") == start + text


def test_a_byte_order_mark_beats_the_header() -> None:
    assert decoded("\ufeffé".encode(), "text/html; charset=windows-1251") == "é"
    assert decoded("\ufeffé".encode("utf-16-le"), "text/html; charset=utf-8") == "é"
    assert decoded("\ufeffé".encode("utf-16-be"), "text/html") == "é"


@pytest.mark.parametrize(
    "charset", ["utf-7", "rot13", "zlib", "unicode_escape", "punycode", "idna"]
)
def test_a_charset_that_does_not_belong_on_the_web_is_not_used(charset: str) -> None:
    assert (
        decoded(b"+AGE- \\x41 caf\xc3\xa9", f"text/html; charset={charset}") == "+AGE- \\x41 café"
    )


def test_what_makes_no_sense_is_marked_and_line_ends_are_one() -> None:
    assert decoded(b"a\xff\x00b\r\nc\rd", "text/plain") == "a\ufffdb\nc\nd"


@given(st.binary(max_size=200), st.sampled_from([*CHARSETS, "nonsense", "utf-16"]))
def test_any_bytes_become_text(body: bytes, charset: str) -> None:
    text = decoded(body, f"text/html; charset={charset}")
    assert text.encode() is not None
    assert "\x00" not in text
