"""Charsets are those of the Encoding Standard, whatever Python would make of their names."""

from __future__ import annotations

import pytest

from tether.text.charsets import NotText, decode, decode_html


def page(charset: str, body: bytes) -> bytes:
    return b'<meta charset="' + charset.encode() + b'"><p>' + body


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("windows-874", b"\xa1\xa2", "\u0e01\u0e02"),
        ("iso-8859-8-i", b"\xe0\xe1", "\u05d0\u05d1"),
        ("latin1", b"\x80\xe9", "\u20ac\u00e9"),  # the label means windows-1252 on the web
        ("windows-1252", b"a\x81b", "a\u0081b"),  # a byte without a character is a control
        ("koi8-r", b"\xc1", "\u0430"),
    ],
)
def test_a_page_is_read_in_the_charset_that_it_declares(
    charset: str, body: bytes, text: str
) -> None:
    assert decode_html(page(charset, body)).text.endswith(f"<p>{text}")


def test_a_page_does_not_choose_utf_7() -> None:
    assert "<b>" not in decode_html(page("utf-7", b"+ADw-b+AD4-")).text


def test_bytes_that_are_not_text_are_refused() -> None:
    with pytest.raises(NotText):
        decode(b"\x00\x01\x02\x00" * 64)
