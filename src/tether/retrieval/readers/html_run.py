"""Running text of a page: white space as a browser shows it, with the links in it."""

from __future__ import annotations

import re
from typing import NamedTuple

from tether.retrieval.readers.sentences import Span

_SPACE = re.compile(r"[ \t\n\f\r]+")
_INVISIBLE = str.maketrans("", "", "\u00ad\u200b\u2060\ufeff")


class RunLink(NamedTuple):
    """A link in running text, `start` characters from its beginning."""

    target: str
    text: str
    start: int


class Run:
    """Collects the text of a paragraph, a title, an item or a cell."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._ends_in_space = True
        self._links: list[tuple[str, int, int]] = []
        self.whole: list[Span] = []

    @property
    def length(self) -> int:
        """How much text there is so far."""
        return self._length

    @property
    def text(self) -> str:
        """The text so far, without white space at its ends."""
        return "".join(self._parts).rstrip()

    @property
    def links(self) -> list[RunLink]:
        """The links that have text, in the order in which they end."""
        text = "".join(self._parts)
        found = [(target, text[start:end], start) for target, start, end in self._links]
        return [
            RunLink(target, " ".join(label.split()), start + len(label) - len(label.lstrip()))
            for target, label, start in found
        ]

    def add(self, text: str) -> None:
        """Add text of the page; any white space is one space, and none at the beginning."""
        shown = _SPACE.sub(" ", text.translate(_INVISIBLE))
        if self._ends_in_space:
            shown = shown.lstrip(" ")
        self._append(shown)

    def add_break(self) -> None:
        """Begin a new line, unless nothing has been said on this one."""
        if self._parts and self._parts[-1] != "\n":
            self._append("\n")

    def add_gap(self) -> None:
        """Keep what comes now apart from what was there."""
        self.add(" ")

    def end_link(self, target: str, start: int) -> None:
        """Note that everything since a place was a link."""
        self._links.append((target, start, self._length))

    def end_whole(self, start: int) -> None:
        """Note that everything since a place belongs together: code."""
        if self._length > start:
            self.whole.append((start, self._length))

    def clear(self) -> None:
        """Forget everything: it was white space."""
        self._parts.clear()
        self._links.clear()
        self.whole.clear()
        self._length, self._ends_in_space = 0, True

    def _append(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
            self._ends_in_space = text[-1] in " \n"
