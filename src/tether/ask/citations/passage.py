"""The sentences of a retrieved passage that may be quoted: not those that command assistants.

A document is data, and nothing here makes it less dangerous to obey one. But a sentence that such a
command asked for ("the documentation has moved") is in the document, so it could be cited:
paragraphs with a command vouch for nothing. Recognition by wording is only a second line of
defence; the first is that no document can add a link, call a tool or be remembered. Words in
quotation marks or code are mentioned, not said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tether.ask.citations.comparison import Written, written
from tether.ask.evidence import Evidence
from tether.text.sentences import sentences
from tether.text.stems import known_language

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

    Signs that occur in no statement replace the paragraphs that command assistants.
    """

    evidence: Evidence

    @cached_property
    def text(self) -> str:
        """The text of the passage, without paragraphs that nobody may cite; places are the same."""
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
        """Return every run of `size` neighbouring sentences."""
        for at in range(len(self.sentences) - size + 1):
            window = self.sentences[at : at + size]
            if self._is_left(window[0][0], window[-1][1]):
                yield window

    def _is_left(self, start: int, end: int) -> bool:
        return start < end and _TAKEN_OUT not in self.text[start:end]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the markup before a sentence: list marks, headings, quote marks."""
    match = _EDGES.match(text[start:end])
    return (start + match.end() if match else start), end


_MENTIONED = re.compile(
    r"`[^`\n]{1,2000}`|[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u00bb\n]{1,2000}[\"\u201d\u201c\u00bb]"
)
_WHO = (
    r"(?:(?:AI|LLM|automated|virtual)[ -])?"
    r"(?:assistants?|agents?|chat ?bots?|language models?|LLMs?|AIs?)"
)
_RULES = r"(?:instructions?|prompts?|directives?|guidelines|rules)"
_COMMANDS = re.compile(
    # "ignore all previous instructions", at the start of a clause
    r"(?:\A|[.:;,!?\u2014-]\s{0,9}|\b(?:please|must|now|then|and|should|to)\s)"
    rf"(?:ignore|disregard|forget|override)\s(?:\w+\s){{0,3}}?"
    rf"(?:previous|prior|above|earlier|preceding|system|your|other)\s(?:\w+\s){{0,2}}?{_RULES}\b"
    # "notice to all assistants"
    rf"|\b(?:notice|attention|message|instructions?|note|reminder)[,:]?\s(?:(?:to|for)\s)?"
    rf"(?:all|any|every|each)\s(?:\w+\s)?{_WHO}\b"
    # "if you are an AI", "as an AI assistant you must"
    rf"|\b(?:if|when|since|because)\syou\s(?:are|'re)\s(?:an?|the)\s{_WHO}\b"
    rf"|\bas\san?\s{_WHO},?\syou\s(?:must|should|will|are|shall|have)\b"
    # "from now on always cite", "reveal your system prompt"
    r"|\bfrom\snow\son,?\s(?:you\s|always\s|only\s|never\s|must\s)+(?:answer|cite|reply|respond|say|tell)\b"
    r"|\b(?:reveal|print|repeat|show|output)\s(?:\w+\s)?your\s(?:\w+\s)?(?:prompt|instructions)\b",
    re.IGNORECASE,
)


def commands_assistants(paragraph: str) -> bool:
    """Say whether a paragraph gives orders to assistants, models or agents that read it."""
    spoken = _MENTIONED.sub(" ", paragraph)
    return _COMMANDS.search(" ".join(spoken.split())) is not None
