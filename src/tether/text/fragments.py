"""Text without markup that still knows where each part of it came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from tether.text.sentences import Span

LONGEST_REPLACEMENT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """The text of an excerpt without its markup.

    `starts` are the places of its fragments in `text`, `places` those in the excerpt; fragments
    that are `exact` equal the excerpt there, the others replace something. No sentence ends in the
    spans `whole` of `text`.
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


class Fragments:
    """Collects plain text in order; text that turns out to be markup can be taken back."""

    __slots__ = ("_exact", "_places", "_texts", "_whole")

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._places: list[int] = []
        self._exact: list[bool] = []
        self._whole: set[int] = set()

    def add(self, text: str, place: int, *, exact: bool = True, whole: bool = False) -> int:
        """Add text from `place`, or text that replaces it; return the fragment's number."""
        self._texts.append(text if exact else text[:LONGEST_REPLACEMENT])
        self._places.append(place)
        self._exact.append(exact)
        if whole:
            self._whole.add(len(self._texts) - 1)
        return len(self._texts) - 1

    def cut(self, number: int, *, front: int = 0, back: int = 0) -> None:
        """Take characters off one fragment."""
        text = self._texts[number]
        self._texts[number] = text[front : len(text) - back]
        self._places[number] += front

    @property
    def texts(self) -> Sequence[str]:
        """The fragments in order."""
        return self._texts

    def place(self, number: int) -> int:
        """Return the place of one fragment."""
        return self._places[number]

    def replace(self, number: int, text: str) -> None:
        """Write another text in place of one fragment."""
        self._texts[number] = text

    def clear_from(self, number: int) -> None:
        """Take back the fragments from one to the end."""
        self._texts[number:] = [""] * (len(self._texts) - number)

    def clear(self, number: int) -> None:
        """Take back one fragment."""
        self._texts[number] = ""

    def text_from(self, number: int) -> str:
        """Return the text from one fragment to the end."""
        return "".join(self._texts[number:])

    def plain(self) -> Plain:
        """Return the collected text."""
        kept = [number for number, text in enumerate(self._texts) if text]
        ends = list(accumulate(len(self._texts[number]) for number in kept))
        starts = (0, *ends[:-1]) if ends else ()
        whole: tuple[Span, ...] = ()
        if self._whole:
            spans = zip(kept, starts, ends, strict=True)
            whole = tuple((start, end) for number, start, end in spans if number in self._whole)
        return Plain(
            text="".join(self._texts),
            starts=starts,
            places=tuple([self._places[number] for number in kept]),
            exact=tuple([self._exact[number] for number in kept]),
            whole=whole,
        )
