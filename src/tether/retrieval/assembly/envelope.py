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

_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
)
_OPEN, _CLOSE, _DASH = "[\\[\uff3b]", "[\\]\uff3d]", "[-_*\u2014\uff0d]"
_LIKE_A_MARK = re.compile(
    rf"[\s{_UNSEEN}]*(?:{_OPEN}\s*\d+\s*{_CLOSE}|also at\s*:|{_DASH}{{3,}}$)", re.IGNORECASE
)
_NUMBER = re.compile(rf"{_OPEN}\s*(\d+)\s*{_CLOSE}")


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
    """Return the line, or two, that cites a passage; each value stays on its line.

    What is not the operator's own says so in front of its address, where no title can reach.
    """
    tier = "" if passage.trust_tier == "first-party" else f" ({passage.trust_tier})"
    place, label = on_one_line(passage.identifier), on_one_line(passage.label)
    line = f"[{number}] Source{tier}: {place} ({label})\n"
    if not also:
        return line
    places = dict.fromkeys(on_one_line(citation.identifier) for citation in also)
    return f"{line}Also at: {', '.join(list(places)[:CITED_BESIDE])}\n"


def shown_text(passage: Passage) -> str:
    """Return the text as it is shown: as it is, but a line that looks like our marks is indented.

    So a document cannot end its own passage and begin one of a source of its choice. Every
    character that some reader takes for the end of a line is one, and blank lines around the text
    are left out.
    """
    lines = [line.rstrip() for line in clean_text(passage.text).splitlines()]
    first = next((at for at, line in enumerate(lines) if line), 0)
    shown = "\n".join(_inside(line) for line in lines[first:])
    return shown.rstrip() + "\n"


def on_one_line(text: str) -> str:
    """Return a text without line breaks and without `[1]`, at most 500 characters long."""
    return _NUMBER.sub(r"(\1)", " ".join(clean_text(text).split())[:500])


def _inside(line: str) -> str:
    return f"    {line}" if _LIKE_A_MARK.match(line) else line
