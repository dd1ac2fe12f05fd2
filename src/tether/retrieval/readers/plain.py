"""Text without markup that still knows where it came from."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from tether.retrieval.document import Piece
from tether.retrieval.readers.excerpt import Excerpt
from tether.retrieval.readers.sentences import Span, sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """What is left of an excerpt without markup.

    `starts` are the places of its fragments in `text`, `places` those in the excerpt; fragments
    that are `exact` stand there character by character, the others replace something. `whole` are
    spans of `text` that no sentence ends in.
    """

    text: str
    starts: tuple[int, ...]
    places: tuple[int, ...]
    exact: tuple[bool, ...]
    whole: tuple[Span, ...] = ()

    def place(self, position: int) -> int:
        """Return the place in the excerpt of a place in `text`."""
        at = bisect_right(self.starts, position) - 1
        return self.places[at] + (position - self.starts[at] if self.exact[at] else 0)


def unmarked(excerpt: Excerpt) -> Plain:
    """Return an excerpt that has no markup as it is."""
    return Plain(text=excerpt.text, starts=(0,), places=(0,), exact=(True,))


def sentence_pieces(excerpt: Excerpt, plain: Plain) -> tuple[Piece, ...]:
    """Return the sentences with their places in the source, which leave out only white space.

    Markup between two sentences goes with the one that it touches: the cut is at the white space.
    Nothing comes of an excerpt that has no plain text.
    """
    spans = sentences(plain.text, plain.whole)
    if not spans:
        return ()
    inner = [plain.place(end) for _, end in spans[:-1]]
    cuts = [0, *inner, len(excerpt.text)]
    pieces: list[Piece] = []
    for number, (start, end) in enumerate(spans):
        begin, finish = _trimmed(excerpt.text, cuts[number], cuts[number + 1])
        words = " ".join(plain.text[start:end].split())
        pieces.append(Piece(start=excerpt.origin(begin), end=excerpt.origin(finish), plain=words))
    return tuple(pieces)


def _trimmed(text: str, begin: int, end: int) -> Span:
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return begin, end
