"""Bytes into text: by byte order mark, by declaration, or as UTF-8.

The names of charsets are the labels of the Encoding Standard, section 4.2, and a few others that
pages use. Python has more codecs than belong on the web, some slow and some not charsets at all, so
a name is looked up here and nowhere else: a page may not choose UTF-7, in which `+ADw-` is a tag.
"""

from __future__ import annotations

import codecs
import re
from codecs import IncrementalDecoder, charmap_decode, getincrementaldecoder
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_ISO_PARTS = {
    2: "csisolatin2 iso-ir-101 iso_8859-2:1987 l2 latin2 latin-2",
    3: "csisolatin3 iso-ir-109 iso_8859-3:1988 l3 latin3",
    4: "csisolatin4 iso-ir-110 iso_8859-4:1988 l4 latin4",
    5: "csisolatincyrillic cyrillic iso-ir-144 iso_8859-5:1988",
    6: "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso_8859-6:1987",
    7: "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso_8859-7:1987 sun_eu_greek",
    8: "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8-e iso-8859-8-i iso-ir-138 "
    "iso_8859-8:1988 logical visual",
    10: "csisolatin6 iso-ir-157 l6 latin6",
    13: "",
    14: "",
    15: "csisolatin9 l9 latin-9 latin9",
    16: "",
}
"""Other names of the parts of ISO 8859. Parts 1, 9 and 11 are read as the Windows pages."""

_ONE_BYTE = {
    "cp866": "866 cp866 csibm866 ibm866",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1252": "ansi_x3.4-1968 ascii cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 "
    "iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 latin-1 us-ascii",
    "cp1254": "csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 "
    "latin5 latin-5",
    "koi8_r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8_u": "koi8-ru koi8-u",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "mac_roman": "csmacintosh mac macintosh x-mac-roman",
}

_MORE_BYTES = {
    "big5hkscs": "big5-hkscs",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr euckr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
    "ksc5601 ksc_5601 windows-949",
    "cp950": "big5 cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp eucjp x-euc-jp",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb18030 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 "
    "x-gbk",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
}


def _by_label(names: Mapping[str, str]) -> dict[str, str]:
    return {label: codec for codec, labels in names.items() for label in labels.split()}


def _iso_labels(part: int) -> str:
    return f"iso-8859-{part} iso8859-{part} iso8859{part} iso_8859-{part}"


_TABLES = _by_label(
    _ONE_BYTE
    | {f"iso8859_{part}": f"{_iso_labels(part)} {others}" for part, others in _ISO_PARTS.items()}
) | _by_label({f"cp{page}": f"cp{page} windows-{page} x-cp{page}" for page in range(1250, 1259)})
_CODECS = _by_label(_MORE_BYTES)


MOST_CONTROLS = 0.02
FEW_CONTROLS = 4

