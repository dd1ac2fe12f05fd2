"""How a passage stands in a prompt: its source line, its text, and what both cost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tether.core.canonical import canonical_json
from tether.core.cleaning import clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.assembly.assembly import Citation
    from tether.retrieval.passage import Passage
    from tether.retrieval.ports import Estimator

SEPARATOR = "---\n"
CITED_BESIDE = 3
"""How many other places of the same text are shown; a thousand copies shall not cost more."""

_LIKE_A_MARK = re.compile(r"^(?=\[\d+\]|-{3,}\s*$)", re.MULTILINE)


class Cost(NamedTuple):
    """What a passage costs, and what its envelope does."""

    tokens: int
    envelope: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.tokens + self.envelope


def cost_of(number: int, passage: Passage, also: Sequence[Citation], estimate: Estimator) -> Cost:
    """Return the cost of a passage at its place in the prompt.

    The envelope is the label, the identifier, the metadata as canonical JSON, and the line between
    two passages.
    """
    envelope = estimate(source_line(number, passage, also)) + estimate(SEPARATOR)
    if passage.metadata:
        pairs = {clean_text(name): clean_text(value) for name, value in passage.metadata}
        envelope += estimate(canonical_json(pairs) + "\n")
    return Cost(estimate(shown_text(passage)), envelope)


def source_line(number: int, passage: Passage, also: Sequence[Citation]) -> str:
    """Return the line, or two, that cites a passage; each value stays on its line."""
    line = f"[{number}] Source: {on_one_line(passage.identifier)} ({on_one_line(passage.label)})\n"
    if not also:
        return line
    places = dict.fromkeys(on_one_line(citation.identifier) for citation in also)
    return f"{line}Also at: {', '.join(list(places)[:CITED_BESIDE])}\n"


def shown_text(passage: Passage) -> str:
    """Return the text as it is shown: as it is, but a line that looks like our marks is indented.

    So a document cannot end its own passage and begin one of a source of its choice.
    """
    return _LIKE_A_MARK.sub("    ", clean_text(passage.text).strip()) + "\n"


def on_one_line(text: str) -> str:
    """Return a text without line breaks, at most 500 characters long."""
    return " ".join(clean_text(text).split())[:500]
