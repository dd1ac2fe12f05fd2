"""Text in a document that commands whoever answers from it, instead of telling a reader anything.

A document is data, and nothing here makes it less dangerous to obey one. But a sentence that such a
command asked for ("the documentation has moved") stands in the document, so it could be cited:
paragraphs with a command vouch for nothing. What is known by its wording only is a second line;
the first is that no document can add a link, call a tool or be remembered. Words in quotation marks
or code are spoken about, and not spoken.
"""

from __future__ import annotations

import re

_MENTIONED = re.compile(
    r"`[^`\n]{1,2000}`|[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u00bb\n]{1,2000}[\"\u201d\u201c\u00bb]"
)
_WHO = (
    r"(?:(?:AI|LLM|automated|virtual)[ -])?"
    r"(?:assistants?|agents?|chat ?bots?|language models?|LLMs?|AIs?)"
)
_RULES = r"(?:instructions?|prompts?|directives?|guidelines|rules)"
_COMMANDS = re.compile(
    # "ignore all previous instructions", at the start of a clause
    r"(?:\A|[.:;,!?\u2014-]\s{0,9}|\b(?:please|must|now|then|and|should|to)\s)"
    rf"(?:ignore|disregard|forget|override)\s(?:\w+\s){{0,3}}?"
    rf"(?:previous|prior|above|earlier|preceding|system|your|other)\s(?:\w+\s){{0,2}}?{_RULES}\b"
    # "notice to all assistants"
    rf"|\b(?:notice|attention|message|instructions?|note|reminder)[,:]?\s(?:(?:to|for)\s)?"
    rf"(?:all|any|every|each)\s(?:\w+\s)?{_WHO}\b"
    # "if you are an AI", "as an AI assistant you must"
    rf"|\b(?:if|when|since|because)\syou\s(?:are|'re)\s(?:an?|the)\s{_WHO}\b"
    rf"|\bas\san?\s{_WHO},?\syou\s(?:must|should|will|are|shall|have)\b"
    # "from now on always cite", "reveal your system prompt"
    r"|\bfrom\snow\son,?\s(?:you\s|always\s|only\s|never\s|must\s)+(?:answer|cite|reply|respond|say|tell)\b"
    r"|\b(?:reveal|print|repeat|show|output)\s(?:\w+\s)?your\s(?:\w+\s)?(?:prompt|instructions)\b",
    re.IGNORECASE,
)


def commands_assistants(paragraph: str) -> bool:
    """Say whether a paragraph gives orders to assistants, models or agents that read it."""
    spoken = _MENTIONED.sub(" ", paragraph)
    return _COMMANDS.search(" ".join(spoken.split())) is not None
