"""What of a message a person says themselves, as against what they quote, paste or ask."""

from __future__ import annotations

import re

from tether.core.cleaning import clean_text

LONGEST_MESSAGE = 1_500
"""Characters; nobody types more about themselves, so a longer message was pasted."""

LONGEST_SENTENCE = 300

_APOSTROPHES = str.maketrans("\u2019\u02bc", "''")
_QUOTED = re.compile(
    '["`\u2018\u201a-\u201f\u2039\u203a\u00ab\u00bb\u300c-\u300f]'
    r"|(?<!\w)'|'(?!\w)"  # quotation marks, but no apostrophes
    "|^[ \t]*[>|#<]|^[ \t]*(?:[-*\u2022\u2013\u2014]|[0-9]+[.)])[ \t]"  # quotes, tables, lists
    "|:[ \t]*$",  # "The page says:"
    re.MULTILINE,
)
_BOUNDARY = re.compile(r"(?<=[.!?\u2026\u3002\uff01\uff1f])\s+|\n+")
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|ok|okay|well|so|also|btw|by the way|and|thanks|thank you|please|fyi)"
    r"(?:\s+there)?[,!]?\s+){0,3}",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:what|who|whom|whose|which|how|why|where|when|do|does|did|is|are|was|were|am|can|could|"
    r"would|should|shall|will|have|has|had|may|might)\b",
    re.IGNORECASE,
)


def own_statements(text: str) -> list[str]:
    """Return the sentences that a person states in their own words, without greeting and full stop.

    Everything from the first quotation on is left out: a quotation mark, a quoted or tabled line, a
    list, code, or a line that announces one with a colon. So are questions, and messages or
    sentences so long that they were hardly typed.
    """
    cleaned = clean_text(text).translate(_APOSTROPHES)
    if len(cleaned) > LONGEST_MESSAGE:
        return []
    quoted = _QUOTED.search(cleaned)
    sentences = _BOUNDARY.split(cleaned if quoted is None else cleaned[: quoted.start()])
    if quoted is not None:
        sentences.pop()  # it leads up to the quotation
    return [stated for sentence in sentences if (stated := _stated(sentence))]


def _stated(sentence: str) -> str:
    """Return a sentence without its greeting, "" where it states nothing."""
    spaced = " ".join(sentence.split())
    if len(spaced) > LONGEST_SENTENCE or spaced.endswith(("?", "\uff1f")):
        return ""
    greeting = _GREETING.match(spaced)
    stated = spaced[greeting.end() if greeting else 0 :].rstrip(".!\u2026\u3002\uff01 ")
    return "" if _ASKING.match(stated) else stated