_WEB_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The marks of UTF-32 begin with those of UTF-16, so they are tried first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    *_WEB_MARKS,
)
_HEADER = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w:.+-]{1,40})", re.IGNORECASE)
_TAG = re.compile(
    rb"<meta\s[^>]{0,200}charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w:.+-]{1,40})", re.IGNORECASE
)
_SAMPLE = 64 * 1024
_HEAD = 4_096
_MOST_NULS = 0.01
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class NotText(ValueError):
    """The bytes are not text, or break the encoding that their mark promises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """The text of a file without its byte order mark, and notes on what was guessed."""

    text: str
    notes: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """Return the text of a file: by its byte order mark, else UTF-8, else Windows-1252 with a note.

    Newlines stay as they are. An encoding that the file itself names (a cookie, a meta tag) is not
    used. Raises `NotText` for binary data and for bytes that contradict their mark.
    """
    codec, length = _marked(data, _MARKS)
    if codec:
        return Decoded(text=_checked_text(_strictly(data[length:], codec)))
    try:
        return Decoded(text=_checked_text(data.decode("utf-8")))
    except UnicodeDecodeError:
        text = _checked_text(data.decode("cp1252", errors="replace"))
    return Decoded(text=text, notes=("not UTF-8: read as Windows-1252",))


def decode_html(data: bytes, content_type: str = "") -> Decoded:
    """Return the text of a page. Raises `NotText` for binary data.

    A byte order mark counts most. Bytes that are UTF-8 are read so whatever the server or the page
    says, because other text is never UTF-8 by accident. Next come the server's charset and the
    page's. The last guess is Windows-1252.
    """
    codec, length = _marked(data, _WEB_MARKS)
    if codec:
        return _checked_page(data[length:].decode(codec, errors="replace"))
    if codec := _unmarked_utf16(data):
        return _checked_page(data.decode(codec, errors="replace"), f"read as {codec} by its shape")
    declared = _declared(data, content_type)
    if declared != "iso2022_jp":
        try:
            return _checked_page(data.decode("utf-8"))
        except UnicodeDecodeError:
            pass
    if declared in ("", "utf-8", "utf-16-le", "utf-16-be"):
        note = "not the UTF-8 that it should be: read as Windows-1252"
        return _checked_page(data.decode("cp1252", errors="replace"), note)
    return _checked_page(decoder_of(declared).decode(data, final=True))


def page_codec(data: bytes, content_type: str) -> tuple[str, int]:
    """Return the codec of a page, as browsers choose it, and the length of its byte order mark."""
    codec, length = _marked(data, _WEB_MARKS)
    return codec or _declared(data, content_type) or "utf-8", length


def decoder_of(codec: str) -> IncrementalDecoder:
    """Return a decoder that replaces bytes it cannot read by U+FFFD."""
    if codec in _TABLES.values():
        return _TableDecoder(codec)
    return getincrementaldecoder(codec)("replace")


class _TableDecoder(IncrementalDecoder):
    """Reads one byte at a time by a table without holes, which makes errors as quick as letters.

    Bytes from 80 to 9F that a charset leaves open are control characters, as the standard has it.
    """

    def __init__(self, codec: str) -> None:
        super().__init__()
        found = (bytes([byte]).decode(codec, "replace") for byte in range(256))
        self._table: Any = "".join(  # a string is the quickest table, but is not typed as one
            chr(byte) if character == "\ufffd" and byte < 0xA0 else character
            for byte, character in enumerate(found)
        )

    def decode(self, input: Any, final: bool = False) -> str:
        """Return the text of some bytes."""
        return charmap_decode(input, "strict", self._table)[0]


def _codec_of(label: str) -> str:
    """Return Python's name for a charset of the web; "" for an unknown one."""
    name = label.lower()
    return _TABLES.get(name) or _CODECS.get(name, "")


def _marked(data: bytes, marks: Iterable[tuple[bytes, str]]) -> tuple[str, int]:
    """Return the encoding that a byte order mark names and the mark's length; "" and 0 for none."""
    found = ((codec, len(mark)) for mark, codec in marks if data.startswith(mark))
    return next(found, ("", 0))


def _declared(data: bytes, content_type: str) -> str:
    """Return the charset that the header names, else the page's tag; "" for no known name."""
    if found := _HEADER.search(content_type):
        return _codec_of(found[1])
    tag = _TAG.search(data[:_HEAD])
    codec = _codec_of(tag[1].decode("ascii")) if tag else ""
    return "utf-8" if codec.startswith("utf-16") else codec  # or the tag would not be readable


def _strictly(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        reason = f"the byte order mark says {codec}, but the bytes are not: {error.reason}"
        raise NotText(f"{reason}. Save the file as UTF-8") from None


def _checked_text(text: str) -> str:
    """Return the text; refuse data that only looks like text because every byte has a meaning."""
    if "\x00" in text:
        raise NotText("binary: the file holds NUL bytes, so it is not text")
    sample = text[:_SAMPLE]
    if len(_CONTROLS.findall(sample)) > max(FEW_CONTROLS, MOST_CONTROLS * len(sample)):
        raise NotText("binary: the file is full of control characters")
    return text


def _checked_page(text: str, *notes: str) -> Decoded:
    nuls = text.count("\x00")
    if nuls > _MOST_NULS * len(text):
        raise NotText("binary: the file holds NUL bytes, so it is not a web page")
    return Decoded(text=text.replace("\x00", "\ufffd") if nuls else text, notes=notes)


def _unmarked_utf16(data: bytes) -> str:
    """Return the byte order of UTF-16 without a mark: every second byte of its tags is zero."""
    head = data[:1_024]
    half = len(head) // 2
    if half < 8:
        return ""
    even, odd = head[0 : 2 * half : 2].count(0), head[1 : 2 * half : 2].count(0)
    if odd > 0.7 * half and even < 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.7 * half and odd < 0.1 * half else ""
