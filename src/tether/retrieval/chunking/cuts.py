"""Cuts inside one sentence, row or line that is larger than a chunk, between whole characters."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.retrieval.ports import Estimator

_TRIES = 6

_JOINER = "\u200d"
_LOOK_BACK = 32
"""No letter has more marks in practice (Unicode's stream-safe form allows 30)."""


class Cut(NamedTuple):
    """A span of the text, and its cost."""

    start: int
    end: int
    cost: int


def cuts(text: str, size: int, estimate: Estimator) -> Iterator[Cut]:
    """Yield spans that cover the text, each of at most `size` by the estimate.

    A span ends after a word if possible, else between two whole characters. Only a single character
    that costs more than the size makes a larger span. The time is proportional to the text: each
    step guesses a length from the one before and reads only that much.
    """
    start, length = 0, size
    while start < len(text):
        found = _fitting(text[start : start + 64 * size], length, size, estimate)
        yield Cut(start, start + found.end, found.cost)
        start, length = start + found.end, found.end


def _fitting(text: str, length: int, size: int, estimate: Estimator) -> Cut:
    """Return the beginning of a text with a cost close to the size, and at most the size."""
    best = Cut(0, 0, 0)
    for _ in range(_TRIES):
        length = min(max(length, 1), len(text))
        cost = estimate(text[:length])
        if best.end < length and cost <= size:
            best = Cut(0, length, cost)
        if length == best.end == len(text) or 0.8 * size <= cost <= size:
            break
        length = _next_guess(length, cost, size)
    return _trimmed(text, best if best.end else Cut(0, 1, estimate(text[0])), size, estimate)


def _next_guess(length: int, cost: int, size: int) -> int:
    """Return a length whose cost should be a little below the size, at most eight times longer."""
    return min(length * size * 9 // (10 * max(cost, 1)), 8 * length)


def _trimmed(text: str, found: Cut, size: int, estimate: Estimator) -> Cut:
    """Return the span up to the end of the last whole word, or character, within the size."""
    end = cut_before(text, found.end)
    if end == found.end:
        return found
    while (cost := estimate(text[:end])) > size and end > 1:
        end = cut_before(text, end * 3 // 4)
    return Cut(0, end, cost)


def cut_before(text: str, position: int, start: int = 0) -> int:
    """Return the best place to cut at or before a position, in a text that begins at `start`.

    It is the end of a line in the last half, else the end of a word in the last quarter, else the
    last place between two whole characters. A letter with too many marks is cut: the result is more
    than `start` if the position is, so that cutting always advances.
    """
    if position >= len(text):
        return len(text)
    line = text.rfind("\n", start + (position - start) // 2, position)
    if line >= 0:
        return line + 1
    for place in range(position, start + (position - start) * 3 // 4, -1):
        if text[place - 1].isspace():
            return place
    return max(grapheme_before(text, position), start)


def grapheme_before(text: str, position: int) -> int:
    """Return the last boundary between whole characters that is at most 32 code points back."""
    for place in range(position, max(position - _LOOK_BACK, 0), -1):
        if is_boundary(text, place):
            return place
    return position


def is_boundary(text: str, position: int) -> bool:
    """Return whether a position inside the text is between two characters, as a reader sees them.

    Follows the rules for extended grapheme clusters (UAX 29) except two rare ones, prepended marks
    and Indic conjuncts, and never separates characters that are joined by U+200D.
    """
    before, after = text[position - 1], text[position]
    if before < "\u0300" and after < "\u0300":
        return (before, after) != ("\r", "\n")
    if before == _JOINER or _extends(after):
        return _is_control(before)
    if _is_flag_half(before) and _is_flag_half(after):
        return _flag_halves_before(text, position) % 2 == 0
    return not _is_one_syllable(before, after)


def _extends(character: str) -> bool:
    """Return whether a character extends the one before: marks, joiners, skin tones, flag tags,
    and the vowels Thai and Lao AM.
    """
    return (
        unicodedata.category(character) in ("Mn", "Me", "Mc")
        or character in "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_control(character: str) -> bool:
    if character in (_JOINER, "\u200c") or "\U000e0020" <= character <= "\U000e007f":
        return False
    return unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cf", "Cs")


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_halves_before(text: str, position: int) -> int:
    first = position
    while first > 0 and _is_flag_half(text[first - 1]):
        first -= 1
    return position - first


def _is_one_syllable(before: str, after: str) -> bool:
    """Return whether two Hangul letters or blocks belong to one syllable."""
    vowel, final = "\u1160" <= after <= "\u11a7", "\u11a8" <= after <= "\u11ff"
    if _is_leading(before):
        return vowel or _is_leading(after) or "\uac00" <= after <= "\ud7a3"
    if "\uac00" <= before <= "\ud7a3":
        return final or (vowel and (ord(before) - 0xAC00) % 28 == 0)
    if "\u1160" <= before <= "\u11a7":
        return vowel or final
    return "\u11a8" <= before <= "\u11ff" and final


def _is_leading(character: str) -> bool:
    return "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c"
