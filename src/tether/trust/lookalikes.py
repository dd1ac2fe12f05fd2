"""Where a text could be taken for our own tags, or for a command of a chat template."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from tether.trust.control_tokens import ANGLED, NUMBERED, ROLES, SQUARED
from tether.trust.folding import folded, spelling
from tether.trust.names import LOOK_ALIKES

if TYPE_CHECKING:
    from collections.abc import Callable

# The characters that make a look-alike one, and the references that stand for them afterwards.
_REFERENCES = {
    "<": ("lt", "#65308", "#65124"),
    "[": ("#91", "#65339", "#65095"),
    "]": ("#93", "#65341", "#65096"),
    ":": ("#58", "#65306", "#65109", "#65043"),
}


def rewritten(text: str, change: Callable[[str], str]) -> str:
    """Return `text` with each spot changed; the same object where there is none.

    A spot is the one character that makes a look-alike, or a reference that stands for it (`&lt;`,
    `&amp;lt;`, `&#91;` …), with that behind it which makes a tag or a token of it. What follows a
    spot reads the same however other spots are rewritten, so that a text and its rewritten form
    have the same spots. That is what makes rewriting reversible.
    """
    pieces: list[str] = []
    done = 0
    for found in _pattern().finditer(folded(text)):
        start, end = found.span()
        spot = text[start:end]
        # Folding may only have changed what follows: "&LT;" is not a reference.
        if end - start == 1 or spot == found[0]:
            pieces.append(text[done:start])
            pieces.append(change(spot))
            done = end
    return "".join((*pieces, text[done:])) if done else text


@cache
def _pattern() -> re.Pattern[str]:
    """Each way begins with its own character, so that the engine skips whatever begins none."""
    angle, square, closing = _after_angle(), _after_square(), "~!?b"
    references = (
        f"{_reference('<')}(?={angle})",
        f"{_reference('[')}(?={square})",
        f"{_reference(']')}(?={closing})",
    )
    ways = (
        f"<(?={angle})",
        rf"\[(?={square})",
        rf"\](?={closing})",
        f":{_in_turn(':')}",
        f"&(?:amp;)*+(?:{'|'.join(references)})",
        f"&{_in_turn('&')}(?:amp;)*+{_reference(':')}",
    )
    return re.compile("|".join(ways))


# Texts that are joined by an empty line have the same spots as one by one: a turn starts at the
# beginning of each, and no tag reaches across.
_TURN_STARTS = (r"\A", r"\A\n", r"\A\r\n", r"\n\n", r"\n\r\n")
_SPACE = r"[^\S\n]*+(?:\n[^\S\n]*+)?+"


def _reference(character: str) -> str:
    return f"(?:{'|'.join(_REFERENCES[character])});"


def _in_turn(character: str) -> str:
    """What has just been read is this character after the name of a role that opens a turn."""
    return f"(?:{'|'.join(f'(?<={s}{r}{character})' for r in ROLES for s in _TURN_STARTS)})"


def _after_angle() -> str:
    beginnings = "".join({name[0] for name in LOOK_ALIKES})
    return (
        rf"(?:\|\S|(?=[\s/{beginnings}]){_SPACE}(?:/{_SPACE})?+{spelling(LOOK_ALIKES)}"
        rf"|/?(?:(?:{'|'.join(ANGLED)}|sys>|(?:{'|'.join(NUMBERED)})\d++)>)|[a-z_]++\|>|function=)"
    )


def _after_square() -> str:
    return rf"(?:\|\S|e~|/?(?:{'|'.join(SQUARED)}|control_\d++)\])"
