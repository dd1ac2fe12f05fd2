"""Reads back the buckets of a system message."""

# No `from __future__ import annotations` here: see prompt.py.
from collections.abc import Collection
from typing import NamedTuple

from tether.trust.blocks import (
    Block,
    kind_of,
    named,
    parsed_block,
    read_block,
    read_blocks,
    refuse,
)
from tether.trust.parsed import ParsedBlock
from tether.trust.prompt import Bucket

_THIRD_PARTY = ("retrieved-third-party-public", "retrieved-third-party-private")


class Sections(NamedTuple):
    """The blocks in their order, and the buckets that they are from."""

    blocks: tuple[ParsedBlock, ...] = ()
    buckets: tuple[Bucket, ...] = ()


class _Place(NamedTuple):
    """Where in a prompt a block belongs: the bucket, and the rank of its tier in there."""

    bucket: Bucket
    rank: int = 0


def read_sections(
    text: str, directive: str, position: int = 0, earlier: Collection[Bucket] = ()
) -> Sections:
    """Return what stands from `position` to the end, where that is buckets and nothing else.

    Raises `InputRefused` where it is not, or where a bucket comes twice; `earlier` came before.
    """
    found: list[ParsedBlock] = []
    buckets: list[Bucket] = []
    opening, previous = f"{directive}\n\n", None
    while True:
        directed = bool(directive) and text.startswith(opening, position)
        start = position + len(opening) if directed else position
        block, position = read_block(text, start)
        place = _place(block)
        if directed and (place.bucket != "retrievables" or _is_same(place, previous)):
            refuse("the directive stands elsewhere than before retrieved text", text, start)
        if not _may_follow(place, previous, (*earlier, *buckets)):
            refuse(f"<{block.name}> comes twice, or too late", text, start)
        if not _is_same(place, previous):
            buckets.append(place.bucket)
        previous = place
        found += _section(block)
        if position == len(text):
            return Sections(tuple(found), tuple(buckets))
        if not text.startswith("\n\n", position):
            refuse("something stands after the closing tag", text, position)
        position += 2


def _place(block: Block) -> _Place:
    match block.name:
        case "system_instructions":
            return _Place("standing_instructions")
        case "memories":
            return _Place("memories")
        case "retrieved_corpus":
            return _Place("retrievables")
        case _:
            kind = kind_of(named(block, "untrusted_content"), _THIRD_PARTY)
            return _Place("retrievables", 1 + _THIRD_PARTY.index(kind))


def _is_same(place: _Place, previous: _Place | None) -> bool:
    return previous is not None and place.bucket == previous.bucket


def _may_follow(place: _Place, previous: _Place | None, seen: Collection[Bucket]) -> bool:
    """Third-party texts stand one by one, public before private; all else is one block."""
    if previous is not None and place.bucket == previous.bucket:
        return place.rank > 0 and place.rank >= previous.rank
    return place.bucket not in seen


def _section(block: Block) -> list[ParsedBlock]:
    match block.name:
        case "system_instructions":
            return [parsed_block(block, kind_of(block, ("developer-rules",)))]
        case "memories":
            return [parsed_block(named(one, "memory"), "memory") for one in _children(block)]
        case "retrieved_corpus":
            ours = [named(one, "retrieved") for one in _children(block)]
            return [parsed_block(one, "retrieved-first-party") for one in ours]
        case _:
            return [parsed_block(block, kind_of(block, _THIRD_PARTY))]


def _children(block: Block) -> list[Block]:
    return read_blocks(block.inside, "\n")
