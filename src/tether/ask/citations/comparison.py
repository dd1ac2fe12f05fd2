"""Texts in comparable form: for finding a quotation verbatim, and for comparing statements.

A quotation is compared by its words and signs as they are written; only white space, quotation
marks, kinds of dashes and the markup of the source do not count. A statement is compared by the
stems of its content words, and by the details that nobody may change: numbers, names of code, and
negations.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from tether.text.markdown.marks import LINE_CODE
from tether.text.numbers import NUMBER_WORDS, numbers_in, with_units_apart
from tether.text.stop_words import STOP_WORDS
from tether.text.terms import Vocabulary

_SKIPPED = (
    r"\]\((?:[^()\s]|\([^()\s]*\))*(?:\s\"[^\"\n]*\")?\)|\]\[(?:\w[^\[\]\n]*)?\]|!\[|<[/!]?[A-Za-z][^<>\n]{0,300}>"
    r"|<!--|-->|\{[:#.][^{}\n]{0,80}\}|:[\w:+-]+:(?=`)|\[\^?\d{1,3}\]_?|\\(?=[!-/:-@\[-`{-~])"
    r"|^\s*\[[ xX]\](?=\s)|&(?:nbsp|#160);|^[ \t]*(?:>[ \t]?)+"
)
_SIGNS = r"[^\w\s*`~\[\]{}()|#\"'\\\u2018-\u201f\u00ab\u00bb\u2026<>]|[<>](?=[=\s])"
_TOKEN = re.compile(rf"(?P<skipped>{_SKIPPED})|(?P<word>\w+)|(?P<sign>{_SIGNS})", re.MULTILINE)
_MARKUP = re.compile(rf"{_SKIPPED}|[*`~]+", re.MULTILINE)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_FINAL = frozenset(".,;:!?")
_IMPLIED = {
    "maximum": re.compile(r"\b(?:up to|at most|no more than|limit(?:ed)?|bound(?:s|ed)?)\b", re.I),
    "minimum": re.compile(r"\b(?:at least|no (?:less|fewer) than)\b", re.I),
    "immedi": re.compile(r"\bat once\b", re.I),
}
_CODE_LIKE = re.compile(
    r"(?<![\w/-])(?:--?[A-Za-z][\w-]*|[A-Za-z_]\w*_\w*|\w*[a-z0-9][A-Z]\w*|[A-Z]{3,}\w*"
    r"|\w+(?:[./:]\w+)+(?:\(\))?|/\w[\w./-]*)"
)
_NAME = re.compile(r"(?<=[a-z0-9,;)] )(?!Yes\b)[A-Z][a-z]{2,}(?!\w)")
_NEGATION = re.compile(
    r"\b(?:(?:no|never)(?!\s?[,.;:)])|not|none|neither|nor|cannot|without|nothing|nobody|nicht|kein\w*|nie|ohne"
    r"|pas|jamais|sans|nunca|sin)\b|n['\u2019]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Written:
    """The words and signs of a text, each with its place."""

    tokens: tuple[str, ...]
    places: tuple[tuple[int, int], ...]

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The same for texts that differ in their first letter's case and in a stop at the end."""
        tokens = _without_final(self.tokens)
        return (tokens[0][0].lower() + tokens[0][1:], *tokens[1:]) if tokens else ()

    @cached_property
    def _joined(self) -> str:
        return "\0" + "\0".join(self.tokens) + "\0"

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((len(token) + 1 for token in self.tokens), initial=0))

    def find(self, wanted: Written) -> tuple[int, int] | None:
        """Return the first place of the same words and signs in the text.

        The first letter may be large or small, and a stop at the end may be missing.
        """
        tokens = _without_final(wanted.tokens)
        if not tokens:
            return None
        found = [self._joined.find(form) for form in _openings(tokens)]
        found = [at for at in found if at >= 0]
        if not found:
            return None
        first = bisect_right(self._starts, min(found)) - 1
        return self.places[first][0], self.places[first + len(tokens) - 1][1]


