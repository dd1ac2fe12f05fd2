"""What withdraws a sentence of a document: the heading above it, or the sentence after it.

"Uploads are free" is in a document under "Common myths", under "Removed in version 3", and before
"This is no longer the case." The tables here know usual English wordings. They are incomplete: what
they do not know is quoted as it stands, and the verifier reads it with its two nearest headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from tether.text.sentences import sentences_of

_VERSION = r"(?:(?:versions?|releases?)\s|v(?=\d))\S*\d[\w.]*|\d+\.[\w.]+"
_THINGS = (
    r"(?:features?|apis?|options?|settings?|commands?|functions?|methods?|class(?:es)?|parameters?"
    r"|fields?|flags?|behaviou?rs?|versions?|releases?|names?|syntax|support|interfaces?|endpoints?"
    r"|modules?|packages?|plugins?|functionality)"
)
_FREED = r"(?:removed|deprecated|discontinued|dropped|withdrawn|retired|obsolete|superseded)"


class _Kind(NamedTuple):
    """A kind of headings, and the words with which a sentence says the same by itself."""

    heading: re.Pattern[str]
    said: re.Pattern[str]


def _kind(heading: str, said: str) -> _Kind:
    return _Kind(re.compile(heading, re.IGNORECASE), re.compile(said, re.IGNORECASE))


_KINDS = (
    _kind(
        r"(?:.*\s)?(?:myths?|misconceptions?|fallac(?:y|ies)|falsehoods?)\b.*"
        r"|(?:.*\s)?(?:false|wrong|incorrect|untrue|outdated)\s"
        r"(?:claims?|statements?|assumptions?|beliefs?|advice|information)\b.*",
        r"\b(?:myths?|misconceptions?|false|untrue|wrong|incorrect|mistaken|contrary|not true)\b",
    ),
    _kind(
        r"(?:.*\s)?(?:not|no longer|never)\s(?:\w+\s)?"
        r"(?:supported|available|included|allowed|permitted|implemented|possible|covered)\b.*"
        r"|(?:.*\s)?(?:unsupported|unavailable|forbidden|prohibited|disallowed)\b.*"
        r"|out of scope|non-goals?",
        r"\b(?:not|never|no|none|cannot|without|un\w{4,}(?:ed|able)|only|except|reject\w*|refus\w*"
        r"|fail\w*|forbidden|prohibited|disallowed|limit\w*|instead)\b|n['\u2019]t\b",
    ),
    _kind(
        rf"(?:.*\s)?\(?{_FREED}\)?(?:\s(?:in|since|as of|with|by|from)\s.*|(?:\s{_THINGS})*)"
        rf"|(?:former|previous|old|older|earlier|legacy)\s{_THINGS}"
        r"|deprecations?|removals?|legacy|obsolete"
        rf"|(?:.*\s)?(?:before|until|up to|prior to|older than|earlier than)\s(?:{_VERSION})"
        rf"|(?:in\s)?(?:older|earlier|previous|prior|past|old)\s(?:versions?|releases?)\b.*",
        r"\b(?:removed|removal|deprecat\w+|discontinu\w+|obsolete|retired|supersed\w+|replac\w+"
        r"|dropped|withdrawn|ended|no longer|any ?more|formerly|previously|used to|was|were|had"
        rf"|(?:before|until|up to|prior to)\s(?:{_VERSION})|instead)\b",
    ),
)
_LONGEST_HEADING = 200
_ASKS = re.compile(r"(?:how|why|when|if|upgrad\w+|migrat\w+)\b|.*\?\s*\Z", re.IGNORECASE)
_NUMBERING = re.compile(r"[\W\d_]+(?=[^\W\d_])")

_BEFORE = (
    r"(?:(?:however|but|and|yet|today|now|nowadays|actually|in fact|currently|unfortunately)\b,?\s"
    r"|(?:since|as of|from|in|with)\s[^,.;]{1,40},\s)*"
)
_IT = (
    r"(?:(?:this|that|the\s(?:above|previous|preceding|former))"
    r"(?:\s(?:statement|claim|sentence|rule|limit|behaviou?r|advice|restriction|feature|command"
    r"|option|setting|description))?|it|these|those|they)"
)
_BE = r"(?:is|are|was|were|has\sbeen|have\sbeen)\s(?:now\s|since\s|only\s|just\s|also\s)*"
_TRUE = r"(?:true|the\scase|so|correct|valid|right|accurate)"
_WITHDRAWS = re.compile(
    rf"{_BEFORE}(?:{_IT}\s(?:"
    rf"{_BE}no\slonger\s(?:{_TRUE}|supported|available|possible|recommended)\b"
    rf"|{_BE}not\s(?:{_TRUE})\b"
    rf"|{_BE}an?\s(?:\w+\s)?(?:myth|misconception|lie|mistake|rumou?r|hoax|fallacy)\b"
    rf"|{_BE}(?:wrong|false|untrue|incorrect|outdated|obsolete|inaccurate|deprecated)\b"
    rf"|{_BE}{_TRUE}\s(?:only\s)?(?:before|until|up\sto|prior\sto|till|in\s(?:older|earlier|version))"
    rf"|(?:was|were|has\sbeen|have\sbeen)\s{_FREED}\b"
    rf"|{_BE}{_FREED}\s(?:in|since|as\sof|with|from)\s(?:{_VERSION})"
    r"|no\slonger\s(?:works?|holds?|appl(?:y|ies)|exists?)\b"
    r"|(?:has\s|have\s)(?:since\s)?changed\b|changed\s(?:in|with|since|as\sof)\b"
    r"|do(?:es)?\s?n(?:o|['\u2019])t\s(?:hold|apply|work|exist)\s(?:any\s?more|any\slonger)"
    rf"|used\sto\sbe\s{_TRUE}\b)"
    r"|not\s(?:any\s?more|any\slonger|true|so)[.!]|no\slonger[.!]"
    r"|(?:wrong|false|untrue|incorrect)[.!])",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\b(?:not|never|no|cannot|was|were|had|used to|formerly|previously|before|until|myth|false"
    rf"|wrong|untrue|incorrect|outdated|changed|{_FREED})\b|n['\u2019]t\b",
    re.IGNORECASE,
)


class Withdrawing(NamedTuple):
    """A heading that withdraws what stands below it and does not say so by itself."""

    title: str
    said: re.Pattern[str]


def withdrawing(path: Iterable[str]) -> tuple[Withdrawing, ...]:
    """Return the headings of a path that withdraw, outermost first."""
    short = (title for title in path if len(title) <= _LONGEST_HEADING)
    pairs = ((title, kind) for title in short for kind in _KINDS)
    return tuple(Withdrawing(title, kind.said) for title, kind in pairs if _is_of(title, kind))


def heading_over(headings: Iterable[Withdrawing], text: str) -> str:
    """Return the first heading that withdraws a text, "" where the text says so by itself."""
    return next((one.title for one in headings if one.said.search(text) is None), "")


def _is_of(title: str, kind: _Kind) -> bool:
    bare = _NUMBERING.sub("", title, count=1) if not title[:1].isalpha() else title
    return _ASKS.match(bare) is None and kind.heading.fullmatch(bare.strip(" :.!")) is not None


_EXCEPTS = re.compile(
    r"\W*(?:unless|except|excluding|excepting|other than|apart from|but not|but only"
    r"|only (?:if|when|for|in|on|with|after|before|until|between)|not (?:if|when|for)|as long as"
    r"|provided)\b",
    re.IGNORECASE,
)


def excepts(text: str) -> bool:
    """Say whether a text only limits another: "unless they have expired"."""
    return _EXCEPTS.match(text) is not None


def withdraws(sentence: str) -> bool:
    """Say whether a sentence takes back the one before it."""
    return _WITHDRAWS.match(sentence.lstrip(" *_(\"'")) is not None


def says_withdrawal(statement: str) -> bool:
    """Say whether a statement could tell that something does not hold, or not any more."""
    return _SAID.search(statement) is not None


def withdrawn_in(text: str) -> dict[str, str]:
    """Return the sentences of a text that the next one withdraws, each with that one."""
    return {one: other for one, other in pairwise(sentences_of(text)) if withdraws(other)}
