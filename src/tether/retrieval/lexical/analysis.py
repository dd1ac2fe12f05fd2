"""What makes a lane: how texts become terms. Everything else is shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

Forms = tuple[str, ...]
"""Spellings of one word of a question under several languages; they count as one term."""


class Analysis(Protocol):
    """Turns texts into words and words into terms, always the same ones, in any thread."""

    def words(self, text: str) -> list[str]:
        """Return the words of a text in order."""
        ...

    def language(self, declared: str, words: Sequence[str]) -> str:
        """Return the language that the words of a passage are read in, "" for none."""
        ...

    def terms(self, word: str, language: str) -> tuple[str, ...]:
        """Return what a word of a passage is found by."""
        ...

    def question(self, text: str, languages: Sequence[str]) -> list[Forms]:
        """Return what a question looks for, once for each time that it says it.

        `languages` are those of the index, the most frequent first.
        """
        ...
