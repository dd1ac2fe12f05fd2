"""Typing errors: the words one or two edits away from another.

Two letters in the wrong order, and a letter written once instead of twice or twice instead of once,
are the slips of people who know the word; a wrong letter is most often another word.
"""

from __future__ import annotations

from collections.abc import Iterator

SLIP, MISSING, WRONG = 1, 2, 3
"""The costs: a swap or a doubled letter; a missing letter; another letter, or one too many."""

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_SOUNDS = (("ph", "f"), ("f", "ph"))


def one_edit(word: str) -> dict[str, int]:
    """Return every word one edit away from a small Latin one, with the least cost of the edit.

    The first letter is exchanged with the second, or comes in addition, but is never another: few
    people miss it, and "bread" is not "thread".
    """
    found: dict[str, int] = {}
    for other, cost in _edits(word):
        found[other] = min(cost, found.get(other, cost))
    found.pop(word, None)
    return found


def _edits(word: str) -> Iterator[tuple[str, int]]:
    for place in range(len(word)):
        before, letter, after = word[:place], word[place], word[place + 1 :]
        if after:
            yield f"{before}{after[0]}{letter}{after[1:]}", SLIP
        if place:
            yield before + after, SLIP if before[-1] == letter else WRONG
            yield from ((f"{before}{other}{after}", WRONG) for other in _ALPHABET)
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        doubled = {before[-1:], after[:1]}
        for letter in _ALPHABET:
            yield f"{before}{letter}{after}", SLIP if letter in doubled else MISSING
        for sound, spelled in _SOUNDS:
            if after.startswith(sound):
                yield f"{before}{spelled}{after[len(sound) :]}", MISSING


def two_slips(word: str) -> dict[str, int]:
    """Return words two edits away, with the cost: swaps, doubled letters and letters too many.

    A missing and another letter are not among these edits: with two of them, too many words are
    near.
    """
    found: dict[str, int] = {}
    for once, cost in _slips(word).items():
        for other, again in _slips(once).items():
            found[other] = min(cost + again, found.get(other, cost + again))
    found.pop(word, None)
    return found


def _slips(word: str) -> dict[str, int]:
    near = one_edit(word)
    return {it: cost for it, cost in near.items() if cost == SLIP or len(it) < len(word)}
