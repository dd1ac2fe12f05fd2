"""Which elements of a page a person does not see, as far as the elements themselves say so."""

from __future__ import annotations

import re
from collections.abc import Mapping

_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?+")
_ZERO = r"[+-]?(?:0+(?:\.0+)?|\.0+)(?![.0-9])"
_INVISIBLE = re.compile(
    r"(?:^|;)(?:display:none|(?:content-)?visibility:(?:hidden|collapse)"
    rf"|(?:font-size|opacity|line-height|zoom):{_ZERO}"
    r"|(?:left|top|right|text-indent|margin-left):-\d{3,}"
    r"|clip:rect\((?:0|1)(?:px)?[, ]|clip-path:inset\((?:50|100)%)"
)
_NO_SIZE = re.compile(rf"(?:^|;)(?:max-)?(?:height|width):{_ZERO}")
_CUT_OFF = re.compile(r"(?:^|;)overflow(?:-[xy])?:(?:hidden|clip)")
_COLOR = re.compile(r"(?:^|;)color:([^;!]+)")
_BACKGROUND = re.compile(r"(?:^|;)background(?:-color)?:([^;!]+)")
_WHITE = frozenset(
    ("white", "#fff", "#ffffff", "rgb(255,255,255)", "rgba(255,255,255,1)", "transparent")
)
_FOR_READERS_ALOUD = frozenset(
    ("sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text")
)
_LONGEST_STYLE = 20_000


def is_hidden(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """Return whether an element is hidden by its own attributes.

    Style sheets are not read. The panels of tabs are shown sooner or later, so `hidden` does not
    hide them, and neither does a `hidden` that a search in the page lifts.
    """
    if tag == "dialog" and "open" not in attributes:
        return True
    if not attributes:
        return False
    if "hidden" in attributes and not _comes_later(attributes):
        return True
    if (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    if not _FOR_READERS_ALOUD.isdisjoint((attributes.get("class") or "").split()):
        return True
    style = attributes.get("style")
    return bool(style) and _is_invisible(style or "")


def _comes_later(attributes: Mapping[str, str | None]) -> bool:
    return attributes.get("role") == "tabpanel" or attributes.get("hidden") == "until-found"


def _is_invisible(style: str) -> bool:
    """Return whether a style hides; one that is too long to be looked through counts as such."""
    if len(style) > _LONGEST_STYLE:
        return True
    plain = "".join(_COMMENT.sub("", style.lower()).split())
    if _INVISIBLE.search(plain) or _is_white_on_white(plain):
        return True
    return bool(_NO_SIZE.search(plain) and _CUT_OFF.search(plain)) and "padding" not in plain


def _is_white_on_white(style: str) -> bool:
    """Return whether text has the color of its background, which is white where none is given."""
    color, background = _COLOR.search(style), _BACKGROUND.search(style)
    if color is None:
        return False
    return color[1] == background[1] if background else color[1] in _WHITE
