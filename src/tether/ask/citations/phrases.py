"""Phrases of answers that state nothing: pointers, lead-ins, courtesies, and a "Yes" or "No".

Nothing quotes a "Yes", so only the sentence after it can show that it is wrong: one that denies the
question does not follow a "Yes", and one that affirms every word of it does not follow a "No".
"""

from __future__ import annotations

import re

from tether.ask.citations.comparison import Said
from tether.text.sentences import sentences_of

EXAMPLE = "\u2026 ([\u2026](\u2026))."
"""The form of a sentence with its link, as the prompt shows it: it has no word to repeat."""

_PLACES = (
    r"(?:documentation|docs?|guides?|manual|handbook|reference|tutorials?|website|official\s\w+"
    r"|(?:linked|relevant|above|following)\s(?:pages?|sections?|sources?|documents?|links?))"
)
_UNLINKED = re.compile(
    rf"\b(?:see|refer(?:ring)?\sto|consult|check(?:\sout)?|visit|read|look\s(?:at|in)"
    rf"|according\sto|as\s(?:described|explained|documented|stated|shown|mentioned|noted)\s(?:in|by|on)"
    rf"|(?:found|described|explained|documented|available)\s(?:in|on))\s"
    rf"(?:the|our|its|their|this)\s(?:[\w-]+\s){{0,3}}?{_PLACES}\b",
    re.IGNORECASE,
)
_POINTING_WORDS = """
see refer reference consult check visit read look more further additional information inform
detail full learn find document documentation doc guid guide manual page section sourc source
link tutori tutorial list describ describe explain accord according also follow official
websit relev topic complet exampl
"""
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|can|may|must|should|will|has|have|does|do|gets?)\b", re.IGNORECASE
)
_POINTING = frozenset(_POINTING_WORDS.split())
_ALSO_SAID = frozenset(["full", "complet", "list", "topic", "relev"])
"""Words that point only together with others."""

_MATERIAL = (
    r"(?:(?:provided|given|above|following|retrieved|supplied|available|official)\s)?"
    r"(?:passages?|documentation|docs?|documents?|context|text|information|sources?|pages?|guides?)"
)
_PREAMBLE = re.compile(
    rf"\A(?:(?:based\son|according\sto|as\sper|per|from|in)\s(?:the|this|these|your)\s{_MATERIAL}"
    rf"(?:\s(?:provided|given|above|here))?,\s"
    rf"|(?:the|this|these)\s{_MATERIAL}\s(?:clearly\s)?"
    rf"(?:says?|states?|mentions?|explains?|indicates?|notes?|shows?)\s(?:that\s|:\s)"
    rf"|(?:therefore|thus|so|hence|in\s(?:short|summary)|overall),\s)+",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"(?:(?:sure|certainly|of\scourse|absolutely|great\squestion|okay|ok)(?:\sthing)?"
    r"|i\shope\s(?:this|that|it)\s(?:helps|is\shelpful)(?:\syou)?"
    r"|(?:please\s)?(?:let\sme\sknow|feel\sfree\sto\sask|ask)\s(?:me\s)?if\s(?:you|there)\b[^.!?]{0,80}"
    r"|if\syou\shave\sany\s(?:\w+\s){0,2}questions?,\s(?:please\s)?(?:let\sme\sknow|feel\sfree\sto\sask)"
    r"|here(?:\sis|'s|\u2019s)\s(?:the|your|an?)\sanswer(?:\sto\syour\squestion)?"
    r"|(?:sources?|references?|citations?|links?|see\salso|further\sreading)(?:\sused)?"
    r"|thank(?:s|\syou)(?:\sfor\s[^.!?]{0,60})?)\s?[.!:]*",
    re.IGNORECASE,
)


def without_preamble(text: str) -> str:
    """Return a sentence without the opening words that only say where it is from."""
    return _PREAMBLE.sub("", text)


def is_courtesy(text: str) -> bool:
    """Say whether a text is small talk or the title of a list of sources: not part of an answer."""
    return _COURTESY.fullmatch(text.strip(" *_")) is not None


def points_unlinked(text: str) -> bool:
    """Say whether a text names "the documentation" or "the guide" as its source."""
    return _UNLINKED.search(text) is not None


def only_points(text: str, terms: frozenset[str], named: frozenset[str]) -> bool:
    """Say whether a text with these content words does no more than name a page.

    "Queues are full" is a statement, whatever the page is called.
    """
    points = bool(terms & _POINTING - _ALSO_SAID) or _VERB.search(text) is None
    return points and terms <= _POINTING | named


def leads_in(text: str) -> bool:
    """Say whether a text only leads into what follows it."""
    return text.rstrip(" *_").endswith(":")


_YES = r"yes|yeah|yep|correct|right|indeed|exactly|true|definitely|absolutely|ja|oui|s\u00ed"
_NO = r"no|nope|incorrect|wrong|false|nein|non"
OPENING = re.compile(
    rf"[*_]{{0,3}}(?:(?P<yes>{_YES})|(?P<no>{_NO}))[*_]{{0,3}}"
    r"(?:[,.;:!][*_]{0,3}|\s?[\u2013\u2014-](?=\s))(?:\s+(?!\d)|\Z)",
    re.IGNORECASE,
)
"""The word with the sign after it; "No. 5" and "No messages" do not match."""

_POLAR = re.compile(
    r"(?:so |and |but )?(?:is|are|was|were|do|does|did|can|could|will|would|should|may|might|must"
    r"|has|have|had|am)(?:n?['\u2019]t)?\s[^?]*\?*\Z",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"\bor\b(?! not\b)", re.IGNORECASE)

_FEWEST_ASKED = 2
_LIMITS = re.compile(
    r"\b(?:only|instead|must|but|except|unless|until|rather|each|one|other|different|separate"
    r"|however|although|without|already|always|by|too)\b",
    re.IGNORECASE,
)


def asks_yes_or_no(question: str) -> bool:
    """Say whether a question, or the last sentence of it, is answered by "Yes" or "No"."""
    last = sentences_of(question.strip())[-1:]
    asked = "".join(last).strip()
    return _POLAR.match(asked) is not None and _ALTERNATIVE.search(asked) is None


def contradicts_opening(opening: str, text: str, asked: Said, said: Said) -> bool:
    """Say whether a text is a "Yes" or "No" that the sentence after it contradicts."""
    match = OPENING.fullmatch(opening)
    if match is None or asked.negates:
        return False
    if match["yes"]:
        return bool(said.negated & asked.terms)
    affirms = len(asked.terms) >= _FEWEST_ASKED and asked.terms <= said.terms
    same = asked.numbers <= said.numbers and asked.codes <= said.codes
    return affirms and same and not said.negates and _LIMITS.search(text) is None
