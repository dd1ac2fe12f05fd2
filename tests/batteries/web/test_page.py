from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.web.response import decoded

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
    "big5-hkscs": (b"\x88\x62", "\u00ca\u0304"),
    "utf-16le": (b"\xac\x20", "€"),
    "utf-16": (b"\xac\x20", "€"),
    "utf-16be": (b"\x20\xac", "€"),
    "iso-8859-9": (b"\xfe\x80", "ş€"),  # the web means windows-1254
    "latin5": (b"\xfe", "ş"),
    **dict.fromkeys(("cp1251", "x-cp1251"), (b"\xcc\xe8\xf0", "Мир")),
    **dict.fromkeys(
        ("cp1252", "latin-1", "l1", "iso8859-1", "iso_8859-1", "ANSI_X3.4-1968", "windows-1252"),
        (b"\xe9\x80\x81\x8d\x8f\x90\x9d", "é€\x81\x8d\x8f\x90\x9d"),
    ),
    **dict.fromkeys(
        ("x-sjis", "sjis", "shift-jis", "windows-31j", "ms_kanji"), (b"\x93\xfa\x96{", "日本")
    ),
    "iso-2022-jp": (b"\x1b$BF|K\\\x1b(B", "日本"),
    **dict.fromkeys(
        ("windows-874", "tis-620", "iso-8859-11"), (b"\xe4\xb7\xc2\x80\x81\xdb", "ไทย€\x81\ufffd")
    ),
    **dict.fromkeys(("ibm866", "cp866", "866"), (b"\x8c\xa8\xe0", "Мир")),
    **dict.fromkeys(("euckr", "ks_c_5601-1987", "korean"), (b"\xc7\xd1\xb1\xb9", "한국")),
    **dict.fromkeys(("macintosh", "x-mac-roman"), (b"\x8e\xdb", "é€")),
    "x-mac-cyrillic": (b"\x8c\xe8\xf0", "\u041c\u0438\u0440"),
    **dict.fromkeys(("iso-8859-7", "greek", "iso88597"), (b"\xe1\xff", "\u03b1\ufffd")),
    "windows-1253": (b"\xe1\x81\xff", "\u03b1\x81\ufffd"),
    "hebrew": (b"\xf9", "ש"),
    "gb_2312-80": (b"\xd6\xd0", "中"),
    "x-euc-jp": (b"\xc6\xfc", "日"),
}


@pytest.mark.parametrize("charset", CHARSETS)
async def test_the_charset_of_the_header_is_used(charset: str) -> None:
    body, text = CHARSETS[charset]
    assert await decoded(body, f'text/html; charset="{charset}"') == text
    assert await decoded(body, f"text/html;CHARSET={charset}") == text


@pytest.mark.parametrize("charset", ["windows-1251", "koi8-r", "utf-8"])
@pytest.mark.parametrize(
    "tag",
    [
        '<meta charset="{}">',
        "<META charset={}>",
        '<meta http-equiv=x content="text/html; charset={}">',
    ],
)
async def test_the_charset_of_a_tag_is_used_where_the_header_has_none(
    charset: str, tag: str
) -> None:
    body, text = CHARSETS[charset]
    start = f"<!doctype html>{tag.format(charset)}"
    assert await decoded(start.encode() + body, "text/html") == start + text


async def test_a_byte_order_mark_beats_the_header() -> None:
    assert await decoded("\ufeffé".encode(), "text/html; charset=windows-1251") == "é"
    assert await decoded("\ufeffé".encode("utf-16-le"), "text/html; charset=utf-8") == "é"
    assert await decoded("\ufeffé".encode("utf-16-be"), "text/html") == "é"


@pytest.mark.parametrize(
    "charset", ["utf-7", "rot13", "zlib", "unicode_escape", "punycode", "idna"]
)
async def test_a_charset_that_does_not_belong_on_the_web_is_not_used(charset: str) -> None:
    assert (
        await decoded(b"+AGE- \\x41 caf\xc3\xa9", f"text/html; charset={charset}")
        == "+AGE- \\x41 café"
    )


async def test_what_makes_no_sense_is_marked_and_line_ends_are_one() -> None:
    assert await decoded(b"a\xff\x00b\r\nc\rd", "text/plain") == "a\ufffdb\nc\nd"


async def test_a_page_that_says_in_ascii_that_it_is_utf_16_is_not() -> None:
    page = "<meta charset=utf-16>é"
    assert await decoded(page.encode(), "text/html") == page


# The pieces in which a body is read are not to be seen: each character lies on a border once.
@pytest.mark.parametrize(
    "charset", ["utf-8", "utf-16le", "shift_jis", "euc-jp", "gb18030", "koi8-r"]
)
@pytest.mark.parametrize("shift", range(5))
async def test_a_long_body_is_read_as_a_short_one(charset: str, shift: int) -> None:
    text = "x" * shift + "дa\n" * 20_000
    body = text.replace("\n", "\r\n").encode(charset)
    assert await decoded(body, f"text/plain; charset={charset}") == text


async def test_others_get_their_turn_while_a_body_is_read() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(count())
    text = await decoded(b"\x00\xd8" * 100_000, "text/plain; charset=utf-16le")
    other.cancel()
    assert set(text) == {"\ufffd"}
    assert turns > 10


@given(st.binary(max_size=200), st.sampled_from([*CHARSETS, "nonsense"]))
async def test_any_bytes_become_text(body: bytes, charset: str) -> None:
    text = await decoded(body, f"text/html; charset={charset}")
    assert text.encode() is not None
    assert "\x00" not in text
