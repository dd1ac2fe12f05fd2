"""What a helper model says in place of a search query, and how that is noticed.

A small model that is asked for keywords often answers instead, writes code, or goes on talking.
Each of these is refused, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tether.batteries.models.extractive.terms import Vocabulary
from tether.trust.visible import visible_text

LONGEST_QUERY, MOST_WORDS = 200, 24
"""Characters and words of a query."""

MOST_WORDS_OF_A_STATEMENT = 6
"""A query that ends with a full stop and has more words than this is a sentence."""

_LABEL = re.compile(
    r"^(?:the )?(?:(?:search|rewritten|new|short) )*(?:query|keywords?|question|output|rewrite)"
    r"\s*(?:is)?\s*[:\-]\s*",
    re.IGNORECASE,
)
_QUOTES = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb*_ "
_CODE = re.compile(
    r"```|[{};<>]|=>|==|\b\w+\([^)]*\)|^\s*(?:def|class|import|from \w+ import|return|const|let"
    r"|var|function|print|SELECT)\b"
)
_ADDRESS = re.compile(r"\w+://|\]\(|\bwww\.", re.IGNORECASE)
_ANSWERS = re.compile(
    r"^(?:i|i'm|i\u2019m|i'd|we|you|yes|no|sure|okay|ok|certainly|of course|sorry|unfortunately"
    r"|here|it|this|these|they|there|the answer|as an|based on|according to|thank)\b(?!\?)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[.!]\s+\S")


def unwrapped(text: str) -> str:
    """Return what was said without a label before it and quotation marks around it."""
    return _LABEL.sub("", text.strip().strip(_QUOTES)).strip(_QUOTES)


def complaint(text: str, known: Iterable[str]) -> str:
    """Return why a text is no search query about what is known; "" where it may be one.

    `known` are the texts that it has to share a word with: the question, the conversation.
    """
    if not text:
        return "nothing was said"
    if "\n" in text or visible_text(text).hidden:
        return "it is not one plain line"
    words = text.split()
    if len(text) > LONGEST_QUERY or len(words) > MOST_WORDS:
        return "it is too long for a query"
    if _CODE.search(text) or _ADDRESS.search(text):
        return "it holds code or an address"
    if _is_prose(text, len(words)):
        return "it answers instead of asking"
    return "" if _shares(text, known) else "it has no word in common with what was asked"


def _is_prose(text: str, words: int) -> bool:
    ends = text.endswith((".", "!")) and words > MOST_WORDS_OF_A_STATEMENT
    return ends or _ANSWERS.match(text) is not None or _SENTENCES.search(text) is not None


def _shares(text: str, known: Iterable[str]) -> bool:
    vocabulary = Vocabulary(text)
    own = frozenset(vocabulary.terms_of(text))
    return any(not own.isdisjoint(vocabulary.terms_of(other)) for other in known)
