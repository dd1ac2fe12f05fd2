"""The readable text of an HTML page."""

from __future__ import annotations

from itertools import islice

from tether.core.errors import LimitExceeded
from tether.text.html.elements import BLOCKS, HEADINGS, OpenElements
from tether.text.html.tokens import EndTag, StartTag, Text, Token, resolved, tokens
from tether.text.html.visibility import is_hidden

_LEFT_OUT = frozenset({"object", "svg", "template"})
_MARKS = {"li": "- ", **{name: f"{'#' * int(name[1])} " for name in HEADINGS}}
_CELLS = frozenset({"td", "th"})
_PARAGRAPHS = frozenset(HEADINGS) | {
    *("article", "aside", "blockquote", "dl", "figure", "footer", "form", "header", "hr", "main"),
    *("nav", "ol", "p", "pre", "section", "table", "ul"),
}
_LINES = (BLOCKS - _CELLS) | {"br", "option"}
_MOST_TOKENS = 200_000
_LONGEST_TITLE = 1_000


class HtmlText:
    """Reads a page some tags at a time, so that a long one does not hold up everything else.

    Scripts, styles, comments and elements that their own attributes hide are left out; text that
    is hidden in other ways is not noticed. Headings, list items and table cells are marked as in
    Markdown.
    """

    __slots__ = ("_hidden_at", "_left", "_lines", "_open", "_tokens", "hidden", "title")

    def __init__(self, source: str) -> None:
        self._tokens = tokens(source)
        self._left = _MOST_TOKENS
        self._lines = _Lines()
        self._open = OpenElements()
        self._hidden_at: int | None = None
        self.hidden = 0
        """How many parts were left out because their attributes hide them."""

        self.title = ""

    @property
    def text(self) -> str:
        """The text read so far."""
        return self._lines.text()

    def read(self, count: int) -> bool:
        """Read on for some tags and runs of text; return whether there may be more.

        Raises `LimitExceeded` for a page of more tags than anybody writes.
        """
        taken = 0
        for token in islice(self._tokens, count):
            self._take(token)
            taken += 1
        self._left -= taken
        if self._left < 0:
            raise LimitExceeded(f"the page has more than {_MOST_TOKENS:,} tags and comments.")
        return taken == count

    def _take(self, token: Token | None) -> None:
        match token:
            case StartTag():
                self._start(token)
            case EndTag(name):
                self._end(name)
            case Text(text) if self._hidden_at is None:
                self._lines.add(text)
            case _:
                pass

    def _start(self, tag: StartTag) -> None:
        if tag.raw is not None:
            if tag.name == "title" and not self.title and self._hidden_at is None:
                self.title = " ".join(resolved(tag.raw[:_LONGEST_TITLE]).split())
            return
        self._open.end_before(tag.name)
        self._see_again()
        is_whole = tag.is_closed and tag.name in _LEFT_OUT
        is_element = not is_whole and self._open.start(tag.name)
        if self._hidden_at is not None:
            return
        if is_element and self._is_left_out(tag):
            self._hidden_at = len(self._open) - 1
        else:
            self._lines.open(tag.name)

    def _is_left_out(self, tag: StartTag) -> bool:
        if tag.name in _LEFT_OUT:
            return True
        hidden = is_hidden(tag.name, tag.attributes)
        self.hidden += hidden
        return hidden

    def _end(self, name: str) -> None:
        hidden_at = self._hidden_at
        self._open.end(name)
        self._see_again()
        if hidden_at is None or len(self._open) < hidden_at:
            self._lines.close(name)

    def _see_again(self) -> None:
        if self._hidden_at is not None and len(self._open) <= self._hidden_at:
            self._hidden_at = None


class _Lines:
    """Text as it grows, line by line."""

    __slots__ = ("_done", "_mark", "_parts", "_preformatted")

    def __init__(self) -> None:
        self._done: list[str] = []
        self._parts: list[str] = []
        self._mark = ""
        self._preformatted = 0

    def text(self) -> str:
        return "\n".join([*self._done, *self._line()]).strip("\n")

    def add(self, text: str) -> None:
        if not self._preformatted:
            if self._parts or not text.isspace():
                self._parts.append(text)
            return
        first, *others = text.split("\n")
        self._parts.append(first)
        if others:
            self._done += self._line() or [""]
            self._done += [line.rstrip() for line in others[:-1]]
            self._parts = others[-1:]

    def open(self, name: str) -> None:
        self._break(name)
        self._mark = _MARKS.get(name, self._mark)
        self._preformatted += name == "pre"
        if name in _CELLS and self._parts:
            self._parts.append(" | ")

    def close(self, name: str) -> None:
        self._break(name)
        if name in _MARKS:
            self._mark = ""
        if name == "pre" and self._preformatted:
            self._preformatted -= 1

    def _break(self, name: str) -> None:
        if name in _LINES:
            if line := self._line():
                self._done += line
                self._mark = ""
            self._parts = []
        if name in _PARAGRAPHS and self._done and self._done[-1]:
            self._done.append("")

    def _line(self) -> list[str]:
        """Return the line that is being written, or nothing while it has nothing to show."""
        joined = "".join(self._parts)
        line = joined.rstrip() if self._preformatted else " ".join(joined.split())
        return [self._mark + line] if line else []