def written(text: str) -> Written:
    """Return the words and signs of a text, without its markup."""
    tokens: list[str] = []
    places: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        if match["skipped"] is not None:
            continue
        bare = match[0].strip("_")
        if bare:
            start = match.start() + match[0].index(bare)
            tokens.append(bare.translate(_DASHES))
            places.append((start, start + len(bare)))
    return Written(tuple(tokens), tuple(places))


def _without_final(tokens: tuple[str, ...]) -> tuple[str, ...]:
    end = len(tokens)
    while end and tokens[end - 1] in _FINAL:
        end -= 1
    return tokens[:end]


def _openings(tokens: tuple[str, ...]) -> set[str]:
    first = tokens[0]
    forms = {first, first[0].upper() + first[1:], first[0].lower() + first[1:]}
    return {"\0" + "\0".join((form, *tokens[1:])) + "\0" for form in forms}


@dataclass(frozen=True, slots=True)
class Said:
    """The content of a text: the stems of its content words, and the details nobody may change.

    `codes` and `names` are spelled in small letters. `negated` are the first content words after
    each negation. `implied` are terms that it says in other words. `numbers` are those that it
    states; `held` has the 1 of a lone "one" too, which is seldom a count.
    """

    terms: frozenset[str]
    numbers: frozenset[str]
    codes: frozenset[str]
    names: frozenset[str]
    negates: bool
    negated: frozenset[str]
    implied: frozenset[str]
    held: frozenset[str]


class Sayings:
    """Reads texts for comparison, and keeps the results."""

    def __init__(self) -> None:
        self._vocabularies: dict[str, Vocabulary] = {}
        self._read: dict[tuple[str, str], Said] = {}

    def said(self, text: str, language: str) -> Said:
        """Return the content of a text; the stems are those of a language, English for ""."""
        key = (text, language)
        if key not in self._read:
            self._read[key] = self._reading(text, language or "en")
        return self._read[key]

    def _reading(self, text: str, language: str) -> Said:
        bare = with_units_apart(_MARKUP.sub(_gap, text))
        spoken = _MARKUP.sub(_gap, LINE_CODE.sub(" ", text))
        denials = [
            self._terms(spoken[match.end() : match.end() + 60], language)[:1]
            for match in _NEGATION.finditer(spoken)
        ]
        numbers, held = numbers_in(bare)
        return Said(
            terms=frozenset(self._terms(bare, language)),
            numbers=numbers,
            codes=_codes(bare),
            names=frozenset(match[0].lower() for match in _NAME.finditer(bare)),
            negates=bool(denials),
            negated=frozenset(term for denial in denials for term in denial),
            implied=frozenset(term for term, said in _IMPLIED.items() if said.search(bare)),
            held=held,
        )

    def _terms(self, text: str, language: str) -> list[str]:
        if language not in self._vocabularies:
            vocabulary = Vocabulary(language=language, ignored=NUMBER_WORDS)
            self._vocabularies[language] = vocabulary
        terms = self._vocabularies[language].plain_terms_of(text)
        return [term for term in terms if not term.isdigit()]


def _gap(match: re.Match[str]) -> str:
    return "" if match[0] == "\\" else " "


def _codes(text: str) -> frozenset[str]:
    """Return the words that are spelled like a name of code, a path, a flag or an acronym."""
    found = (match[0] for match in _CODE_LIKE.finditer(text))
    return frozenset(_singular(code).lower() for code in found if not _is_plain(code))


def _singular(code: str) -> str:
    return code[:-1] if code.endswith("s") and code[:-1].isupper() else code


def _is_plain(code: str) -> bool:
    """Say whether a word only looks like code: `e.g`, `and/or`, `NOT`, `3.5`."""
    parts = re.split(r"[./:]", code)
    if len(parts) == 1:
        return code.lower() in STOP_WORDS["en"]
    if all(len(part) == 1 or part.isdigit() for part in parts):
        return True
    return "/" in code and all(part.isalpha() and part.islower() for part in parts)
