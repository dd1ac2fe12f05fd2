"""Texts as words: to find a quotation letter by letter, and to compare what sentences say.

For quotations the words and signs are compared as they are written; only white space, quotation
marks, kinds of dashes and the markup of the source do not count. For comparing, words are stemmed
and the little ones left out, and what must not be changed is picked out: numbers, names of code,
and what is negated.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from tether.batteries.models.extractive.stop_words import STOP_WORDS
from tether.retrieval.lexical.words import Words

_SKIPPED = (
    r"\]\((?:[^()\s]|\([^()\s]*\))*(?:\s\"[^\"\n]*\")?\)|\]\[[^\[\]\n]*\]|!\[|<[/!]?[A-Za-z][^<>\n]{0,300}>"
    r"|<!--|-->|\{[:#.][^{}\n]{0,80}\}|:[\w:+-]+:(?=`)|\[\^?\d{1,3}\]_?|\\(?=[!-/:-@\[-`{-~])"
    r"|&(?:nbsp|#160);|^[ \t]*(?:>[ \t]?)+"
)
_SIGNS = r"[^\w\s*`~\[\]{}()|#\"'\\\u2018-\u201f\u00ab\u00bb\u2026<>]|[<>](?=[=\s])"
_TOKEN = re.compile(rf"(?P<skipped>{_SKIPPED})|(?P<word>\w+)|(?P<sign>{_SIGNS})", re.MULTILINE)
_MARKUP = re.compile(rf"{_SKIPPED}|[*`~]+", re.MULTILINE)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_FINAL = frozenset(".,;:!?")
_COUNTED = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_NUMBER_WORDS = {
    **{word: number for number, word in enumerate(_COUNTED.split())},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), start=3)},
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_NUMBER = re.compile(
    rf"(?:(?P<digits>\d+(?:[.,:]\d+)*)|\b(?P<word>{'|'.join(_NUMBER_WORDS)})"
    rf"(?:(?<=ty)[ -](?P<unit>{'|'.join(_COUNTED.split()[1:10])}))?\b)"
    rf"(?:[ -]?(?P<scale>{'|'.join(_SCALES)})\b)?",
    re.IGNORECASE,
)
_COUNTING = _NUMBER_WORDS.keys() | _SCALES.keys()
_LONGEST_SCALED = 20
_UNIT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?=(?:[kKMGTP]i?B|B|ms|s|h|min|Hz|[kMG]Hz)\b)")
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
_NEGATED = 3
_CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
_ABBREVIATION = re.compile(r"(?:[a-z]\.)+[a-z]")


@dataclass(frozen=True)
class Written:
    """The words and signs of a text, each with its place."""

    tokens: tuple[str, ...]
    places: tuple[tuple[int, int], ...]

    @cached_property
    def _joined(self) -> str:
        return "\0" + "\0".join(self.tokens) + "\0"

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((len(token) + 1 for token in self.tokens), initial=0))

    def find(self, wanted: Written, start: int = 0) -> tuple[int, int] | None:
        """Return the place of the same words and signs in the text, not before a place of it.

        The first letter may be large or small, and a stop at the end may be missing.
        """
        tokens = _without_final(wanted.tokens)
        if not tokens:
            return None
        first_at = bisect_right([place[1] for place in self.places], start) if start else 0
        offset = self._starts[first_at]
        found = [self._joined.find(form, offset) for form in _openings(tokens)]
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
    """What a text says: its content words as stems, and what nobody may change.

    `codes` and `names` are spelled in small letters. `denials` are the first content words behind
    each negation, and `near` those of all. `implied` are terms that it says in other words.
    `numbers` are those that it states; `held` has the 1 of "one" too, which states none.
    """

    terms: frozenset[str]
    numbers: frozenset[str]
    codes: frozenset[str]
    names: frozenset[str]
    negates: bool
    denials: tuple[tuple[str, ...], ...]
    near: frozenset[str]
    implied: frozenset[str]
    held: frozenset[str]

    @property
    def negated(self) -> frozenset[str]:
        """The first content word behind each negation."""
        return frozenset(denial[0] for denial in self.denials)


class Sayings:
    """Reads texts for comparing, always in one language; keeps what it read."""

    def __init__(self) -> None:
        self._words = Words()
        self._read: dict[tuple[str, str], Said] = {}

    def said(self, text: str, language: str) -> Said:
        """Return what a text says; stems are those of a language, English for ""."""
        key = (text, language)
        if key not in self._read:
            self._read[key] = self._reading(text, language or "en")
        return self._read[key]

    def _reading(self, text: str, language: str) -> Said:
        bare = _UNIT.sub(r"\1 ", _MARKUP.sub(_gap, text))
        spoken = _MARKUP.sub(_gap, _CODE.sub(" ", text))
        denials = [
            tuple(self._terms(spoken[match.end() : match.end() + 60], language)[:_NEGATED])
            for match in _NEGATION.finditer(spoken)
        ]
        numbers, held = _numbers(bare)
        return Said(
            terms=frozenset(self._terms(bare, language)),
            numbers=numbers,
            codes=_codes(bare),
            names=frozenset(match[0].lower() for match in _NAME.finditer(bare)),
            negates=bool(denials),
            denials=tuple(denial for denial in denials if denial),
            near=frozenset(term for denial in denials for term in denial),
            implied=frozenset(term for term, said in _IMPLIED.items() if said.search(bare)),
            held=held,
        )

    def _terms(self, text: str, language: str) -> list[str]:
        stops = STOP_WORDS.get(language, STOP_WORDS["en"])
        words = (
            word
            for word in self._words.words(text)
            if word.casefold() not in stops
            and word.casefold() not in _COUNTING
            and not _ABBREVIATION.fullmatch(word)
        )
        return [
            term
            for word in words
            for term in self._words.question_terms(word, language)
            if term not in stops and not term.isdigit()
        ]


def _gap(match: re.Match[str]) -> str:
    return "" if match[0] == "\\" else " "


def _numbers(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the numbers that a text states, and those with the ones that are only words."""
    stated: set[str] = set()
    faint: set[str] = set()
    for match in _NUMBER.finditer(text):
        (faint if match[0].lower() == "one" else stated).add(_number(match))
    return frozenset(stated), frozenset(stated | faint)


def _number(match: re.Match[str]) -> str:
    """Return a number in digits: "1,000", "1 thousand" and "one thousand" are the same."""
    scale = _SCALES.get((match["scale"] or "").lower(), 1)
    if match["digits"]:
        bare = match["digits"].replace(",", "")
        is_whole = bare.isascii() and bare.isdigit() and len(bare) < _LONGEST_SCALED
        return str(int(bare) * scale) if scale > 1 and is_whole else bare
    words = (match["word"], match["unit"] or "zero")
    return str(scale * sum(_NUMBER_WORDS[word.lower()] for word in words))


def _codes(text: str) -> frozenset[str]:
    """Return what is spelled like a name of code, a path, a flag or an acronym."""
    found = (match[0] for match in _CODE_LIKE.finditer(text))
    return frozenset(_singular(code).lower() for code in found if not _is_plain(code))


def _singular(code: str) -> str:
    return code[:-1] if code.endswith("s") and code[:-1].isupper() else code


def _is_plain(code: str) -> bool:
    """Say whether something is spelled like code and is none: `e.g`, `and/or`, `NOT`, `3.5`."""
    parts = re.split(r"[./:]", code)
    if len(parts) == 1:
        return code.lower() in STOP_WORDS["en"]
    if all(len(part) == 1 or part.isdigit() for part in parts):
        return True
    return "/" in code and all(part.isalpha() and part.islower() for part in parts)
