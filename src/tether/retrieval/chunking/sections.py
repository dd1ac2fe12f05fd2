"""The sections of a document: the blocks under one heading, up to the next that begins a chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.retrieval.document import Block, Document


class PlacedBlock(NamedTuple):
    """A block and the headings above it, outermost first; a heading is among its own."""

    block: Block
    above: tuple[Block, ...]


Section = list[PlacedBlock]


def sections_of(document: Document, deepest_heading: int) -> list[Section]:
    """Return the sections in order; together they have every readable block.

    Headings of level 1 to `deepest_heading` begin one, but the title of the page only if it comes
    again, below another. The text before the first heading is a section too. A heading without text
    joins the section that follows one level down, or else the one before it: alone it would be
    found for its words and answer nothing.
    """
    found: list[Section] = []
    waiting: Section = []
    for section in _split(document, deepest_heading):
        if waiting and _leads_to(waiting, section):
            waiting += section
        else:
            _append(found, waiting)
            waiting = section
        if not _is_bare(section):
            found.append(waiting)
            waiting = []
    _append(found, waiting)
    return found


def parent_of(section: Section) -> tuple[Block, ...]:
    """Return the headings above that of the section."""
    first = section[0]
    return first.above[:-1] if first.block.kind == "heading" else first.above


def common_headings(placed: Section) -> tuple[Block, ...]:
    """Return the headings that all readable blocks share, outermost first."""
    bodies = [item.above for item in placed if item.block.kind != "heading"]
    paths = bodies or [item.above for item in placed]
    common = paths[0]
    for path in paths[1:]:
        same = (one is other for one, other in zip(common, path, strict=False))
        common = common[: next((at for at, equal in enumerate(same) if not equal), len(path))]
    return common


def _split(document: Document, deepest_heading: int) -> Iterator[Section]:
    section: Section = []
    for placed in _placed(document):
        block = placed.block
        begins = block.kind == "heading" and block.level <= deepest_heading
        if begins and section and (placed.above or section[-1].above):
            yield section
            section = []
        section.append(placed)
    if section:
        yield section


def _placed(document: Document) -> Iterator[PlacedBlock]:
    """Yield each block with text and its headings, without the title of the page."""
    above: tuple[Block, ...] = ()
    title = _folded(document.title)
    for block in document.blocks:
        if not any(piece.plain.strip() for piece in block.pieces):
            continue
        if block.kind == "heading":
            is_title = block.level == 1 and _folded(block.plain) == title
            outer = tuple(heading for heading in above if heading.level < block.level)
            above = outer if is_title else (*outer, block)
        yield PlacedBlock(block, above)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_bare(section: Section) -> bool:
    return all(placed.block.kind == "heading" for placed in section)


def _leads_to(bare: Section, section: Section) -> bool:
    """Return whether a section is under the first heading of a section without text."""
    first = section[0].block
    return not bare[0].above or (first.kind == "heading" and first.level > bare[0].block.level)


def _append(found: list[Section], bare: Section) -> None:
    if bare and found:
        found[-1] += bare
    elif bare:
        found.append(bare)
