"""The "Yes" or "No" in front of an answer, against the sentence behind it.

Nothing quotes a "Yes", so only what is behind it can tell that it is wrong: a sentence that denies
what was asked does not follow a "Yes", and one that affirms every word of it follows no "No".
"""

from __future__ import annotations

import re

from tether.ask.citations.wording import Said

_YES = r"yes|yeah|ja|oui|s\u00ed"
_NO = r"no|nope|nein|non"
OPENING = re.compile(
    rf"[*_]{{0,3}}(?:(?P<yes>{_YES})|(?P<no>{_NO}))[*_]{{0,3}}"
    r"(?:[,.;:!][*_]{0,3}|\s?[\u2013\u2014-](?=\s))(?:\s+(?!\d)|\Z)",
    re.IGNORECASE,
)
"""The word with the sign behind it; "No. 5" is none, and neither is "No messages"."""

_FEWEST_ASKED = 2
_LIMITS = re.compile(
    r"\b(?:only|instead|must|but|except|unless|until|rather|each|one|other|different|separate"
    r"|however|although|without|already|always|by|too)\b",
    re.IGNORECASE,
)


def affirms(text: str) -> bool:
    """Say whether a text is a "Yes" and nothing else."""
    match = OPENING.fullmatch(text)
    return match is not None and match["yes"] is not None


def contradicts_opening(opening: str, text: str, asked: Said, said: Said) -> bool:
    """Say whether a text is a "Yes" or "No" that the sentence behind it contradicts."""
    match = OPENING.fullmatch(opening)
    if match is None or asked.negates:
        return False
    if match["yes"]:
        return bool(said.negated & asked.terms)
    affirms = len(asked.terms) >= _FEWEST_ASKED and asked.terms <= said.terms
    same = asked.numbers <= said.numbers and asked.codes <= said.codes
    return affirms and same and not said.negates and _LIMITS.search(text) is None
