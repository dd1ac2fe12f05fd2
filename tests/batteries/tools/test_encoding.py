"""The tools of the category encoding."""

from __future__ import annotations

import base64
import html
import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.tools import refused
from tether.batteries.testing import run_tool
from tether.batteries.tools.encoding import encode_text, text_escape, unicode_normalize
from tether.core.errors import LimitExceeded
from tether.runtime.errors import InvalidToolArgs
from tether.runtime.patterns import SafePattern
from tether.runtime.tool import Tool

# RFC 4648, section 10; RFC 3986, section 2.5, for percent-encoding; the Unicode standard, table
# 3-4, for UTF-8. base64url is written as in RFC 7515, appendix C, without padding.
VECTORS = [
    ("base64", "", ""),
    ("base64", "f", "Zg=="),
    ("base64", "fo", "Zm8="),
    ("base64", "foo", "Zm9v"),
    ("base64", "foob", "Zm9vYg=="),
    ("base64", "fooba", "Zm9vYmE="),
    ("base64", "foobar", "Zm9vYmFy"),
    ("base64url", "f", "Zg"),
    ("base64url", "foobar", "Zm9vYmFy"),
    ("base64url", "\u03ff\u07bf", "z7_evw"),
    ("base32", "", ""),
    ("base32", "f", "MY======"),
    ("base32", "fo", "MZXQ===="),
    ("base32", "foo", "MZXW6==="),
    ("base32", "foob", "MZXW6YQ="),
    ("base32", "fooba", "MZXW6YTB"),
    ("base32", "foobar", "MZXW6YTBOI======"),
    ("hex", "foobar", "666f6f626172"),
    ("hex", "", ""),
    ("url", "A", "A"),
    ("url", "À", "%C3%80"),
    ("url", "ア", "%E3%82%A2"),
    ("url", "a b&c=d/e~f", "a%20b%26c%3Dd%2Fe~f"),
    ("utf-8", "M\u0430\u4e8c\U00010302", "77 208 176 228 186 140 240 144 140 130"),
    ("utf-8", "", ""),
]


@pytest.mark.parametrize(("encoding", "text", "encoded"), VECTORS)
async def test_the_published_vectors_hold_both_ways(encoding: str, text: str, encoded: str) -> None:
    assert await run_tool(encode_text, {"text": text, "encoding": encoding}) == encoded
    arguments = {"text": encoded, "encoding": encoding, "direction": "decode"}
    assert await run_tool(encode_text, arguments) == text


@pytest.mark.parametrize(
    ("encoding", "encoded", "text"),
    [
        ("base64url", "Zg==", "f"),
        ("hex", "4A4b", "JK"),
        ("url", "a+b%20é%c3%a9", "a+b éé"),
        ("utf-8", "72,105, 33", "Hi!"),
    ],
)
async def test_other_spellings_are_decoded_too(encoding: str, encoded: str, text: str) -> None:
    arguments = {"text": encoded, "encoding": encoding, "direction": "decode"}
    assert await run_tool(encode_text, arguments) == text


@given(text=st.text(), encoding=st.sampled_from(["base64", "base32", "hex", "url", "utf-8"]))
async def test_decoding_undoes_encoding(text: str, encoding: str) -> None:
    encoded = await run_tool(encode_text, {"text": text, "encoding": encoding})
    others = {
        "base64": lambda: base64.b64decode(encoded, validate=True).decode(),
        "base32": lambda: base64.b32decode(encoded).decode(),
        "hex": lambda: bytes.fromhex(encoded).decode(),
        "url": lambda: unquote(encoded, errors="strict"),
        "utf-8": lambda: bytes(map(int, encoded.split())).decode(),
    }
    assert others[encoding]() == text
    assert encoding != "url" or encoded == quote(text, safe="")
    arguments = {"text": encoded, "encoding": encoding, "direction": "decode"}
    assert await run_tool(encode_text, arguments) == text


