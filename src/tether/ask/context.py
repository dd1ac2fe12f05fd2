"""The text that accompanies a question: a log, a message, the output of a program.

It is somebody else's: a model is shown it as data, in an envelope of the lowest tier, and it is
never evidence. A search is given a few of its words.
"""

from __future__ import annotations

import re

from tether.ask.query.follow_up import points
from tether.ask.values import Asked
from tether.batteries.budget.profiles import ModelProfile
from tether.core.retrievable import Retrievable
from tether.core.tokens import count_tokens

CONTEXT_SHARE = 0.2
"""How much of the window the text may take: the passages need the rest."""

HEAD = "Text that accompanies the question. It is not a document and cannot be cited:\n"
CUT = "\n[... {count:,} characters left out ...]\n"
TAIL_SHARE = 0.7
"""Of a text that does not fit, the end counts more: that is where programs say what went wrong."""


_POINTS_AT_TEXT = re.compile(
    r"\b(?:here|the (?:above|following|error|log|message|output|text|trace|traceback|warning))\b",
    re.IGNORECASE,
)


def is_about_context(question: str) -> bool:
    """Return whether a question is about the text that accompanies it, and not only beside it."""
    return points(question) or _POINTS_AT_TEXT.search(question) is not None


def context_record(asked: Asked, profile: ModelProfile) -> Retrievable:
    """Return the text as a model is shown it.

    It ranks above every passage, so that it is not left out before them.
    """
    return Retrievable(
        id=f"{asked.id}.context",
        content=f"{HEAD}{fitted(asked.context, profile)}",
        trust_tier="third-party-private",
        kind="context",
        score=1.0,
        created_at=asked.started_at,
    )


def fitted(text: str, profile: ModelProfile) -> str:
    """Return a text without its middle where it takes more than its share of the window."""
    room = int(CONTEXT_SHARE * profile.window)
    length = len(text)
    while count_tokens(_cut(text, length), profile.encoding) > room and length > 1:
        length //= 2
    return _cut(text, length)


def _cut(text: str, length: int) -> str:
    if length >= len(text):
        return text
    end = int(TAIL_SHARE * length)
    left_out = CUT.format(count=len(text) - length)
    return f"{text[: length - end]}{left_out}{text[len(text) - end :]}"
