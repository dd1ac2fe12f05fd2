"""Tags around the content of a prompt: its author, and its end."""

# No `from __future__ import annotations` here: see prompt.py.
import re
from collections.abc import Mapping
from typing import NamedTuple

from tether.trust.lookalikes import rewritten
from tether.trust.tag_shapes import NoncedName, PlainName
from tether.trust.visible import visible_text

Attributes = Mapping[str, str | None]
"""In the order in which they are shown; None is left out."""

ATTRIBUTE_LENGTH = 200
ELLIPSIS = "…"

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_ESCAPED = str.maketrans(_ENTITIES)
_CHARACTERS = {entity: character for character, entity in _ENTITIES.items()}
_REFERENCE = re.compile("&(?:amp|lt|gt|quot|#[0-9]{1,7});")
# Printable, short, and without any character that a look-alike could begin with.
_PLAIN = re.compile(rf"[ !#-%'-;=?-Z\\^-~]{{0,{ATTRIBUTE_LENGTH}}}")
_BLANKS = re.compile(r"[\t\n\r\u2028\u2029]+")


class CutText(NamedTuple):
    """The beginning of a text, and the attributes that say whether it is only that."""

    text: str
    attributes: dict[str, str | None]


def envelope(name: NoncedName, nonce: str, attributes: Attributes, body: str) -> str:
    """Return `body` between tags that carry the nonce in their names.

    The body is not changed: neutralise a payload before, but not another envelope.
    """
    return _block(f"{name}_{nonce}", attributes, body)


def plain_block(name: PlainName, attributes: Attributes, body: str) -> str:
    """Return `body` between tags without a nonce: developer text, or a group of envelopes."""
    return _block(name, attributes, body)


def cut_text(text: str, length: int) -> CutText:
    """Return at most `length` characters of a text that is yet to be neutralised and wrapped.

    Cut before wrapping, a record keeps its closing tag; the mark of the cut is an attribute of the
    envelope, `cut="true"`, which no payload can forge.
    """
    return CutText(text[:length], {"cut": "true" if len(text) > length else None})


def attribute_text(value: str) -> str:
    """Return an attribute's value as it is shown: one line, no hidden characters, not too long.

    An ellipsis replaces the part that is cut off.
    """
    shown = _BLANKS.sub(" ", visible_text(value).text)
    if len(shown) <= ATTRIBUTE_LENGTH:
        return shown
    # The cut may have removed the letter that made a hidden character legal: hence again.
    return f"{visible_text(shown[:ATTRIBUTE_LENGTH]).text}{ELLIPSIS}"


def is_attribute_text(value: str) -> bool:
    """Return whether `attribute_text` may have made this."""
    uncut = value.removesuffix(ELLIPSIS) if len(value) > ATTRIBUTE_LENGTH else value
    return attribute_text(uncut) == uncut


def quoted(value: str) -> str:
    """Escape a value for use between double quotes: & < > " and the characters of look-alikes."""
    return rewritten(value.translate(_ESCAPED), _referred)


def unquoted(text: str) -> str:
    """Return the value that `quoted` made this from."""
    return _REFERENCE.sub(_character, text)


def _block(tag: str, attributes: Attributes, body: str) -> str:
    shown = "".join(
        f' {name}="{_shown(value)}"' for name, value in attributes.items() if value is not None
    )
    return f"<{tag}{shown}>\n{body}\n</{tag}>"


def _shown(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else quoted(attribute_text(value))


def _referred(spot: str) -> str:
    """Escape a spot that the four entities leave, such as that of `[INST]`."""
    return spot if spot[0] == "&" else f"&#{ord(spot)};"


def _character(found: re.Match[str]) -> str:
    reference = found.group()
    return _CHARACTERS.get(reference) or chr(int(reference[2:-1]))
