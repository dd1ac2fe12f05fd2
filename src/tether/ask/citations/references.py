"""Sentences that send the reader somewhere, or lead into what follows, and state nothing."""

from __future__ import annotations

import re

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
    """Return a sentence without the words in front that say where it is from and nothing else."""
    return _PREAMBLE.sub("", text)


def is_courtesy(text: str) -> bool:
    """Say whether a text is small talk or stands over a list of sources: no part of an answer."""
    return _COURTESY.fullmatch(text.strip(" *_")) is not None


def points_unlinked(text: str) -> bool:
    """Say whether a text names "the documentation" or "the guide" as its source."""
    return _UNLINKED.search(text) is not None


def only_points(text: str, terms: frozenset[str], named: frozenset[str]) -> bool:
    """Say whether a text of these content words does no more than name a page.

    "Queues are full" is a statement, whatever the page is called.
    """
    points = bool(terms & _POINTING) or _VERB.search(text) is None
    return points and terms <= _POINTING | named


def leads_in(text: str) -> bool:
    """Say whether a text only leads into what follows it."""
    return text.rstrip(" *_").endswith(":")
