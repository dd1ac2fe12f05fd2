"""Which * and _ and ~~ are marks of emphasis, and which are just characters (CommonMark 0.31)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from collections.abc import Iterable


class DelimiterRun:
    """A run of equal characters that may open or close emphasis; `left` of them are characters."""

    __slots__ = ("can_close", "can_open", "left", "length", "piece", "sign")

    def __init__(self, sign: str, length: int, before: str, after: str, piece: int) -> None:
        self.sign = sign
        self.length = self.left = length
        self.piece = piece
        opens = not _is_space(after) and (not _is_mark(after) or _is_edge(before))
        closes = not _is_space(before) and (not _is_mark(before) or _is_edge(after))
        is_inner = sign == "_"  # which does not work inside a word
        self.can_open = opens and not (is_inner and closes and not _is_mark(before))
        self.can_close = closes and not (is_inner and opens and not _is_mark(after))


def pair_up(runs: Iterable[DelimiterRun]) -> None:
    """Take from each run the characters that mark emphasis, each closer with its nearest opener.

    Where a search for an opener failed, the next one for the same kind of closer stops: so the time
    goes with the number of runs.
    """
    openers: list[DelimiterRun] = []
    searched: dict[tuple[str, bool, int], int] = {}
    for run in runs:
        kind = (run.sign, run.can_open, run.length % 3)
        while run.can_close and run.left:
            place = _opener_of(run, openers, searched.get(kind, 0))
            if place is None:
                searched[kind] = len(openers)
                break
            _take(openers[place], run)
            del openers[place + 1 if openers[place].left else place :]
            searched = {kind: min(height, len(openers)) for kind, height in searched.items()}
        if run.can_open and run.left:
            openers.append(run)


def _opener_of(closer: DelimiterRun, openers: list[DelimiterRun], lowest: int) -> int | None:
    for place in range(len(openers) - 1, lowest - 1, -1):
        if openers[place].sign == closer.sign and _fit(openers[place], closer):
            return place
    return None


def _fit(opener: DelimiterRun, closer: DelimiterRun) -> bool:
    """Say whether two runs may pair: the specification's rule of three."""
    if not (opener.can_close or closer.can_open):
        return True
    both = opener.length + closer.length
    return both % 3 != 0 or (opener.length % 3 == 0 and closer.length % 3 == 0)


def _take(opener: DelimiterRun, closer: DelimiterRun) -> None:
    used = min(2, opener.left, closer.left)
    opener.left -= used
    closer.left -= used


def _is_space(character: str) -> bool:
    return not character or character.isspace()


def _is_mark(character: str) -> bool:
    return bool(character) and category(character)[0] in "PS"


def _is_edge(character: str) -> bool:
    return _is_space(character) or _is_mark(character)
