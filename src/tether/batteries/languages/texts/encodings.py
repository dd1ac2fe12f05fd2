"""Encodings of text: its bytes in base64 and others, escapes of languages, and normal forms."""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALPHANUMERIC = f"{_UPPER}{_UPPER.lower()}0123456789"


class BaseEncoding(NamedTuple):
    """One of the encodings that write bytes as letters, `group` of them at a time."""

    name: str
    alphabet: str
    group: int
    to_text: Callable[[bytes], bytes]
    to_bytes: Callable[[str], bytes]
    is_padded: bool = True

    def encode(self, data: bytes) -> str:
        """Return the text for these bytes."""
        text = self.to_text(data).decode("ascii")
        return text if self.is_padded else text.rstrip("=")

    def decode(self, text: str) -> bytes:
        """Return the bytes; raise `InputRefused` for a text that an encoder would not write."""
        body = text.rstrip("=")
        for position, character in enumerate(body):
            if character not in self.alphabet:
                raise InputRefused(
                    f"{self.name} has no character {character!r} (at position {position}); it uses "
                    f"{self.alphabet} and = at the end"
                )
        full = body + "=" * (-len(body) % self.group)
        if text != full and (self.is_padded or text != body):
            raise InputRefused(
                f"the padding is wrong: {self.name} text has a length that is a multiple of "
                f"{self.group}, filled up with = where needed; this one has {len(text)} characters"
            )
        return self._canonical(body, full)

    def _canonical(self, body: str, full: str) -> bytes:
        try:
            data = self.to_bytes(full)
        except binascii.Error:
            message = f"no {self.name} text has {len(body)} characters: one is missing or too many"
            raise InputRefused(message) from None
        if self.to_text(data).decode("ascii") != full:
            raise InputRefused(
                f"the last character {body[-1]!r} carries bits that belong to no byte: the "
                f"{self.name} text is damaged or cut off"
            )
        return data


BASE64 = BaseEncoding("base64", f"{_ALPHANUMERIC}+/", 4, base64.b64encode, base64.b64decode)
BASE64URL = BaseEncoding(
    "base64url",
    f"{_ALPHANUMERIC}-_",
    4,
    base64.urlsafe_b64encode,
    base64.urlsafe_b64decode,
    is_padded=False,
)
BASE32 = BaseEncoding("base32", f"{_UPPER}234567", 8, base64.b32encode, base64.b32decode)


SHOWN_BYTES = 64

