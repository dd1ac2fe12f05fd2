"""Emphasis: which runs of * and _ and ~ are marks, and which are text (CommonMark 0.31)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from collections.abc import Iterable


class DelimiterRun:
    """A run of equal characters that may open or close emphasis.

    `closing` of them, at its front, close emphasis, and `opening` of them, at its back, open it;
    the rest is text. `fragment` is the number of the run's text.
    """

    __slots__ = ("can_close", "can_open", "closing", "fragment", "length", "opening", "sign")

    def __init__(self, sign: str, length: int, before: str, after: str, fragment: int) -> None:
        self.sign = sign
        self.length = length
        self.fragment = fragment
        self.closing = self.opening = 0
        opens = not _is_space(after) and (not _is_mark(after) or _is_edge(before))
        closes = not _is_space(before) and (not _is_mark(before) or _is_edge(after))
        is_inner = sign == "_"  # which does not work inside a word
        self.can_open = opens and not (is_inner and closes and not _is_mark(before))
        self.can_close = closes and not (is_inner and opens and not _is_mark(after))

    @property
    def left(self) -> int:
        """The number of characters that are still text."""
        return self.length - self.closing - self.opening


def pair_up(runs: Iterable[DelimiterRun], *, equal: bool = False) -> None:
    """Pair each closing run with its nearest opening run, as often as their characters allow.

    With `equal`, only runs of the same length pair.

    A search that found no opening run is not repeated for the same kind of run, so the time grows
    with the number of runs.
    """
    openers: list[DelimiterRun] = []
    searched: dict[tuple[str, bool, int], int] = {}
    for run in runs:
        kind = (run.sign, run.can_open, run.length if equal else run.length % 3)
        while run.can_close and run.left:
            place = _opener_of(run, openers, searched.get(kind, 0), equal=equal)
            if place is None:
                searched[kind] = len(openers)
                break
            used = min(2, openers[place].left, run.left)
            openers[place].opening += used
            run.closing += used
            del openers[place + 1 if openers[place].left else place :]
            searched = {kind: min(height, len(openers)) for kind, height in searched.items()}
        if run.can_open and run.left:
            openers.append(run)


def _opener_of(
    closer: DelimiterRun, openers: list[DelimiterRun], lowest: int, *, equal: bool
) -> int | None:
    for place in range(len(openers) - 1, lowest - 1, -1):
        if openers[place].sign == closer.sign and _fit(openers[place], closer, equal=equal):
            return place
    return None


def _fit(opener: DelimiterRun, closer: DelimiterRun, *, equal: bool) -> bool:
    """Return whether two runs may pair: equal tildes, or the specification's rule of three."""
    if equal or closer.sign == "~":
        return opener.length == closer.length
    if not (opener.can_close or closer.can_open):
        return True
    both = opener.length + closer.length
    return both % 3 != 0 or (opener.length % 3 == 0 and closer.length % 3 == 0)


def _is_space(character: str) -> bool:
    return not character or character.isspace()


def _is_mark(character: str) -> bool:
    return bool(character) and category(character)[0] in "PS"


def _is_edge(character: str) -> bool:
    return _is_space(character) or _is_mark(character)
