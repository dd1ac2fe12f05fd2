"""Numbers in prose: digits, number words, scales and units, and counted things."""

from __future__ import annotations

import re

_TO_TWENTY = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_ONES = _TO_TWENTY.split()
_VALUES = {
    **{word: number for number, word in enumerate(_ONES)},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), start=3)},
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_NUMBER = re.compile(
    rf"(?:(?P<digits>\d+(?:[.,:]\d+)*)|\b(?P<word>{'|'.join(_VALUES)})"
    rf"(?:(?<=ty)[ -](?P<unit>{'|'.join(_ONES[1:10])}))?\b)"
    rf"(?:[ -]?(?P<scale>{'|'.join(_SCALES)})\b)?",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?=(?:[kKMGTP]i?B|B|ms|s|h|min|Hz|[kMG]Hz)\b)")
_LONGEST_SCALED = 20

NUMBER_WORDS = frozenset(_VALUES.keys() | _SCALES.keys())
"""The English words that count, in small letters."""


def numbers_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the numbers that a text states, and the same with the 1 of a lone "one".

    "1,000", "1 thousand" and "one thousand" are the same number.
    """
    stated: set[str] = set()
    faint: set[str] = set()
    for match in _NUMBER.finditer(text):
        (faint if match[0].lower() == "one" else stated).add(_in_digits(match))
    return frozenset(stated), frozenset(stated | faint)


def with_digits(text: str) -> str:
    """Return a text with its number words in digits: "thirty seconds" becomes "30 seconds"."""
    return _NUMBER.sub(lambda match: _in_digits(match) if match["word"] else match[0], text)


def with_units_apart(text: str) -> str:
    """Return a text with a space between a number and its unit: "5ms" becomes "5 ms"."""
    return _MEASURED.sub(r"\1 ", text)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one: "1 page", "2 pages"."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def _in_digits(match: re.Match[str]) -> str:
    scale = _SCALES.get((match["scale"] or "").lower(), 1)
    if match["digits"]:
        bare = match["digits"].replace(",", "")
        is_whole = bare.isascii() and bare.isdigit() and len(bare) < _LONGEST_SCALED
        return str(int(bare) * scale) if scale > 1 and is_whole else bare
    words = (match["word"], match["unit"] or "zero")
    return str(scale * sum(_VALUES[word.lower()] for word in words))
