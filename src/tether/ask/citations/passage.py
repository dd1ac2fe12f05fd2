"""A retrieved passage as what can be quoted of it: its sentences, without orders to assistants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tether.ask.citations.commanding import commands_assistants
from tether.ask.citations.wording import Written, written
from tether.ask.evidence import Evidence
from tether.retrieval.lexical.language import known_language
from tether.retrieval.readers.sentences import sentences

LONGEST_PASSAGE = 100_000
MOST_QUOTED_SENTENCES = 2_000

_BLANK = re.compile(r"\n\s*\n")
_PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*+#|>]|\d{1,9}[.)])[ \t])")
_EDGES = re.compile(r"\A(?:[\s>#|]|[-*+]\s|\d{1,9}[.)]\s)+")
_WORDS = re.compile(r"\S")
_TAKEN_OUT = "\ue001"


@dataclass(frozen=True)
class Passage:
    """A passage, read once for all statements.

    A paragraph that commands assistants vouches for nothing: signs that no statement holds stand in
    its place.
    """

    evidence: Evidence

    @cached_property
    def text(self) -> str:
        """The text of the passage, without what nobody may cite; places in it are the same."""
        text = self.evidence.chunk.text[:LONGEST_PASSAGE]
        parts: list[str] = []
        at = 0
        for end in [*(match.end() for match in _BLANK.finditer(text)), len(text)]:
            part = text[at:end]
            parts.append(_WORDS.sub(_TAKEN_OUT, part) if commands_assistants(part) else part)
            at = end
        return "".join(parts)

    @cached_property
    def written(self) -> Written:
        """Its words and signs."""
        return written(self.text)

    @cached_property
    def language(self) -> str:
        """The language of its stems."""
        return known_language(self.evidence.chunk.language)

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """The places of its sentences, items and rows."""
        found: list[tuple[int, int]] = []
        at = 0
        for match in [*_PARAGRAPHS.finditer(self.text), None]:
            end = len(self.text) if match is None else match.start()
            part = self.text[at:end]
            found += [_trimmed(self.text, at + a, at + b) for a, b in sentences(part)]
            at = end if match is None else match.end()
        return [span for span in found if self._is_left(*span)][:MOST_QUOTED_SENTENCES]

    def windows(self, size: int) -> Iterator[list[tuple[int, int]]]:
        """Return every run of so many neighbouring sentences."""
        for at in range(len(self.sentences) - size + 1):
            window = self.sentences[at : at + size]
            if self._is_left(window[0][0], window[-1][1]):
                yield window

    def _is_left(self, start: int, end: int) -> bool:
        return start < end and _TAKEN_OUT not in self.text[start:end]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the markup in front of a sentence: list marks, headings, quote marks."""
    match = _EDGES.match(text[start:end])
    return (start + match.end() if match else start), end
