"""The parts of a text while its markup is taken off."""

from __future__ import annotations

from itertools import accumulate

from tether.retrieval.readers.plain import Plain
from tether.retrieval.readers.sentences import Span

LONGEST_REPLACEMENT = 300


class Fragments:
    """Collects plain text in order; what turns out to be markup later can be taken back."""

    __slots__ = ("_exact", "_places", "_texts", "_whole")

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._places: list[int] = []
        self._exact: list[bool] = []
        self._whole: set[int] = set()

    def add(self, text: str, place: int, *, exact: bool = True, whole: bool = False) -> int:
        """Add text that stands at `place`, or replaces what does; return the fragment's number."""
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

    def clear(self, number: int) -> None:
        """Take back one fragment."""
        self._texts[number] = ""

    def text_from(self, number: int) -> str:
        """Return the text from one fragment to the end."""
        return "".join(self._texts[number:])

    def plain(self) -> Plain:
        """Return what has been collected."""
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
