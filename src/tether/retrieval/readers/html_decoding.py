"""The bytes of a web page as text: by mark, by shape, by what it declares, and never by UTF-7."""

from __future__ import annotations

import codecs
import re
from types import MappingProxyType

from tether.core.errors import DocumentUnreadable
from tether.retrieval.readers.decoding import Decoded

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"charset\s{0,8}=\s{0,8}[\"']?\s{0,8}([A-Za-z0-9._:-]{1,40})", re.IGNORECASE
)
_HEAD = 4_096
_MOST_NULS = 0.01
_AS_THE_WEB_READS = MappingProxyType(
    {
        "ascii": "cp1252",
        "us-ascii": "cp1252",
        "iso-8859-1": "cp1252",
        "latin1": "cp1252",
        "iso-8859-9": "cp1254",
        "iso-8859-11": "cp874",
        "gb2312": "gb18030",
        "gbk": "gb18030",
        "shift_jis": "cp932",
        "shift-jis": "cp932",
        "sjis": "cp932",
        "x-sjis": "cp932",
        "ks_c_5601-1987": "cp949",
        "euc-kr": "cp949",
        "big5": "big5hkscs",
        "tis-620": "cp874",
        "macintosh": "mac_roman",
    }
)
_KNOWN_NAMES = (
    "big5hkscs cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 cp932"
    " cp949 euc_jp gb18030 iso2022_jp iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6"
    " iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u"
    " mac-cyrillic mac-roman utf-8"
)
_KNOWN = frozenset(_KNOWN_NAMES.split())


def decode_html(data: bytes, content_type: str = "") -> Decoded:
    """Return the text of a page. Raises `DocumentUnreadable` for what is no text.

    A byte order mark counts most. Bytes that are UTF-8 are read so whatever the server or the page
    says, because other text is never UTF-8 by accident. Then counts what the server says, then the
    page, each only with a charset that browsers read; a page may not choose UTF-7, in which `+ADw-`
    is a tag. The last guess is Windows-1252.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _checked(data[len(mark) :].decode(encoding, errors="replace"))
    if encoding := _unmarked_utf16(data):
        return _checked(data.decode(encoding, errors="replace"), f"read as {encoding} by its shape")
    declared = _declared(content_type.encode("ascii", "ignore")) or _declared(data[:_HEAD])
    if declared != "iso2022_jp":
        try:
            return _checked(data.decode("utf-8"))
        except UnicodeDecodeError:
            pass
    return _as_declared(data, declared)


def _as_declared(data: bytes, declared: str) -> Decoded:
    if declared in ("", "utf-8"):
        note = "not the UTF-8 that it should be: read as Windows-1252"
        return _checked(data.decode("cp1252", errors="replace"), note)
    return _checked(data.decode(declared, errors="replace"))


def _declared(text: bytes) -> str:
    """Return how Python calls the charset that a header or a page names; "" for no good name."""
    found = _DECLARED.search(text)
    if found is None:
        return ""
    name = found[1].decode("ascii").lower()
    try:
        known = codecs.lookup(_AS_THE_WEB_READS.get(name, name)).name
    except LookupError:
        return ""
    return known if known in _KNOWN else ""


def _unmarked_utf16(data: bytes) -> str:
    """Return the byte order of UTF-16 that says nothing: every second byte of its tags is zero."""
    head = data[:1_024]
    half = len(head) // 2
    if half < 8:
        return ""
    even, odd = head[0 : 2 * half : 2].count(0), head[1 : 2 * half : 2].count(0)
    if odd > 0.7 * half and even < 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.7 * half and odd < 0.1 * half else ""


def _checked(text: str, *notes: str) -> Decoded:
    nuls = text.count("\x00")
    if nuls > _MOST_NULS * len(text):
        raise DocumentUnreadable("binary: the file holds NUL bytes, so it is not a web page")
    return Decoded(text=text.replace("\x00", "\ufffd") if nuls else text, notes=notes)