_NOT_HEX = re.compile("[^0-9A-Fa-f]")
_BAD_PERCENT = re.compile("%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_BYTE = re.compile("[0-9]{1,3}")


class ByteText(NamedTuple):
    """A way to write bytes as text, and back; `decode` raises `InputRefused`."""

    encode: Callable[[bytes], str]
    decode: Callable[[str], bytes]


def encode_text_bytes(text: str, encoding: str) -> str:
    """Return the UTF-8 bytes of a text, written in an encoding."""
    return BYTE_TEXTS[encoding].encode(text.encode())


def decode_text_bytes(written: str, encoding: str) -> str:
    """Return the text whose UTF-8 bytes are written in an encoding.

    Raises `InputRefused` for a text that the encoding does not allow, and for bytes that are not
    UTF-8, which the message shows in hexadecimal.
    """
    data = BYTE_TEXTS[encoding].decode(written)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        more = " and so on" if len(data) > SHOWN_BYTES else ""
        raise InputRefused(
            f"the {len(data)} decoded bytes are not UTF-8 text: the byte at position {error.start} "
            f"does not fit. In hexadecimal they are {data[:SHOWN_BYTES].hex(' ')}{more}"
        ) from None


def _from_hex(text: str) -> bytes:
    if found := _NOT_HEX.search(text):
        raise InputRefused(
            f"hex has no character {found[0]!r} (at position {found.start()}): write only the "
            "digits 0-9 and a-f, without spaces or a prefix"
        )
    if len(text) % 2:
        raise InputRefused(f"hex needs two digits for each byte; this text has {len(text)}")
    return bytes.fromhex(text)


def _from_url(text: str) -> bytes:
    if found := _BAD_PERCENT.search(text):
        raise InputRefused(
            f"two hexadecimal digits have to follow each %, unlike {found[0]!r} at "
            f"position {found.start()}; a % itself is written %25"
        )
    return unquote_to_bytes(text)


def _from_numbers(text: str) -> bytes:
    """Read bytes as decimal numbers between spaces or commas."""
    values = text.replace(",", " ").split()
    for value in values:
        if not _BYTE.fullmatch(value) or int(value) > 255:
            raise InputRefused(
                f"{in_short(value)} is not a byte: utf-8 is read as decimal numbers from 0 to 255, "
                "for instance 72 105"
            )
    return bytes(map(int, values))


BYTE_TEXTS: dict[str, ByteText] = {
    "base64": ByteText(BASE64.encode, BASE64.decode),
    "base64url": ByteText(BASE64URL.encode, BASE64URL.decode),
    "base32": ByteText(BASE32.encode, BASE32.decode),
    "hex": ByteText(bytes.hex, _from_hex),
    "url": ByteText(lambda data: quote(data, safe=""), _from_url),
    "utf-8": ByteText(lambda data: " ".join(map(str, data)), _from_numbers),
}


_XML_NAMES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_XML_ESCAPES = str.maketrans({character: f"&{name};" for name, character in _XML_NAMES.items()})
_XML_REFERENCE = re.compile("&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|([a-z]{1,4}));|&.{0,20}", re.S)
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONG_REFERENCE = re.compile("&#[0-9]{1000}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_REGEX_PART = re.compile(r"\\(.?)|[][.^$*+?(){}|]", re.DOTALL)


class Escaping(NamedTuple):
    """A way to escape a text and to undo it; both raise `InputRefused` where that is impossible."""

    escape: Callable[[str], str]
    unescape: Callable[[str], str]


def _escape_xml(text: str) -> str:
    if found := _NOT_XML.search(text):
        raise InputRefused(
            f"XML 1.0 cannot hold the character {found[0]!r} (at position {found.start()}), not "
            "even escaped: remove it"
        )
    return text.translate(_XML_ESCAPES)


def _unescape_xml(text: str) -> str:
    """Replace the five named references and numeric ones, once: the result is not read again.

    There are no other entities without a DTD, and a DTD is not read here.
    """
    return _XML_REFERENCE.sub(_referenced, text)


def _referenced(match: re.Match[str]) -> str:
    hexadecimal, decimal, name = match.groups()
    if name in _XML_NAMES:
        return _XML_NAMES[name]
    code = int(hexadecimal, 16) if hexadecimal else int(decimal or 0)
    if not 0 < code <= 0x10FFFF or _NOT_XML.match(chr(code)):
        raise InputRefused(
            f"{match[0]!r} at position {match.start()} is not a reference of XML without a DTD: "
            "there are &amp; &lt; &gt; &quot; &apos; and numbers of characters, and a & itself is "
            "written &amp;"
        )
    return chr(code)


def _unescape_html(text: str) -> str:
    if found := _LONG_REFERENCE.search(text):
        raise InputRefused(
            f"the reference at position {found.start()} has more digits than the number of any "
            "character: the highest is &#1114111;"
        )
    return html.unescape(text)


def _escape_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _unescape_json(text: str) -> str:
    """Read the inside of a JSON string; one in its quotation marks is read as well."""
    quoted = text if len(text) > 1 and text[0] == text[-1] == '"' else f'"{text}"'
    try:
        value: Any = json.loads(quoted)
    except json.JSONDecodeError as error:
        what, position = error.msg.removesuffix(" at"), error.pos - (quoted != text)
        raise InputRefused(
            f"this is not the inside of a JSON string: {what} at position {position}. "
            'Quotation marks, backslashes and line ends in it are written \\" \\\\ and \\n'
        ) from None
    if _SURROGATE.search(value):
        raise InputRefused("a \\ud800 to \\udfff escape stands alone: such escapes come in pairs")
    return str(value)


def _unescape_regex(text: str) -> str:
    """Remove the backslashes of an escaped text; refuse a pattern, which matches several texts."""
    return _REGEX_PART.sub(_meant, text)


def _meant(match: re.Match[str]) -> str:
    escaped = match[1]
    if not escaped or escaped.isalnum():
        raise InputRefused(
            f"{match[0]!r} at position {match.start()} makes this a pattern and not an escaped "
            "text: only backslashes before punctuation and spaces can be taken back"
        )
    return escaped


ESCAPINGS: dict[str, Escaping] = {
    "html": Escaping(html.escape, _unescape_html),
    "xml": Escaping(_escape_xml, _unescape_xml),
    "json": Escaping(_escape_json, _unescape_json),
    "regex": Escaping(re.escape, _unescape_regex),
}


NormalForm = Literal["NFC", "NFD", "NFKC", "NFKD"]

MOST_MARKS = 256
"""The most combining marks on one character; UAX #15 needs 30 for any real text."""


def normal_form(form: NormalForm, text: str) -> str:
    """Return text in a normal form of UAX #15.

    Sorting a long run of marks takes quadratic time, so a run of more than `MOST_MARKS` raises
    `LimitExceeded`.
    """
    if text.isascii():
        return text
    marks = "".join(character for character in set(text) if _only_combines(character))
    if marks and max(map(len, re.findall(f"[{re.escape(marks)}]+", text))) > MOST_MARKS:
        raise LimitExceeded(
            f"the text has more than {MOST_MARKS} combining marks in a row: remove them, or give "
            "the text in parts"
        )
    return unicodedata.normalize(form, text)


def _only_combines(character: str) -> bool:
    """Say whether a character decomposes into marks alone."""
    return all(map(unicodedata.combining, unicodedata.normalize("NFKD", character)))
