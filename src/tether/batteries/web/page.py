"""A page that was read whole, and how its bytes become text."""

from __future__ import annotations

import asyncio
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from io import IncrementalNewlineDecoder

from tether.batteries.web.charsets import codec_of, decoder_of
from tether.core.cleaning import clean_text

_HEADER_CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w:.+-]{1,40})", re.IGNORECASE)
_META_CHARSET = re.compile(
    rb"<meta\s[^>]{0,200}charset\s{0,9}=\s{0,9}[\"']?([\w:.+-]{1,40})", re.IGNORECASE
)
_META_WITHIN = 1024

_BYTE_ORDER_MARKS = {BOM_UTF8: "utf-8-sig", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}

_AT_ONCE = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Text from the web, as it was sent: markup included."""

    url: str
    """Where it was found in the end, after redirects."""

    status: int
    content_type: str
    text: str


async def decoded(body: bytes, content_type: str) -> str:
    """Return a body as text, by its byte order mark, its header, its `<meta>` tag, or as UTF-8.

    Bytes that make no sense become U+FFFD, a charset that is not known is read as UTF-8, and line
    ends become "\\n". Others get their turn meanwhile: errors take their time in some charsets.
    """
    decoder = IncrementalNewlineDecoder(decoder_of(_codec(body, content_type)), translate=True)
    parts: list[str] = []
    for start in range(0, len(body), _AT_ONCE):
        end = start + _AT_ONCE
        parts.append(clean_text(decoder.decode(body[start:end], final=end >= len(body))))
        await asyncio.sleep(0)
    return "".join(parts)


def _codec(body: bytes, content_type: str) -> str:
    for mark, codec in _BYTE_ORDER_MARKS.items():
        if body.startswith(mark):
            return codec
    if declared := _HEADER_CHARSET.search(content_type):
        return codec_of(declared[1])
    if declared_inside := _META_CHARSET.search(body[:_META_WITHIN]):
        codec = codec_of(declared_inside[1].decode("ascii"))
        return "utf-8" if codec.startswith("utf-16") else codec  # or the tag were not readable
    return "utf-8"