@pytest.mark.parametrize(
    ("encoding", "encoded", "expected"),
    [
        ("base64", "Zm9v!mFy", "no character '!' (at position 4)"),
        ("base64", "Zm9v\nYmFy", "no character '\\n'"),
        ("base64", "Zm9_", "no character '_'"),
        ("base64url", "Zm9/", "no character '/'"),
        ("base64", "Zm9vYg", "padding is wrong"),
        ("base64", "Zg=", "padding is wrong"),
        ("base64", "Zg===", "padding is wrong"),
        ("base64", "====", "padding is wrong"),
        ("base64", "Z=g=", "no character '='"),
        ("base64", "Z===", "one is missing or too many"),
        ("base64url", "Z", "one is missing or too many"),
        ("base64", "Zh==", "carries bits"),
        ("base64url", "Zh", "carries bits"),
        ("base32", "my======", "no character 'm'"),
        ("base32", "MY=====", "padding is wrong"),
        ("base32", "M=======", "one is missing or too many"),
        ("base32", "MZ======", "carries bits"),
        ("hex", "0xff", "no character 'x' (at position 1)"),
        ("hex", "f f", "without spaces"),
        ("hex", "abc", "two digits for each byte"),
        ("hex", "\u0661\u0661", "no character"),
        ("url", "100%", "'%' at position 3"),
        ("url", "%zz", "%25"),
        ("url", "%\n", "two hexadecimal digits"),
        ("utf-8", "72 256", "'256' is not a byte"),
        ("utf-8", "72 -1", "'-1' is not a byte"),
        ("utf-8", "Hi", "decimal numbers from 0 to 255"),
        pytest.param("utf-8", "9" * 5_000, "is not a byte", id="a byte of 5,000 digits"),
        ("hex", "48ff69", "not UTF-8 text: the byte at position 1 does not fit"),
        ("base64", "/w==", "In hexadecimal they are ff"),
        ("hex", "c0af", "not UTF-8"),
        ("hex", "eda080", "not UTF-8"),
        pytest.param("url", "%ff" * 100, "and so on", id="many bytes"),
    ],
)
async def test_what_no_encoder_writes_is_refused(
    encoding: str, encoded: str, expected: str
) -> None:
    error = await refused(encode_text, text=encoded, encoding=encoding, direction="decode")
    assert expected in str(error)
    assert len(str(error)) < 600


# The HTML standard's named characters; XML 1.0, section 4.6; RFC 8259, section 7.
@pytest.mark.parametrize(
    ("format", "text", "escaped"),
    [
        (
            "html",
            "<a href=\"x\">'&'</a>",
            "&lt;a href=&quot;x&quot;&gt;&#x27;&amp;&#x27;&lt;/a&gt;",
        ),
        ("xml", '<a b="c">&\'', "&lt;a b=&quot;c&quot;&gt;&amp;&apos;"),
        ("xml", "&amp;", "&amp;amp;"),
        ("json", '"\\\b\f\n\r\t\x01/é😀', '\\"\\\\\\b\\f\\n\\r\\t\\u0001/é😀'),
        ("regex", "1+1=2 (a.b)*[c]", r"1\+1=2\ \(a\.b\)\*\[c\]"),
        ("regex", "", ""),
    ],
)
async def test_special_characters_are_escaped_and_taken_back(
    format: str, text: str, escaped: str
) -> None:
    assert await run_tool(text_escape, {"text": text, "format": format}) == escaped
    arguments = {"text": escaped, "format": format, "direction": "unescape"}
    assert await run_tool(text_escape, arguments) == text


