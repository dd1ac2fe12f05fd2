"""Text written by its bytes: base64, hexadecimal, percent-encoding and lists of numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from tether.batteries.languages.texts.base_encodings import BASE32, BASE64, BASE64URL
from tether.core.checks import in_short
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable

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

    Raises `InputRefused` for what the encoding does not allow and for bytes that are no UTF-8; the
    message then shows them in hexadecimal.
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
            f"two hexadecimal digits have to follow each %, which is not so for {found[0]!r} at "
            f"position {found.start()}; a % itself is written %25"
        )
    return unquote_to_bytes(text)


def _from_numbers(text: str) -> bytes:
    """Read bytes as decimal numbers between spaces or commas."""
    values = text.replace(",", " ").split()
    for value in values:
        if not _BYTE.fullmatch(value) or int(value) > 255:
            raise InputRefused(
                f"{in_short(value)} is no byte: utf-8 is read as decimal numbers from 0 to 255, "
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
