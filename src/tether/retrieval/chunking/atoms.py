"""What is never cut: a block that fits into a chunk, or a piece of one that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tether.retrieval.chunking.cutting import cuts
from tether.retrieval.chunking.graphemes import cut_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.retrieval.chunking.sections import PlacedBlock, Section
    from tether.retrieval.document import Block
    from tether.retrieval.ports import Estimator


class Part(NamedTuple):
    """A readable part of the text; `joint` is what stands before it in its block's plain text."""

    start: int
    end: int
    plain: str
    joint: str


class Atom(NamedTuple):
    """Parts that stay together, and what it costs to take them into a chunk.

    `lead` is the cost of the text since the atom before, which is between two atoms of a chunk
    but not in front of its first. `header` is the table's header, where the atom is a row that was
    split off. `repeatable` says whether the next chunk may begin with its last parts again.
    """

    placed: PlacedBlock
    parts: tuple[Part, ...]
    cost: int
    lead: int
    header: str
    repeatable: bool

    @property
    def start(self) -> int:
        """Where the atom begins."""
        return self.parts[0].start

    @property
    def end(self) -> int:
        """Where the atom ends."""
        return self.parts[-1].end


def atoms_of(section: Section, text: str, size: int, estimate: Estimator) -> list[Atom]:
    """Return the section's atoms in order, none larger than the size."""
    atoms: list[Atom] = []
    for placed in section:
        for split in _split(placed.block, text, size, estimate):
            lead = estimate(text[atoms[-1].end : split.parts[0].start]) if atoms else 0
            atoms.append(Atom(placed, split.parts, split.cost, lead, split.header, split.loose))
    return atoms


def readable_span(section: Section) -> tuple[int, int]:
    """Return where the section's first part begins and its last one ends."""
    return parts_of(section[0].block)[0].start, parts_of(section[-1].block)[-1].end


def parts_of(block: Block) -> tuple[Part, ...]:
    """Return the block's readable pieces as parts; the first and the last reach to its ends.

    So the marks of a heading and the fences of code go with what they mark. There is at least one
    part, because blocks without readable pieces are in no section.
    """
    joint = " " if block.kind in ("heading", "paragraph", "quote") else "\n"
    first, last = block.pieces[0], block.pieces[-1]
    return tuple(
        Part(
            block.start if piece is first else piece.start,
            block.end if piece is last else piece.end,
            piece.plain,
            joint,
        )
        for piece in block.pieces
        if piece.plain.strip()
    )


class _Split(NamedTuple):
    parts: tuple[Part, ...]
    cost: int
    header: str
    loose: bool


def _split(block: Block, text: str, size: int, estimate: Estimator) -> Iterator[_Split]:
    parts = parts_of(block)
    cost = estimate(text[parts[0].start : parts[-1].end])
    if cost <= size:
        yield _Split(parts, cost, "", block.kind in ("paragraph", "quote"))
        return
    header = _affordable(block.header, size, estimate)
    header_end = block.start + len(block.header)
    for part in parts:
        above = header if part.start >= header_end else ""
        cost = estimate(text[part.start : part.end])
        if cost <= size:
            yield _Split((part,), cost, above, loose=True)
            continue
        for cut, cut_cost in _cut(part, text, size, estimate):
            yield _Split((cut,), cut_cost, above, loose=True)


def _affordable(header: str, size: int, estimate: Estimator) -> str:
    """Return the header, or nothing where it would leave its rows less than half of a chunk."""
    return header if header and 2 * estimate(header) <= size else ""


def _cut(part: Part, text: str, size: int, estimate: Estimator) -> Iterator[tuple[Part, int]]:
    """Cut one part, and say what each cut costs.

    Its plain text is cut in proportion, because markup hides what lies where.
    What is nearly all markup, such as a picture inside its own address, is not worth many chunks:
    its first stretch stands for all of it.
    """
    raw = text[part.start : part.end]
    plain, joint, done = part.plain, part.joint, 0
    if 4 * len(plain) < len(raw) and estimate(plain) <= size:
        first = next(cuts(raw, size, estimate))
        yield part._replace(end=part.start + first.end), first.cost
        return
    for start, end, cost in cuts(raw, _cut_size(raw, size), estimate):
        share = len(plain) * end // len(raw)
        until = share if plain == raw else max(done, cut_before(plain, share))
        if plain[done:until].strip():
            yield Part(part.start + start, part.start + end, plain[done:until], joint), cost
            joint = ""
        else:
            joint = joint or " "
        done = until


def _cut_size(raw: str, size: int) -> int:
    """Return a small size, so that overlaps are possible, but not for a flood of characters."""
    return size // 10 if len(raw) <= 100 * size else size
