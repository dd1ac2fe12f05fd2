"""The passages of a turn that may be cited in its answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tether.core.tiers import TrustTier
from tether.retrieval.chunk import Chunk

if TYPE_CHECKING:
    from tether.ask.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A chunk with its place in the prompt, counted from 1, and the version of its document.

    A quote is found in `chunk.text`: `quote == chunk.text[a:b]` and
    `document.text[chunk.start + a : chunk.start + b] == quote`. `page` is the document's text from
    its beginning to some way behind the chunk: only there a sentence, a list or a table that the
    chunk cuts can be seen whole. It is "" where the chunk is far down, or all that is known.
    """

    number: int
    chunk: Chunk
    version: str
    tier: TrustTier = "first-party"
    page: str = field(default="", compare=False, repr=False)

    @property
    def link(self) -> str:
        """The link that the model has to copy."""
        return self.chunk.link

    @property
    def title(self) -> str:
        """The page's title."""
        return self.chunk.title


LONGEST_PAGE = 100_000
"""How far down its document a chunk may end for the document to be read with it, in characters."""

_BEHIND = 2_000


class Citable:
    """The passages that an answer may cite, by number.

    It is the one part of a turn that changes: passages that do not fit the prompt leave it, and
    those that a tool finds join it.
    """

    __slots__ = ("_known", "_last", "_library")

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[str, Evidence] = {}
        self._last = 0

    @property
    def passages(self) -> tuple[Evidence, ...]:
        """The passages as they are now, in the order in which they came."""
        return tuple(self._known.values())

    def add(self, chunks: Iterable[Chunk], tier: TrustTier) -> tuple[Evidence, ...]:
        """Let passages be cited from now on; return them in the order given.

        A passage that is here already keeps its number, and no number is given twice. Reads the
        index: call it in a thread.
        """
        return tuple(self._added(chunk, tier) for chunk in chunks)

    def drop(self, chunks: Collection[str]) -> None:
        """Remove passages, by the ids of their chunks."""
        for id in chunks:
            self._known.pop(id, None)

    def _added(self, chunk: Chunk, tier: TrustTier) -> Evidence:
        if chunk.id not in self._known:
            version = self._library.version(chunk.document)
            self._last += 1
            self._known[chunk.id] = Evidence(
                number=self._last, chunk=chunk, version=version, tier=tier, page=self._page(chunk)
            )
        return self._known[chunk.id]

    def _page(self, chunk: Chunk) -> str:
        text = self._library.text(chunk.document) if chunk.end <= LONGEST_PAGE else None
        is_there = text is not None and text[chunk.start : chunk.end] == chunk.text
        return text[: chunk.end + _BEHIND] if text is not None and is_there else ""
