"""Cuts a document into chunks along its headings."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from tether.retrieval.chunk import Chunk
from tether.retrieval.chunking.atoms import Part, atoms_of, parts_of, readable_span
from tether.retrieval.chunking.estimate import estimator_of
from tether.retrieval.chunking.packing import Packer, Window
from tether.retrieval.chunking.page_ids import page_id
from tether.retrieval.chunking.sections import (
    PlacedBlock,
    Section,
    common_headings,
    parent_of,
    sections_of,
)
from tether.retrieval.chunking.settings import ChunkSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.retrieval.document import Document


_PROBABLY_LONG = 8
"""Characters per token; beyond, counting a section to see whether it fits is mostly in vain."""


class _Draft(NamedTuple):
    """A chunk before it has a number: its parts, the blocks that place it, and its cost."""

    parts: list[tuple[PlacedBlock, Part]]
    placed: list[PlacedBlock]
    cost: int
    header: str


class Chunker:
    """Cuts documents by one set of settings. Has no state: one serves many threads.

    A chunk is a section of the document, with its heading, or a part of a section that is larger
    than the size. Tables, lists, code and paragraphs stay whole unless one alone is larger: then it
    is cut between rows (with the table's header in `header`), items, lines or sentences, and only
    one of these that is larger still is cut between words or characters. Every piece that has
    something to read is in at least one chunk, and no chunk costs more than the size.
    """

    def __init__(self, settings: ChunkSettings | None = None) -> None:
        self.settings = settings or ChunkSettings()
        self._estimate = estimator_of(self.settings)

    @property
    def fingerprint(self) -> str:
        """What the chunks depend on beside the document: the settings, and this code's version."""
        return self.settings.fingerprint

    def chunks(self, document: Document) -> tuple[Chunk, ...]:
        """Return the document's chunks in order, none for a document without text.

        For each, `chunk.text == document.text[chunk.start:chunk.end]`.
        """
        page = page_id(document.key)
        sections = sections_of(document, self.settings.deepest_heading)
        if self.settings.merge_below:
            sections = self._merged(sections, document.text)
        drafts = (draft for part in sections for draft in self._drafts(part, document.text))
        return tuple(
            _chunk(document, f"{page}-{number}", number, draft)
            for number, draft in enumerate(drafts, 1)
        )

    def _drafts(self, section: Section, text: str) -> Iterator[_Draft]:
        size, estimate = self.settings.largest, self._estimate
        start, end = readable_span(section, text)
        if end - start <= _PROBABLY_LONG * size and (cost := estimate(text[start:end])) <= size:
            parts = [(placed, part) for placed in section for part in parts_of(placed.block, text)]
            yield _Draft(parts, section, cost, "")
            return
        atoms = atoms_of(section, text, size, estimate)
        yield from map(_draft, Packer(text, size, self.settings.repeated, estimate).windows(atoms))

    def _merged(self, sections: list[Section], text: str) -> list[Section]:
        """Put small sections together with the one before them, where both have one parent."""
        merged: list[Section] = []
        for section in sections:
            if merged and self._belong_together(merged[-1], section, text):
                merged[-1] += section
            else:
                merged.append(section)
        return merged

    def _belong_together(self, one: Section, other: Section, text: str) -> bool:
        if parent_of(one) != parent_of(other):
            return False
        costs = [self._estimate(text[s[0].block.start : s[-1].block.end]) for s in (one, other)]
        return min(costs) < self.settings.merge_below and sum(costs) < self.settings.largest


def _draft(window: Window) -> _Draft:
    repeated = [(atom.placed, part) for atom, part in window.repeated]
    fresh = [(atom.placed, part) for atom in window.atoms for part in atom.parts]
    placed = [atom.placed for atom in window.atoms]
    return _Draft(repeated + fresh, placed, window.cost, window.header)


def _chunk(document: Document, id: str, number: int, draft: _Draft) -> Chunk:
    headings = common_headings(draft.placed)
    start, end = draft.parts[0][1].start, draft.parts[-1][1].end
    return Chunk(
        id=id,
        document=document.key,
        number=number,
        title=document.title,
        heading_path=(document.title, *(heading.plain for heading in headings)),
        anchor=headings[-1].anchor if headings else "",
        url=document.url,
        start=start,
        end=end,
        text=document.text[start:end],
        plain=_plain(draft.parts),
        tokens=draft.cost,
        header=draft.header,
        language=document.language,
    )


def _plain(parts: list[tuple[PlacedBlock, Part]]) -> str:
    """Return the readable text: blocks apart by a blank line, parts as their block joins them."""
    blocks = groupby(parts, key=lambda item: item[0].block.start)
    return "\n\n".join(_joined([part for _, part in group]) for _, group in blocks)


def _joined(parts: list[Part]) -> str:
    return parts[0].plain + "".join(part.joint + part.plain for part in parts[1:])
