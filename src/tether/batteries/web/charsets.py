"""The names under which the web knows its charsets, and how Python reads each of them.

The names are the labels of the Encoding Standard, section 4.2, and a few that pages use besides.
Python knows more charsets than belong on the web, some slow and some no charsets at all; so a name
is looked up here and nowhere else.
"""

from __future__ import annotations

from codecs import IncrementalDecoder, charmap_decode, getincrementaldecoder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


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
"""What else the parts of ISO 8859 are called. Parts 1, 9 and 11 are read as what grew from them."""

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


def codec_of(label: str) -> str:
    """Return Python's name for a charset of the web; one that is not known is taken for UTF-8."""
    name = label.lower()
    return _TABLES.get(name) or _CODECS.get(name, "utf-8")


def decoder_of(codec: str) -> IncrementalDecoder:
    """Return what turns bytes into text; bytes that make no sense become U+FFFD."""
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
        self._table: Any = "".join(  # a string is the quickest table, and typed as none
            chr(byte) if character == "\ufffd" and byte < 0xA0 else character
            for byte, character in enumerate(found)
        )

    def decode(self, input: Any, final: bool = False) -> str:
        """Return the text of some bytes."""
        return charmap_decode(input, "strict", self._table)[0]