@pytest.mark.parametrize(
    ("format", "escaped", "text"),
    [
        (
            "html",
            "&eacute;&copy;&#8364;&#x1F600;&notin;&not;in &unknown; &",
            "é©€😀∉¬in &unknown; &",
        ),
        ("html", "&#0;&#xD800;&#x110000;", "\ufffd\ufffd\ufffd"),
        pytest.param("html", f"&#{'0' * 900}65;", "A", id="many zeros"),
        ("xml", "&#233;&#xE9;&#x1F600;&#9;", "éé😀\t"),
        ("xml", "&amp;lt;", "&lt;"),
        ("json", '"quoted"', "quoted"),
        ("json", "\\ud83d\\ude00\\/", "😀/"),
        ("regex", r"\-\ \é\/", None),
    ],
)
async def test_other_escapes_are_understood(format: str, escaped: str, text: str | None) -> None:
    arguments = {"text": escaped, "format": format, "direction": "unescape"}
    if text is None:
        assert "makes this a pattern" in str(await refused(text_escape, **arguments))
    else:
        assert await run_tool(text_escape, arguments) == text


BILLION_LAUGHS = (
    '<!DOCTYPE lolz [<!ENTITY lol "lol">'
    + "".join(f'<!ENTITY lol{n} "{"&lol;" * 10}">' for n in range(9))
    + "]><lolz>&lol9;</lolz>"
)

LONG_REFERENCE = f"&#{'1' * 5_000};"


@pytest.mark.parametrize(
    ("format", "escaped", "expected"),
    [
        pytest.param("xml", BILLION_LAUGHS, "'&lol;' at position 50", id="case 58"),
        ("xml", '<!ENTITY x SYSTEM "file:///etc/passwd">&x;', "not a reference of XML"),
        ("xml", "&nbsp;", "'&nbsp;' at position 0"),
        ("xml", "a & b", "'& b' at position 2"),
        ("xml", "&#0;", "not a reference"),
        ("xml", "&#x1;", "not a reference"),
        ("xml", "&#xD800;", "not a reference"),
        ("xml", "&#xFFFFFF;", "not a reference"),
        pytest.param("xml", LONG_REFERENCE, "not a reference", id="xml, 5,000 digits"),
        pytest.param("html", LONG_REFERENCE, "more digits than", id="html, 5,000 digits"),
        ("json", 'a"b', "Extra data at position 2"),
        ("json", '"a" "b"', "Extra data at position 4"),
        ("json", "a\nb", "Invalid control character at position 1"),
        ("json", "\\", "not the inside of a JSON string"),
        ("json", '"', "not the inside of a JSON string"),
        ("json", "\\x41", "at position 0"),
        ("json", "\\ud800", "come in pairs"),
        ("regex", "a.b", "'.' at position 1"),
        ("regex", r"\d", "makes this a pattern"),
        ("regex", "a\\", "makes this a pattern"),
    ],
)
async def test_what_cannot_be_unescaped_is_refused(
    format: str, escaped: str, expected: str
) -> None:
    error = await refused(text_escape, text=escaped, format=format, direction="unescape")
    assert expected in str(error)
    assert len(str(error)) < 400


async def test_a_character_that_xml_cannot_hold_is_refused() -> None:
    error = await refused(text_escape, text="ab\x01", format="xml")
    assert "'\\x01' (at position 2)" in str(error)


XML_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")
)


@given(text=XML_TEXT, format=st.sampled_from(["html", "xml", "json", "regex"]))
async def test_unescaping_undoes_escaping(text: str, format: str) -> None:
    escaped = await run_tool(text_escape, {"text": text, "format": format})
    others: dict[str, Callable[[], object]] = {
        "html": lambda: html.unescape(escaped),
        "xml": lambda: ET.fromstring(f"<x>{escaped}</x>").text or "",
        "json": lambda: json.loads(f'"{escaped}"'),
        "regex": lambda: text if re.fullmatch(escaped, text) else None,
    }
    assert others[format]() == text
    arguments = {"text": escaped, "format": format, "direction": "unescape"}
    assert await run_tool(text_escape, arguments) == text


