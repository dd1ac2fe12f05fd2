"""Bytes into text: the encoding is found, binary data is named as such."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.decoding import decode


def test_utf_8_is_read_with_and_without_its_mark() -> None:
    assert decode("naïve\r\n".encode()).text == "naïve\r\n"
    assert decode(codecs.BOM_UTF8 + "naïve".encode()).text == "naïve"
    assert decode(b"").text == ""


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
    ids=["16le", "16be", "32le", "32be"],
)
def test_other_encodings_are_known_by_their_mark(mark: bytes, encoding: str) -> None:
    decoded = decode(mark + "Straße 日本 😀".encode(encoding))
    assert decoded.text == "Straße 日本 😀"
    assert decoded.notes == ()


def test_what_is_not_utf_8_is_read_as_windows_1252_and_noted() -> None:
    decoded = decode("price: 5 € — “fine”".encode("cp1252"))
    assert decoded.text == "price: 5 € — “fine”"
    assert decoded.notes == ("not UTF-8: read as Windows-1252",)


@pytest.mark.parametrize(
    "data",
    [b"PK\x03\x04\x00\x00", b"a\x00b", codecs.BOM_UTF16_LE + b"a\x00\x00\x00", bytes(range(1, 32))],
    ids=["archive", "nul", "utf-16 nul", "controls"],
)
def test_binary_data_is_refused_as_binary(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match="binary"):
        decode(data)


def test_bytes_that_break_the_promise_of_their_mark_are_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="Save the file as UTF-8"):
        decode(codecs.BOM_UTF16_LE + b"a")
    with pytest.raises(DocumentUnreadable, match="byte order mark says utf-8"):
        decode(codecs.BOM_UTF8 + b"\xff")


@pytest.mark.parametrize("name", ["rot13", "unicode_escape", "utf-7", "utf-16"])
def test_an_encoding_that_the_file_names_is_not_obeyed(name: str) -> None:
    source = f"# -*- coding: {name} -*-\nvcevag('uryyb') # +AGE- \\u0041\n"
    assert decode(source.encode()).text == source


@given(st.binary(max_size=200))
def test_whatever_the_bytes_are_there_is_text_or_the_one_error(data: bytes) -> None:
    try:
        text = decode(data).text
    except DocumentUnreadable:
        return
    assert "\x00" not in text
    text.encode()  # no surrogates
