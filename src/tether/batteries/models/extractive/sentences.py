"""Where the sentences of a block are, in a passage full of code, links and abbreviations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.batteries.languages.texts.sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_SENTENCE = 700
"""In characters of the source. What is longer is a dump, and is not quoted."""

_OPAQUE = re.compile(
    r"(?P<ticks>`+)[^`]+(?P=ticks)"  # code
    r"|\[[^\[\]]{0,300}\](?=[(\[])"  # the text of a link
    r"|(?<=\])\([^()\s]*(?:\s\"[^\"]*\")?\)"  # and its target
    r"|</?[A-Za-z][^<>\n]{0,200}>"
    r"|\{\{[^{}]*\}\}"
    r"|\n[ \t]*(?:>[ \t]?)+"  # the prefix of a quoted line
    r"|\*{1,3}(?=[\"'(\s]|$)|(?<=[\s(\"'])\*{1,3}|(?<=[.!?])_{1,2}(?=\s|$)|(?<=\s)_{1,2}(?=\w)"
    r"|\[\^[^\[\]\s]+\]"
)
_BEFORE = re.compile(r"^\s*(?:(?<=\n)[ \t]*(?:>[ \t]?)+)?\s*")
_PARENTHESIS = re.compile(r"\([^()]{0,300}\)")
_ABBREVIATION = re.compile(
    r"\b(?:z\.\s?B|d\.\s?h|u\.\s?a|i\.\s?d\.\s?R|o\.\s?\u00c4|p\.\s?ex|\u0442\.\s?\u0435"
    r"|\u0442\.\s?\u043a|ca|bzw|vgl|evtl|inkl|ggf|Nr|Abb|Abs|Bd|approx|resp|incl|dept|est|Figs?|Eqs?"
    r"|Sect?|Jan|Feb|Aug|Sept?|Oct|Nov|Dec|Mme|Mlle|MM|\u0440\u0438\u0441|\u0441\u0442\u0440"
    r"|\u0438\u043c|\u0443\u043b)\.(?=\s)"
    r"|\b\d{1,2}\.(?=\s(?:Januar|Februar|M\u00e4rz|April|Mai|Juni|Juli|August|September|Oktober"
    r"|November|Dezember|Jahrhundert))"
)
_FOREIGN_STOPS = str.maketrans({"\u0964": "\u3002", "\u06d4": "\u3002", "\u061f": "\uff1f"})
_NAMED = (
    r"(?!(?:a|also|and|any|as|but|each|for|he|if|in|it|nor|of|on|or|she|so|that|the|then|there|they"
    r"|this|to|we|what|where|which|who|with|you)\b)[a-z][\w-]*(?:\.\w+)*"
    r"(?:\(\)|(?=[ ](?:is|are|was|can|does|has|will|must|should|allows?|provides?|supports?|runs?"
    r"|stores?|uses?|lets?)\b))"
)
NAMED_START = re.compile(_NAMED)
"""A name in small letters that begins a sentence: `kubectl is`, `main() ends`."""

_NAMED_BEHIND_A_STOP = re.compile(
    rf"(?<=[.!?]\s)(?<!etc\.\s)(?<!approx\.\s)(?P<space>\s*)(?P<name>{_NAMED})"
)
_ENDED = re.compile(
    r"[.!?\u2026\u3002\uff01\uff1f\uff61\u0964\u061f\u06d4]"
    r"(?:[\"'*_)\]\u00bb\u2019\u201d\uff09\u300d\u300f`]|\[\^?[^\[\]\s]*\]_?|</\w+>)*"
    r"(?:\s?\{:?\s?[#.][^{}]*\})?$|[\u0e01-\u0ec4]$"  # Thai and Lao write no stops
)


def sentences_in(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where each sentence of a block begins and ends, without the spaces around it.

    Stops in code, links, tags and parentheses end nothing; nor does an abbreviation's.
    """
    at = start
    for piece in sentences_of(_masked(text[start:end])):
        source = text[at : at + len(piece)]
        inside = len(source) - len(_BEFORE.sub("", source, count=1))
        if not piece.isspace():
            yield at + inside, at + len(source.rstrip())
        at += len(piece)


def is_ended(source: str) -> bool:
    """Say whether a sentence ends as sentences do."""
    return _ENDED.search(source) is not None


def _masked(text: str) -> str:
    """Return a text of the same length whose only stops are those that may end a sentence."""
    text = _NAMED_BEHIND_A_STOP.sub(_capital, _OPAQUE.sub(_blank, text))
    text = _PARENTHESIS.sub(_unstopped, text)
    return _ABBREVIATION.sub(_unstopped, text).translate(_FOREIGN_STOPS)


def _blank(match: re.Match[str]) -> str:
    """Hide what is opaque; a mark of emphasis behind a stop is shown as a bracket, which closes."""
    whole = match[0]
    if whole.startswith("</"):
        return " " * len(whole)
    if whole[0] not in "*_\n":
        return "X" * len(whole)  # a capital: a sentence may begin with it
    is_closing = match.string[match.start() - 1 : match.start()] in tuple(".!?")
    return (")" if is_closing and whole[0] != "\n" else " ") * len(whole)


def _capital(match: re.Match[str]) -> str:
    return match["space"] + match["name"].capitalize()


def _unstopped(match: re.Match[str]) -> str:
    whole = match[0]
    if whole[0] == "(":  # a stop right before the bracket ends what is inside
        return re.sub(r"[.!?](?=.*\w)", ",", whole, flags=re.DOTALL)
    return whole.replace(".", ",")
