"""Regular expressions inside queries: made ready once, and paid for in steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.patterns import SafePattern

if TYPE_CHECKING:
    from tether.batteries.languages.steps import Steps

COMPILING = 50_000
COMPILING_CHARACTER = 200
COMPILING_REPEAT = 2_000
"""Steps for making a pattern ready, which takes RE2 up to half a second where it repeats much."""

SEARCHING = 16
"""Steps for running a pattern, besides one for each character of the text."""

MOST_REPEATS = 1_000
_REPEAT = re.compile(r"([0-9]{1,4})\}")

MOST_PATTERNS = 16
"""How many are kept: each may hold megabytes, and the data may name one for each value."""


class QueryPatterns:
    """The patterns of one place in a query."""

    __slots__ = ("_ready",)

    def __init__(self) -> None:
        self._ready: dict[str, SafePattern | str] = {}

    def ready(self, source: str, steps: Steps) -> SafePattern | str:
        """Return the pattern, or, in words, why it is not one.

        Raises `LimitExceeded` for a pattern that is too long, and where there are too few steps.
        """
        if source not in self._ready:
            steps.take(_cost(source))
            if len(self._ready) >= MOST_PATTERNS:
                self._ready.clear()
            self._ready[source] = _compiled(source)
        return self._ready[source]


def is_found(pattern: SafePattern, text: str, steps: Steps, *, whole: bool = False) -> bool:
    """Say whether a pattern is found in a text, or matches the whole of it."""
    steps.take(SEARCHING + len(text))
    return pattern.matches_all_of(text) if whole else pattern.search(text) is not None


def _cost(source: str) -> int:
    """RE2 writes a repeated part out as many times, and repeats nothing more than 1,000 times."""
    repeats = 1
    for count in _REPEAT.findall(source):
        repeats = min(MOST_REPEATS, repeats * max(1, int(count)))
    return COMPILING + COMPILING_CHARACTER * len(source) + COMPILING_REPEAT * repeats


def _compiled(source: str) -> SafePattern | str:
    try:
        return SafePattern(source)
    except LimitExceeded:
        raise
    except InputRefused as refusal:
        return refusal.message
