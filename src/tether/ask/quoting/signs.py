"""The signs of a text that does not stand by itself: it leans, points elsewhere, or is logged."""

from __future__ import annotations

import re

_LEANS = re.compile(
    r"""[\W_]*(?:this|that|these|those|such|it|its|they|their|them|he|his|she|her
    |however|but|and|so|also|then|therefore|thus|hence|instead|otherwise|additionally|moreover
    |furthermore|for\ example|for\ instance|similarly|likewise|consequently|as\ a\ result|here
    |in\ this\ case|dies|diese|dieser|dieses|es|er|sie|aber|jedoch|dabei|il|elle|ils|cela|ceci
    |mais|cette|это|он|она|они|но
    |(?:add|call|change|check|close|copy|create|delete|do|give|install|keep|make|open|put|reach
    |remove|restore|run|send|set|start|stop|use)\ (?:it|them))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_POINTS = re.compile(
    r"""\b(?:see|refer\ to|check\ out|visit|read)\b.{0,60}
        \b(?:for|to\ learn|section|documentation|details|guide|page|more)\b
    |^For\b.{1,80}\b(?:see|refer\ to|read|check)\b|\bread\ more\ about\b
    |\bfor\ (?:more|further|additional)\ (?:information|details)\b|\blearn\ more\b
    |\b(?:in|on)\ the\ (?:next|following|previous)\ (?:page|section|chapter|example)\b
    |\bthis\ (?:page|section|chapter|guide|document|tutorial|example)\b
    |\b(?:we['\u2019]ll|let['\u2019]s\ (?-i:[a-z])|you['\u2019]ll\ learn)
    |^Learn\ (?:how|about|more)\b
    |\bwill\ (?:learn|discuss|cover|see)\b|\bTODO\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SPEAKS_OF_OTHERS = re.compile(
    r"""^Here\ (?:are|is)\b|(?<!as\ )\b(?:shown|described|mentioned|listed)\ (?:above|below)\b
    |\b(?:above|below|following)\ (?:example|code|command|snippet|figure|table|diagram|output)\b
    |\b(?:sections?|pages?)\ below\b|\bin\ the\ example\b
    |^(?:In\ )?(?:Listing|Figure|Table)\ [\dA-Z]""",
    re.IGNORECASE | re.VERBOSE,
)
_LOGGED = re.compile(r"\bPR \W?#?\d|\(#\d+\)|\bby \[?@\w")


def leans(text: str) -> bool:
    """Say whether a sentence leans on the one before it."""
    return _LEANS.match(text) is not None


def points(text: str) -> bool:
    """Say whether a text sends the reader elsewhere, or only announces what comes next."""
    return _POINTS.search(text) is not None


def speaks_of_others(text: str) -> bool:
    """Say whether a sentence refers to something next to it that is not quoted."""
    return _SPEAKS_OF_OTHERS.search(text) is not None


def is_logged(text: str) -> bool:
    """Say whether a line is an entry of a change log."""
    return _LOGGED.search(text) is not None
