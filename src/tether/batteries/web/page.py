"""A page that was read whole, and how its bytes become text."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass

from tether.core.cleaning import clean_text

_HEADER_CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w:.+-]{1,40})", re.IGNORECASE)
_META_CHARSET = re.compile(
    rb"<meta\s[^>]{0,200}charset\s{0,9}=\s{0,9}[\"']?([\w:.+-]{1,40})", re.IGNORECASE
)
_META_WITHIN = 1024

_BYTE_ORDER_MARKS = {BOM_UTF8: "utf-8-sig", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}

_CHARSETS = {
    "ascii": "cp1252",
    "big5": "cp950",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "gb2312": "gb18030",
    "gb18030": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
    "latin1": "cp1252",
    "shift_jis": "cp932",
    "us-ascii": "cp1252",
    "utf-16": "utf-16",
    "utf-16be": "utf-16-be",
    "utf-16le": "utf-16-le",
    **{f"iso-8859-{part}": f"iso8859_{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"windows-{page}": f"cp{page}" for page in range(1250, 1259)},
}
"""The charsets of the Encoding Standard, by label. Python knows more than belong on the web, some
slow and some no charsets at all; so a label is looked up here and nowhere else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Text from the web, as it was sent: markup included."""

    url: str
    """Where it was found in the end, after redirects."""

    status: int
    content_type: str
    text: str


def decoded(body: bytes, content_type: str) -> str:
    """Return a body as text, by its byte order mark, its header, its `<meta>` tag, or as UTF-8.

    Bytes that make no sense become U+FFFD, a charset that is not known is read as UTF-8, and line
    ends become "\\n".
    """
    text = body.decode(_charset(body, content_type), "replace")
    return clean_text(text).replace("\r\n", "\n").replace("\r", "\n")


def _charset(body: bytes, content_type: str) -> str:
    for mark, charset in _BYTE_ORDER_MARKS.items():
        if body.startswith(mark):
            return charset
    if declared := _HEADER_CHARSET.search(content_type):
        return _CHARSETS.get(declared[1].lower(), "utf-8")
    if declared_inside := _META_CHARSET.search(body[:_META_WITHIN]):
        return _CHARSETS.get(declared_inside[1].decode("ascii").lower(), "utf-8")
    return "utf-8"
