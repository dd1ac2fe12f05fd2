"""Which elements say of themselves that a person does not see them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.batteries.web.html_tokens import resolved

if TYPE_CHECKING:
    from tether.batteries.web.html_tokens import StartTag

_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?+")
_ZERO = r"[+-]?+(?:0++(?:\.0++)?+|\.0++)(?![.0-9])"
_INVISIBLE = re.compile(
    r"(?:^|;)(?:display:none|(?:content-)?+visibility:(?:hidden|collapse)"
    rf"|(?:font-size|opacity):{_ZERO})"
)
_NO_SIZE = re.compile(rf"(?:^|;)(?:max-)?+(?:height|width):{_ZERO}")
_CUT_OFF = re.compile(r"(?:^|;)overflow(?:-[xy])?+:(?:hidden|clip)")
_LONGEST_VALUE = 50_000


def is_hidden(tag: StartTag) -> bool:
    """Say whether an element is hidden by its own attributes.

    That is `hidden`, `aria-hidden`, a dialog that is not open, and a style that takes it off the
    page, makes it transparent or gives it no size. Style sheets are not read, and text that is
    moved out of sight, covered, or has the color of its background is not recognized. A style that
    is too long to be looked through counts as one that hides.
    """
    attributes = tag.attributes
    if "hidden" in attributes or (tag.name == "dialog" and "open" not in attributes):
        return True
    if _squeezed(resolved(attributes.get("aria-hidden", "")[:_LONGEST_VALUE])) == "true":
        return True
    return "style" in attributes and _is_invisible(attributes["style"])


def _is_invisible(style: str) -> bool:
    if len(style) > _LONGEST_VALUE:
        return True
    plain = _squeezed(_COMMENT.sub("", resolved(style)))
    if _INVISIBLE.search(plain):
        return True
    # What does not fit into a box is shown all the same, unless it is cut off at the padding.
    return bool(_NO_SIZE.search(plain) and _CUT_OFF.search(plain)) and "padding" not in plain


def _squeezed(value: str) -> str:
    """Return a value in lower case and without any white space."""
    return "".join(value.lower().split())
