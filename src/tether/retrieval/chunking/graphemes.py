"""Where a text may be cut without tearing apart what a reader sees as one character."""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_LOOK_BACK = 32
"""Nobody writes more marks on one letter (Unicode's stream-safe form allows 30)."""


def cut_before(text: str, position: int, start: int = 0) -> int:
    """Return the best place to cut at or before a position in what begins at `start`.

    Looks for the end of a line in the last half of that, then for the end of a word in the last
    quarter, then for the last place between two whole characters. A letter under more marks than
    anybody writes is cut: the result is more than `start` where the position is, so that cutting
    goes on.
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
    """Say whether two characters, as a reader counts them, meet at a position inside the text.

    Follows the rules for extended grapheme clusters (UAX 29) but for two rare ones, prepended
    marks and Indic conjuncts, and keeps together what is joined by U+200D whatever it is.
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
    """Marks, joiners, skin tones and the tags of flags; Thai and Lao AM are vowels that follow."""
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
    """Say whether two Hangul letters or blocks belong to one syllable."""
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
