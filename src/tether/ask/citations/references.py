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
_POINTING = frozenset(_POINTING_WORDS.split())


def points_unlinked(text: str) -> bool:
    """Say whether a text names "the documentation" or "the guide" as its source."""
    return _UNLINKED.search(text) is not None


def only_points(terms: frozenset[str], named: frozenset[str]) -> bool:
    """Say whether a text of these content words does no more than name a page."""
    return terms <= _POINTING | named


def leads_in(text: str) -> bool:
    """Say whether a text only leads into what follows it."""
    return text.rstrip(" *_").endswith(":")
