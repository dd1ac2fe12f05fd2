"""The chunker: cuts a document into chunks along its headings, by its settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tether.core.checks import Checks
from tether.retrieval.chunk import Chunk
from tether.retrieval.chunking.atoms import Part, atoms_of, parts_of, readable_span
from tether.retrieval.chunking.packer import Packer, Window
from tether.retrieval.chunking.sections import (
    PlacedBlock,
    Section,
    common_headings,
    parent_of,
    sections_of,
)
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.estimates import token_estimator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.retrieval.document import Block, Document
    from tether.retrieval.ports import Estimator

ChunkUnit = Literal["tokens", "characters"]

SIZES: dict[ChunkUnit, int] = {"tokens": 400, "characters": 600}
OVERLAPS: dict[ChunkUnit, int] = {"tokens": 40, "characters": 100}
SMALLEST_SIZE = 32
"""A smaller chunk could not hold one composed emoji."""

VERSION = 3
"""Increase it if the code gives other chunks for the same settings."""

_PROBABLY_LONG = 8
"""In characters per token; a longer section almost never fits, so it is not counted first."""

LONGEST = 80
_UNSAFE = re.compile(r"[^a-z0-9._/-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSettings:
    """The size of chunks, and where they begin; raises `InvalidRetrievalSettings`.

    A chunk is at most `size` units long, and repeats up to `overlap` units of the chunk before if
    its section had to be cut: by default 400 and 40 tokens, or 600 and 100 characters. Tokens are
    those of `encoding`, any name that `count_tokens` knows or that was registered with
    `register_estimator`. Headings of level 1 to `deepest_heading` begin a chunk. A section of less
    than `merge_below` units is merged with its neighbour under the same parent; 0 merges none.
    """

    unit: ChunkUnit = "tokens"
    size: int | None = None
    overlap: int | None = None
    encoding: str = "cl100k_base"
    deepest_heading: int = 3
    merge_below: int = 0

    def __post_init__(self) -> None:
        check = Checks()
        check.choice("unit", self.unit, tuple(SIZES))
        check.identifier("encoding", self.encoding)
        check.done(InvalidRetrievalSettings)
        _whole(check, "size", self.largest, SMALLEST_SIZE, 1_000_000)
        _whole(check, "overlap", self.repeated, 0, 500_000)
        _whole(check, "deepest_heading", self.deepest_heading, 0, 6)
        _whole(check, "merge_below", self.merge_below, 0, 1_000_000)
        check.done(InvalidRetrievalSettings)
        if self.repeated * 2 > self.largest:
            check.fail("overlap", f"must be at most half of the size, {self.largest // 2}")
        check.done(InvalidRetrievalSettings)

    @property
    def largest(self) -> int:
        """The size in force."""
        return SIZES[self.unit] if self.size is None else self.size

    @property
    def repeated(self) -> int:
        """The overlap in force; with another size than the default, at most a tenth of it."""
        if self.overlap is not None:
            return self.overlap
        return min(OVERLAPS[self.unit], self.largest // 10 if self.size else self.largest)

    @property
    def estimator(self) -> Estimator:
        """The measure of a text in the unit of the settings."""
        return len if self.unit == "characters" else token_estimator(self.encoding)

    @property
    def fingerprint(self) -> str:
        """Everything that the chunks depend on besides the document."""
        unit = self.encoding if self.unit == "tokens" else self.unit
        return (
            f"chunks-{VERSION};{unit};size={self.largest};overlap={self.repeated};"
            f"headings={self.deepest_heading};merge={self.merge_below}"
        )


def _whole(check: Checks, path: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        check.refuse(path, value, f"a whole number from {least} to {most}")


class _Draft(NamedTuple):
    """A chunk before it has a number: its parts, their blocks, and its cost."""

    parts: list[tuple[PlacedBlock, Part]]
    placed: list[PlacedBlock]
    cost: int
    header: str


class Chunker:
    """Cuts documents by one set of settings. It has no state; several threads may share it.

    A chunk is a section of the document with its heading, or a part of a section that is larger
    than the size. Tables, lists, code and paragraphs stay whole unless one alone is larger; then it
    is cut between rows (with the header of the table in `header`), items, lines or sentences, and
    only one of these that is too large is cut between words or characters. Every readable piece is
    in at least one chunk, and no chunk costs more than the size.
    """

    def __init__(self, settings: ChunkSettings | None = None) -> None:
        self.settings = settings or ChunkSettings()
        self._estimate = self.settings.estimator

    @property
    def fingerprint(self) -> str:
        """The settings and the version of this code, on which the chunks depend."""
        return self.settings.fingerprint

    def chunks(self, document: Document) -> tuple[Chunk, ...]:
        """Return the chunks of the document in order, none for a document without text.

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
        """Merge small sections with the one before them if both have the same parent."""
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
        anchor=_anchor(draft.placed[0].block, headings),
        url=document.url,
        start=start,
        end=end,
        text=document.text[start:end],
        plain=_plain(draft.parts),
        tokens=draft.cost,
        header=draft.header,
        language=document.language,
    )


def _anchor(first: Block, headings: tuple[Block, ...]) -> str:
    """Return the anchor of what a chunk begins with: of a definition, else of its section."""
    if first.kind != "heading" and first.anchor:
        return first.anchor
    return headings[-1].anchor if headings else ""


def _plain(parts: list[tuple[PlacedBlock, Part]]) -> str:
    """Return the readable text: a blank line between blocks, and parts joined as in their block."""
    blocks = groupby(parts, key=lambda item: item[0].block.start)
    return "\n\n".join(_joined([part for _, part in group]) for _, group in blocks)


def _joined(parts: list[Part]) -> str:
    return parts[0].plain + "".join(part.joint + part.plain for part in parts[1:])


def page_id(key: str) -> str:
    """Return the name of a page in the ids of its chunks; no two keys have the same.

    It is the key in lower case, without the scheme of a URL and the ending `.md`, and with other
    characters than letters, digits, `.`, `_`, `/` and `-` replaced. Several keys can give the same
    text: `Guide.md`, `guide.md` and `https://guide`. Only the one that can be restored from it is
    kept as it is; the others get a part of their hash. So it depends on the key alone, not on the
    rest of the index.
    """
    readable = _readable(key)
    return readable if _read_back(readable) == key else f"{readable}~{_digest(key)}"


def _readable(key: str) -> str:
    plain = key.lower().removeprefix("https://").removeprefix("http://").removesuffix(".md")
    return _UNSAFE.sub("-", plain)[:LONGEST].strip("-/") or "page"


def _read_back(readable: str) -> str:
    first, *others = readable.split("/")
    if others and "." in first:
        return f"https://{readable}"
    return readable if "." in (others[-1] if others else first) else f"{readable}.md"


def _digest(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
