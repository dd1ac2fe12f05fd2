"""The parts of a passage that a page shows struck out, or does not show: they are not said.

Struck out are `~~words~~` and the elements `del`, `s` and `strike`. Not shown are elements that
their own attributes hide. Comments and scripts are not read in the first place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tether.text.html.elements import OpenElements
from tether.text.html.tokens import StartTag, tokens
from tether.text.html.visibility import comes_later, is_hidden, is_out_of_sight
from tether.text.markdown.emphasis import DelimiterRun, pair_up
from tether.text.markdown.site_inlines import Dialect
from tether.text.markdown.site_marks import TAG, closed_names, is_tag
from tether.text.sentences import Span
from tether.text.units.block_state import Block
from tether.text.units.inlines import PassageInlines

_STRIKING = frozenset({"del", "s", "strike"})
_MAY_STRIKE = re.compile(r"[~<]")
_STRUCK_TITLE = re.compile(r"~~|<(?:del|s|strike)[\s>]", re.IGNORECASE)
_MARK = re.compile(
    r"(?P<ticks>`++)(?:[^`\n]|\n(?![ \t>]*+\n))++(?P=ticks)"
    r"|<!--(?:[^-]|-(?!->))*+"
    r"|(?P<blank>\n(?=[ \t>]*+\n))"
    rf"|(?P<tag>{TAG.pattern})"
)
"""Code and comments, which have no tags in them, the ends of paragraphs, and tags."""


class Struck:
    """The struck and hidden parts of a passage, by their places."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, text: str, blocks: Sequence[Block]) -> None:
        spans = _joined(_spans(text, blocks)) if _MAY_STRIKE.search(text) else []
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def meets(self, span: Span) -> bool:
        """Say whether a place has such a part in it."""
        at = bisect_right(self._ends, span[0])
        return at < len(self._starts) and self._starts[at] < span[1]


def is_struck_title(title: str) -> bool:
    """Say whether a heading is struck out, and with it what stands below."""
    return _STRUCK_TITLE.match(title) is not None


def _spans(text: str, blocks: Sequence[Block]) -> Iterator[Span]:
    if "<" in text:
        yield from _Elements(text, closed_names(text), blocks).spans()
    for block in blocks:
        if block.kind != "code" and text.find("~", block.start, block.end) >= 0:
            yield from _strikes(text, block)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return places in order, as one where they overlap."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif start < end:
            joined.append((start, end))
    return joined


def _strikes(text: str, block: Block) -> Iterator[Span]:
    """Yield what stands between tildes; in a table, line by line."""
    place = block.start
    source = text[block.start : block.end]
    for part in source.split("\n") if block.kind == "table" else [source]:
        scanner = _Strikes(part, Dialect(closed=closed_names(part)))
        scanner.scan()
        yield from ((place + start, place + end) for start, end in scanner.struck)
        place += len(part) + 1


class _Strikes(PassageInlines):
    """The markup of a passage, of which only the places between tildes are kept."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        super().__init__(text, dialect)
        self.struck: list[Span] = []

    def end_emphasis(self, runs: list[DelimiterRun]) -> None:
        """Pair the marks; tildes pair as a whole."""
        pair_up(runs)
        opened: list[int] = []
        for run in (one for one in runs if one.sign == "~"):
            place = self.fragments.place(run.fragment)
            if run.closing:
                self.struck.append((opened.pop(), place))
            elif run.opening:
                opened.append(place + run.length)


@dataclass(slots=True)
class _Elements:
    """The open elements, and the one among them that strikes out or hides what is in it.

    An element ends where a browser ends it. One that is opened within a block of text ends with it.
    """

    text: str
    closed: frozenset[str]
    blocks: Sequence[Block]
    _found: list[Span] = field(default_factory=list[Span])
    _open: OpenElements = field(default_factory=OpenElements)
    _start: int = -1
    _limit: int = 0
    _depth: int = 0

    def spans(self) -> list[Span]:
        """Return the places of what is struck out or hidden; tags in code are not tags."""
        at = 0
        for mark in _MARK.finditer(self.text):
            while at < len(self.blocks) and self.blocks[at].end <= mark.start():
                at += 1
            block = next(iter(self.blocks[at : at + 1]), None)
            if block and block.kind == "code" and block.start <= mark.start():
                continue
            if mark["blank"]:
                self._open.end_before("p")
            elif mark["tag"] and is_tag(mark, self.closed):
                self._take(mark, block)
            self._see_again(mark.start())
        self._see_again(self._limit)
        return self._found

    def _take(self, tag: re.Match[str], block: Block | None) -> None:
        name = tag["name"].lower()
        if tag["slash"]:
            self._open.end(name)
            return
        if tag["attributes"].endswith("/"):
            return
        self._open.end_before(name)
        self._see_again(tag.start())
        if self._open.start(name) and self._start < 0 and self._is_gone(tag, name):
            self._start, self._depth = tag.end(), len(self._open) - 1
            self._limit = self._end_of(tag, block)

    def _see_again(self, place: int) -> None:
        """End the struck or hidden part where its element has ended."""
        if self._start >= 0 and (len(self._open) <= self._depth or place >= self._limit):
            self._found.append((self._start, min(place, self._limit)))
            self._start = -1

    def _end_of(self, tag: re.Match[str], block: Block | None) -> int:
        """Return where an element ends at the latest; one on a line of its own is around blocks."""
        is_inside = block is not None and block.start <= tag.start()
        is_alone = block is None or tag.end() == block.end or self.text[tag.end()] == "\n"
        is_alone = is_alone and (block is None or tag.start() == block.start)
        return block.end if block and is_inside and not is_alone else len(self.text)

    def _is_gone(self, tag: re.Match[str], name: str) -> bool:
        """Say whether an element is struck out or hidden; `<s>` that ends nowhere is a word."""
        if name in _STRIKING:
            return tag["name"] in self.closed
        found = next(tokens(tag[0])) if tag["attributes"].strip() else None
        if not isinstance(found, StartTag) or comes_later(found.attributes):
            return False
        return is_hidden(name, found.attributes) or is_out_of_sight(found.attributes)
