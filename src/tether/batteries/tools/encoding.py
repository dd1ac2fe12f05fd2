"""Encoding, escaping and normalisation of text."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from tether.batteries.languages.texts.encodings import (
    ESCAPINGS,
    NormalForm,
    decode_text_bytes,
    encode_text_bytes,
    normal_form,
)
from tether.batteries.tools.ready_made import ready_made

GrowingText = Annotated[str, Field(max_length=100_000)]
"""Text for a tool whose result can be many times longer."""


@ready_made(example={"text": "héllo", "encoding": "base64", "direction": "encode"})
def encode_text(
    text: GrowingText,
    encoding: Literal["base64", "base64url", "base32", "hex", "url", "utf-8"],
    direction: Literal["encode", "decode"] = "encode",
) -> str:
    """Encode text as base64, base64url, base32, hex, percent-encoding or UTF-8 bytes, or decode it.

    Encoding starts from the text's UTF-8 bytes, and decoding has to end in UTF-8 text: other bytes
    are refused and shown in hexadecimal. Decoding is strict about padding and alphabet. base64url
    is written without padding. url escapes all but letters, digits and - . _ ~ and leaves + alone.
    utf-8 lists the bytes as decimal numbers: hé is 104 195 169.

    Args:
        text: The text to encode, or the encoded text to decode.
        encoding: The encoding.
        direction: Whether to encode or to decode.
    """
    if direction == "encode":
        return encode_text_bytes(text, encoding)
    return decode_text_bytes(text, encoding)


@ready_made(example={"text": "Fish & <chips>", "format": "html", "direction": "escape"})
def text_escape(
    text: GrowingText,
    format: Literal["html", "xml", "json", "regex"],
    direction: Literal["escape", "unescape"] = "escape",
) -> str:
    """Escape special characters for HTML, XML, a JSON string or a regular expression, or undo it.

    The result of json has no quotation marks around it. Unescaping html knows all names of HTML5;
    xml knows &amp; &lt; &gt; &quot; &apos; and character numbers, and reads no DTD; regex removes
    backslashes and refuses a pattern that is not an escaped text.

    Args:
        text: The text to escape or unescape.
        format: The language whose characters are meant.
        direction: Whether to escape or to unescape.
    """
    escaping = ESCAPINGS[format]
    return escaping.escape(text) if direction == "escape" else escaping.unescape(text)


@ready_made(example={"text": "ﬁancée", "form": "NFKC"})
def unicode_normalize(text: GrowingText, form: NormalForm = "NFC") -> dict[str, Any]:
    """Bring text into a Unicode normal form, so that equal-looking texts compare as equal.

    NFC composes letters with their accents and is right for most uses; NFD takes them apart; NFKC
    and NFKD also replace look-alikes such as ligatures and full-width letters, which loses them.
    Returns the text and whether it changed.

    Args:
        text: The text to normalise.
        form: The normal form.
    """
    normal = normal_form(form, text)
    return {"text": normal, "changed": normal != text, "characters": len(normal)}