@given(text=st.text(max_size=100))
async def test_an_escaped_text_is_a_pattern_that_finds_it(text: str) -> None:
    text = text.replace("\x00", "")
    escaped = await run_tool(text_escape, {"text": text, "format": "regex"})
    assert SafePattern(escaped).matches_all_of(text)


@pytest.mark.unmeasured
# UAX #15, figures 3 to 6 and table 4 of its examples.
@pytest.mark.parametrize(
    ("text", "nfd", "nfc", "nfkd", "nfkc"),
    [
        ("\u212b", "A\u030a", "\u00c5", "A\u030a", "\u00c5"),
        ("\u2126", "\u03a9", "\u03a9", "\u03a9", "\u03a9"),
        ("\u00c5", "A\u030a", "\u00c5", "A\u030a", "\u00c5"),
        ("\u00f4", "o\u0302", "\u00f4", "o\u0302", "\u00f4"),
        ("\u1e69", "s\u0323\u0307", "\u1e69", "s\u0323\u0307", "\u1e69"),
        ("\u1e0b\u0323", "d\u0323\u0307", "\u1e0d\u0307", "d\u0323\u0307", "\u1e0d\u0307"),
        ("q\u0307\u0323", "q\u0323\u0307", "q\u0323\u0307", "q\u0323\u0307", "q\u0323\u0307"),
        ("\ufb01", "\ufb01", "\ufb01", "fi", "fi"),
        ("2\u2075", "2\u2075", "2\u2075", "25", "25"),
        (
            "\u1e9b\u0323",
            "\u017f\u0323\u0307",
            "\u1e9b\u0323",
            "s\u0323\u0307",
            "\u1e69",
        ),
        ("plain", "plain", "plain", "plain", "plain"),
    ],
)
async def test_the_examples_of_uax_15(text: str, nfd: str, nfc: str, nfkd: str, nfkc: str) -> None:
    for form, expected in {"NFD": nfd, "NFC": nfc, "NFKD": nfkd, "NFKC": nfkc}.items():
        result = await run_tool(unicode_normalize, {"text": text, "form": form})
        assert result == {
            "text": expected,
            "changed": text != expected,
            "characters": len(expected),
        }


@given(text=st.text(), form=st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
async def test_a_normal_text_is_normal(text: str, form: Any) -> None:
    once = await run_tool(unicode_normalize, {"text": text, "form": form})
    assert unicodedata.is_normalized(form, once["text"])
    again = await run_tool(unicode_normalize, {"text": once["text"], "form": form})
    assert not again["changed"]


@pytest.mark.parametrize(
    "marks",
    ["\u0301\u0323" * 50_000, "\u0f73\u0f71" * 10_000, "\u0344" * 10_000, "\uff9e\uff9f" * 10_000],
    ids=["marks", "marks of class 0", "double marks", "half-width marks"],
)
async def test_a_tower_of_marks_is_refused(marks: str) -> None:  # case 177
    for form in ("NFC", "NFKD"):
        error = await refused(unicode_normalize, text=f"a{marks}"[:100_000], form=form)
        assert isinstance(error, LimitExceeded)
        assert "combining marks in a row" in str(error)


async def test_long_texts_with_many_short_towers_are_normalized() -> None:
    text = ("a" + "\u0301\u0323" * 15) * 3_000
    assert (await run_tool(unicode_normalize, {"text": text, "form": "NFD"}))["changed"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (encode_text, {"text": "a", "encoding": "rot13"}),
        (encode_text, {"text": "a" * 100_001, "encoding": "hex"}),
        (encode_text, {"text": "a", "encoding": "hex", "direction": "sideways"}),
        (text_escape, {"text": "a", "format": "sql"}),
        (text_escape, {"text": "a" * 100_001, "format": "html"}),
        (unicode_normalize, {"text": "a", "form": "nfc"}),
        (unicode_normalize, {"text": "a" * 100_001}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(tool: Tool, arguments: Any) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(tool, arguments)
