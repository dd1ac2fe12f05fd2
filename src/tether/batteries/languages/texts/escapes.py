"""Characters that mean something in a language, escaped and taken back."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable

_XML_NAMES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_XML_ESCAPES = str.maketrans({character: f"&{name};" for name, character in _XML_NAMES.items()})
_XML_REFERENCE = re.compile("&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|([a-z]{1,4}));|&.{0,20}", re.S)
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONG_REFERENCE = re.compile("&#[0-9]{1000}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_REGEX_PART = re.compile(r"\\(.?)|[][.^$*+?(){}|]", re.DOTALL)


class Escaping(NamedTuple):
    """A way to escape a text, and back; both raise `InputRefused` where there is no way."""

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
    """Replace the five named references and numbers, once: what they stand for is not read again.

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
            f"{match[0]!r} at position {match.start()} is no reference that XML has without a DTD: "
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
    """Take the backslashes off an escaped text; refuse a pattern, which is not one text."""
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
