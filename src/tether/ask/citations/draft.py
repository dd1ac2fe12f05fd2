"""The text of an answer, composed from its statements: marks after them, numbered by first use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tether.ask.answer import Citation
from tether.ask.citations.judgement import Judged
from tether.ask.citations.markdown import Block, escaped
from tether.ask.citations.quotes import Found
from tether.text.markdown.marks import without_marks

_TICKS = re.compile(r"`+")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The text of an answer with its citations, as in `tether.ask.answer.Answer`."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(slots=True)
class _Writing:
    text: str = ""
    last: Block | None = None
    citations: list[Citation] = field(default_factory=list[Citation])
    numbers: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])


def compose(parts: Sequence[Judged | Block]) -> Draft:
    """Return the draft of statements and code, each block as it was written."""
    writing = _Writing()
    at = 0
    while at < len(parts):
        part = parts[at]
        if isinstance(part, Block):
            _write_code(writing, part)
            at += 1
            continue
        block = part.statement.block
        run: list[Judged] = []
        while at < len(parts) and isinstance(one := parts[at], Judged) and _in(one, block):
            run.append(one)
            at += 1
        _write_block(writing, block, run)
    return Draft(text=writing.text, citations=tuple(writing.citations))


def _in(judged: Judged, block: Block) -> bool:
    return judged.statement.block is block


def _write_code(writing: _Writing, block: Block) -> None:
    longest = max((len(run) for run in _TICKS.findall(block.text)), default=0)
    fence = "`" * max(3, longest + 1)
    writing.last = block
    gap = "\n\n" if writing.text else ""
    writing.text += f"{gap}{fence}{block.prefix.replace('`', '')}\n{block.text}\n{fence}"


def _write_block(writing: _Writing, block: Block, run: list[Judged]) -> None:
    goes_on = writing.last is not None and writing.last.kind == block.kind == "item"
    gap = "\n" if goes_on else block.gap if writing.text else ""
    writing.last = block
    writing.text += gap + block.prefix
    start = len(writing.text)
    span = start
    for at, judged in enumerate(run):
        if len(writing.text) > start:
            writing.text += " "
        if at == 0 or not _goes_on(run[at - 1], judged):
            span = len(writing.text)
        is_text = at > 0 or block.kind == "row"
        writing.text += escaped(
            judged.text if is_text else without_marks(judged.text) or judged.text.rstrip(".)")
        )
        if at + 1 == len(run) or not _goes_on(judged, run[at + 1]):
            first = at
            while first > 0 and _goes_on(run[first - 1], run[first]):
                first -= 1
            _mark(writing, span, run[first : at + 1])
    writing.text += block.suffix


def _goes_on(one: Judged, other: Judged) -> bool:
    """Say whether the quotes of two statements are one continuous part of one passage."""
    if len(one.found) != 1 or len(other.found) != 1:
        return False
    before, after = one.found[0], other.found[0]
    if before.evidence.number != after.evidence.number or before.end > after.start:
        return before == after
    between = before.evidence.chunk.text[before.end : after.start]
    return _WORD.search(between) is None


def _mark(writing: _Writing, span: int, run: list[Judged]) -> None:
    """Write a mark for each quote of a run; several statements of a run have one quote each."""
    end = len(writing.text)
    last = run[-1].found
    first = run[0].found[:1] if len(run) > 1 else []
    for found in last:
        start = min(one.start for one in (*first, found))
        number = _number(writing, found)
        mark = len(writing.text) + 1
        writing.text += f" [{number}]"
        places = (span, end, mark, len(writing.text))
        writing.citations.append(_citation(number, places, found, start))


def _number(writing: _Writing, found: Found) -> int:
    chunk = found.evidence.chunk
    place = (chunk.document, chunk.anchor)
    return writing.numbers.setdefault(place, len(writing.numbers) + 1)


def _citation(number: int, places: tuple[int, int, int, int], found: Found, start: int) -> Citation:
    chunk = found.evidence.chunk
    return Citation(
        number=number,
        span_start=places[0],
        span_end=places[1],
        mark_start=places[2],
        mark_end=places[3],
        document=chunk.document,
        title=chunk.title,
        url=chunk.url,
        anchor=chunk.anchor,
        chunk=chunk.id,
        quote=chunk.text[start : found.end],
        start=chunk.start + start,
        end=chunk.start + found.end,
        version=found.evidence.version,
    )
