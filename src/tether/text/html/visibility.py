"""Elements that a person does not see, as their own attributes say; style sheets are not read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.text.html.tokens import resolved

if TYPE_CHECKING:
    from collections.abc import Mapping

    Attributes = Mapping[str, str | None]

_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?+")
_ZERO = r"[+-]?+(?:0++(?:\.0++)?+|\.0++)(?![.0-9])"
_INVISIBLE = re.compile(
    r"(?:^|;)(?:display:none|(?:content-)?+visibility:(?:hidden|collapse)"
    rf"|(?:font-size|opacity):{_ZERO})"
)
_NO_SIZE = re.compile(rf"(?:^|;)(?:max-)?+(?:height|width):{_ZERO}")
_CUT_OFF = re.compile(r"(?:^|;)overflow(?:-[xy])?+:(?:hidden|clip)")
_OUT_OF_SIGHT = re.compile(
    rf"(?:^|;)(?:(?:line-height|zoom):{_ZERO}"
    r"|(?:left|top|right|text-indent|margin-left):-\d{3,}"
    r"|clip:rect\((?:0|1)(?:px)?[, ]|clip-path:inset\((?:50|100)%)"
)
_COLOR = re.compile(r"(?:^|;)color:([^;!]+)")
_BACKGROUND = re.compile(r"(?:^|;)background(?:-color)?:([^;!]+)")
_WHITE = frozenset(
    ("white", "#fff", "#ffffff", "rgb(255,255,255)", "rgba(255,255,255,1)", "transparent")
)
_READ_ALOUD = frozenset(("sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"))
LONGEST_STYLE = 50_000


def is_hidden(name: str, attributes: Attributes, *, longest: int = LONGEST_STYLE) -> bool:
    """Return whether an element is hidden: by `hidden`, `aria-hidden`, or a style.

    So is a dialog that is not open. The style takes an element off the page, makes it transparent
    or gives it no size; one that is longer than `longest` is not searched and counts as hiding.
    """
    if "hidden" in attributes or (name == "dialog" and "open" not in attributes):
        return True
    if _squeezed((attributes.get("aria-hidden") or "")[:longest]) == "true":
        return True
    style = attributes.get("style") or ""
    if len(style) > longest:
        return True
    plain = _squeezed(style)
    if _INVISIBLE.search(plain):
        return True
    # What does not fit into a box is shown all the same, unless it is cut off at the padding.
    return bool(_NO_SIZE.search(plain) and _CUT_OFF.search(plain)) and "padding" not in plain


def is_out_of_sight(attributes: Attributes) -> bool:
    """Return whether an element that is not hidden is still not seen.

    It is moved away or clipped, has the color of its background, or is only read aloud.
    """
    if not _READ_ALOUD.isdisjoint((attributes.get("class") or "").split()):
        return True
    plain = _squeezed(attributes.get("style") or "")
    return _OUT_OF_SIGHT.search(plain) is not None or _is_white_on_white(plain)


def comes_later(attributes: Attributes) -> bool:
    """Return whether `hidden` is lifted sooner or later: by choosing a tab, or by a search."""
    return attributes.get("role") == "tabpanel" or attributes.get("hidden") == "until-found"


def _is_white_on_white(style: str) -> bool:
    """Return whether text has the color of its background, which is white where none is given."""
    color, background = _COLOR.search(style), _BACKGROUND.search(style)
    if color is None:
        return False
    return color[1] == background[1] if background else color[1] in _WHITE


def _squeezed(value: str) -> str:
    """Return a value without references, comments and white space, in lower case."""
    return "".join(_COMMENT.sub("", resolved(value)).lower().split()) if value else ""
