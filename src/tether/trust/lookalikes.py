"""Where a text could be taken for our own tags, or for a command of a chat template.

Our tags are looked for as a careless reader sees them, whatever the case and the width of their
letters. Control tokens are looked for as tokenizers do: letter by letter.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from tether.trust.control_tokens import (
    ANGLED,
    FAMILIES,
    HEADINGS,
    NUMBERED,
    NUMBERED_SQUARED,
    ROLES,
    SQUARED,
    WITH_ATTRIBUTES,
)
from tether.trust.folding import folded, folds, spelling
from tether.trust.names import LOOK_ALIKES

if TYPE_CHECKING:
    from collections.abc import Callable


def rewritten(text: str, change: Callable[[str], str]) -> str:
    """Return `text` with each spot changed; the same object where there is none.

    A spot is the one character that makes a look-alike, or a reference that stands for it (`&lt;`,
    `&amp;lt;`, `&#91;` …), with that around it which makes a tag or a token of it. What stands
    around a spot reads the same however other spots are rewritten, so that a text and its
    rewritten form have the same spots. That is what makes rewriting reversible. A closing bracket
    is therefore never a spot: it is part of what makes `[INST]` one.
    """
    if folds(text):
        return _with_folded_tags(text, change)
    return _spots().sub(lambda found: change(found[0]), text) if _may_hold(text) else text


def _may_hold(text: str) -> bool:
    """Say whether there is anything that a spot begins with, or a role: quicker than looking."""
    return (
        "<" in text
        or "[" in text
        or "&" in text
        or "]" in text
        or any(role in text for role in ROLES)
    )


def _with_folded_tags(text: str, change: Callable[[str], str]) -> str:
    """Do the same where letters or brackets may only look like those of a tag."""
    found = {match.start(): match.end() for match in _spots().finditer(text)}
    for match in _folded_tags().finditer(folded(text)):
        start, end = match.span()
        # Folding may only have changed what follows: "&LT;" is not a reference.
        if end - start == 1 or text[start:end] == match[0]:
            found[start] = end
    pieces: list[str] = []
    done = 0
    for start in sorted(found):
        pieces += (text[done:start], change(text[start : found[start]]))
        done = found[start]
    return "".join((*pieces, text[done:])) if done else text


_WIDE = "(?:lt|#65308|#65124);"
"""A reference to any of the brackets that fold to one."""


@cache
def _spots() -> re.Pattern[str]:
    """Each way begins with its own character, so that the engine skips whatever begins none."""
    tag = f"(?i:{_tag()})"
    angle, square = f"(?:{_after_angle()}|{tag})", _after_square()
    references = (
        f"lt;(?={angle})",
        f"(?:#65308|#65124);(?={tag})",
        f"#91;(?={square})",
    )
    behind_bracket = (r"lt;(?=\])", "#126;(?=!?b)", "#33;(?=[pd]~)")
    ways = (
        rf"<(?:(?={angle})|(?<=\]<)(?=\])|(?<=<<){_after_heading('<<')})",
        rf"\[(?={square})",
        r"~(?<=\]~)(?=!?b)",
        r"!(?<=\]!)(?=[pd]~)",
        f":{_in_turn(':')}",
        f"&(?:amp;)*+(?:{'|'.join(references)})",
        rf"&(?<=\]&)(?:amp;)*+(?:{'|'.join(behind_bracket)})",
        f"&(?<=<&){_after_heading('<&')}(?:amp;)*+lt;",
        f"&{_in_turn('&')}(?:amp;)*+#58;",
    )
    return re.compile("|".join(ways))


@cache
def _folded_tags() -> re.Pattern[str]:
    return re.compile(f"<(?={_tag()})|&(?:amp;)*+{_WIDE}(?={_tag()})")


# An empty first line counts as one: a body begins behind the line of its tag.
_TURN_STARTS = (r"\A\n", r"\A\r\n", r"\n\n", r"\n\r\n")
_SPACE = r"[^\S\n]*+(?:\n[^\S\n]*+)?+"


def _in_turn(character: str) -> str:
    """What has just been read is this character after the name of a role that opens a turn."""
    return f"(?:{'|'.join(f'(?<={s}{r}{character})' for r in ROLES for s in _TURN_STARTS)})"


def _after_heading(end: str) -> str:
    return f"(?:{'|'.join(f'(?<=>>{heading}{end})' for heading in HEADINGS)})"


def _tag() -> str:
    beginnings = "".join(sorted({name[0] for name in LOOK_ALIKES}))
    return rf"(?=[\s/{beginnings}]){_SPACE}(?:/{_SPACE})?+{spelling(LOOK_ALIKES, ligatures=True)}"


def _after_angle() -> str:
    """What makes a control token of an opening angle bracket.

    No way holds a character that could be a spot itself: `<[begin…]>` is safe because no token in
    square brackets begins so.
    """
    words = spelling(f"{word}>" for word in (*ANGLED, "SYS>"))
    more = "|".join((*FAMILIES, rf"{spelling(NUMBERED)}\d++"))
    return (
        rf"/?(?:[|\uff5c]\S|{words}|(?:{more})>|{spelling(WITH_ATTRIBUTES)}[\s=>])"
        r"|[a-z_]++\|>|\[(?:begin|end|[A-Z]++_never_used)[\w\u2581]*+\]>"
    )


def _after_square() -> str:
    numbered = rf"{spelling(NUMBERED_SQUARED)}\d++"
    return rf"(?:[|\uff5c]\S|e~|/?(?:{spelling(SQUARED)}|{numbered})\])"
