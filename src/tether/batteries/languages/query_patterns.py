"""Regular expressions inside queries: made ready once, and paid for in steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.patterns import SafePattern

if TYPE_CHECKING:
    from tether.batteries.languages.steps import Steps

COMPILING = 100_000
"""Steps for making a pattern ready, which takes RE2 up to a tenth of a second."""

SEARCHING = 16
"""Steps for running a pattern, besides one for each character of the text."""

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
            steps.take(COMPILING)
            if len(self._ready) >= MOST_PATTERNS:
                self._ready.clear()
            self._ready[source] = _compiled(source)
        return self._ready[source]


def is_found(pattern: SafePattern, text: str, steps: Steps, *, whole: bool = False) -> bool:
    """Say whether a pattern is found in a text, or matches the whole of it."""
    steps.take(SEARCHING + len(text))
    return pattern.matches_all_of(text) if whole else pattern.search(text) is not None


def _compiled(source: str) -> SafePattern | str:
    try:
        return SafePattern(source)
    except LimitExceeded:
        raise
    except InputRefused as refusal:
        return refusal.message
