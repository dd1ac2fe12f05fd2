"""Atoms, which are never cut: blocks that fit into a chunk, and pieces of larger blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tether.retrieval.chunking.cuts import Cut, cut_before, cuts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.retrieval.chunking.sections import PlacedBlock, Section
    from tether.retrieval.document import Block
    from tether.retrieval.ports import Estimator


class Part(NamedTuple):
    """A readable part of the text; `joint` precedes it in the plain text of its block."""

    start: int
    end: int
    plain: str
    joint: str


class Atom(NamedTuple):
    """Parts that stay together, and their cost.

    `lead` is the cost of the text between this atom and the one before, which does not count for
    the first of a chunk. `header` is the header of the table if the atom is a row that was split
    off. `repeatable` says whether the next chunk may repeat its last parts.
    """

    placed: PlacedBlock
    parts: tuple[Part, ...]
    cost: int
    lead: int
    header: str
    repeatable: bool

    @property
    def start(self) -> int:
        """The start of the atom."""
        return self.parts[0].start

    @property
    def end(self) -> int:
        """The end of the atom."""
        return self.parts[-1].end


def atoms_of(section: Section, text: str, size: int, estimate: Estimator) -> list[Atom]:
    """Return the atoms of the section in order, none larger than the size.

    A block is one atom if it fits into a chunk together with the headings right above it: a chunk
    with only a heading would be found for its words and answer nothing.
    """
    atoms: list[Atom] = []
    headings = -1
    for placed in section:
        block = placed.block
        above = text[headings : block.start] if headings >= 0 else ""
        room = size - estimate(above) if above and block.kind != "heading" else size
        for split in _split(block, text, size, estimate, room):
            lead = estimate(text[atoms[-1].end : split.parts[0].start]) if atoms else 0
            atoms.append(Atom(placed, split.parts, split.cost, lead, split.header, split.loose))
        if block.kind != "heading":
            headings = -1
        elif headings < 0:
            headings = block.start
    return atoms


def readable_span(section: Section, text: str) -> tuple[int, int]:
    """Return the start of the first part of the section and the end of the last."""
    return parts_of(section[0].block, text)[0].start, parts_of(section[-1].block, text)[-1].end


def parts_of(block: Block, text: str) -> tuple[Part, ...]:
    """Return the readable pieces of the block as parts; the first and last reach to its ends.

    So the marks of a heading and the fences of code stay with their text, and a line of code keeps
    its indentation. There is at least one part, because sections have no blocks without readable
    pieces.
    """
    joint = " " if block.kind in ("heading", "paragraph", "quote") else "\n"
    first, last = block.pieces[0], block.pieces[-1]
    return tuple(
        Part(
            block.start if piece is first else _indented(text, piece.start),
            block.end if piece is last else piece.end,
            piece.plain,
            joint,
        )
        for piece in block.pieces
        if piece.plain.strip()
    )


def _indented(text: str, start: int) -> int:
    """Return the start of the indentation before a position, if its line has nothing else."""
    at = start
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    return at if at == 0 or text[at - 1] == "\n" else start


class _Split(NamedTuple):
    parts: tuple[Part, ...]
    cost: int
    header: str
    loose: bool


def _split(block: Block, text: str, size: int, estimate: Estimator, room: int) -> Iterator[_Split]:
    parts = parts_of(block, text)
    cost = estimate(text[parts[0].start : parts[-1].end])
    if cost <= room:
        yield _Split(parts, cost, "", block.kind in ("paragraph", "quote"))
        return
    header = _affordable(block.header, size, estimate)
    header_end = max(text.find(block.header, block.start), block.start) + len(block.header)
    for part in parts:
        above = header if part.start >= header_end else ""
        cost = estimate(text[part.start : part.end])
        if cost <= size:
            yield _Split((part,), cost, above, loose=True)
            continue
        for cut, cut_cost in _cut(part, text, size, estimate):
            yield _Split((cut,), cut_cost, above, loose=True)


def _affordable(header: str, size: int, estimate: Estimator) -> str:
    """Return the header, or "" if it would leave its rows less than half of a chunk."""
    return header if header and 2 * estimate(header) <= size else ""


def _cut(part: Part, text: str, size: int, estimate: Estimator) -> Iterator[tuple[Part, int]]:
    """Cut one part, and yield each cut with its cost.

    The plain text is cut in proportion, because it has no exact positions in the markup. A part
    that is nearly all markup, such as an image in a data URL, is not worth many chunks: only its
    first stretch is kept.
    """
    raw = text[part.start : part.end]
    plain, joint, done = part.plain, part.joint, 0
    if 4 * len(plain) < len(raw) and estimate(plain) <= size:
        first = next(cuts(raw, size, estimate))
        yield part._replace(end=part.start + first.end), first.cost
        return
    for start, end, cost in _stretches(raw, size, estimate):
        share = len(plain) * end // len(raw)
        until = share if plain == raw else _word_end(plain, done, share)
        if plain[done:until].strip():
            yield Part(part.start + start, part.start + end, plain[done:until], joint), cost
            joint = ""
        else:
            joint = joint or " "
        done = until


def _word_end(plain: str, done: int, share: int) -> int:
    """Return the end of the last whole word before a position."""
    if share == len(plain):
        return share
    place = max(plain.rfind(" ", done, share), plain.rfind("\n", done, share)) + 1
    return place if place > done else max(done, cut_before(plain, share, done))


def _stretches(raw: str, size: int, estimate: Estimator) -> Iterator[Cut]:
    """Yield the lines of a part, and too long ones in small stretches, for an overlap.

    A very long part is cut into the largest possible stretches.
    """
    if len(raw) > 100 * size:
        yield from cuts(raw, size, estimate)
        return
    done = 0
    for line in raw.splitlines(keepends=True):
        cost = estimate(line)
        inner = [Cut(0, len(line), cost)] if cost <= size else cuts(line, size // 10, estimate)
        for start, end, cut_cost in inner:
            yield Cut(done + start, done + end, cut_cost)
        done += len(line)
