"""The readable text of an HTML page."""

from __future__ import annotations

import re
from itertools import islice

from tether.batteries.web.html_tokens import EndTag, StartTag, Text, Token, resolved, tokens
from tether.core.errors import LimitExceeded

_LEFT_OUT = frozenset({"noscript", "object", "svg", "template"})
_VOID = frozenset({"br", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
_INVISIBLE = re.compile(
    r"(?:^|;)(?:display:none|visibility:hidden"
    r"|(?:font-size|height|max-height|max-width|opacity|width):0(?![.0-9]))"
)
_HEADINGS = {f"h{level}": f"{'#' * level} " for level in range(1, 7)}
_MARKS = {"li": "- ", **_HEADINGS}
_CELLS = frozenset({"td", "th"})
_PARAGRAPHS = frozenset(_HEADINGS) | {
    *("article", "aside", "blockquote", "dl", "figure", "footer", "form", "header", "hr", "main"),
    *("nav", "ol", "p", "pre", "section", "table", "ul"),
}
_LINES = _PARAGRAPHS | {
    *("address", "br", "caption", "dd", "details", "dialog", "div", "dt", "fieldset"),
    *("figcaption", "li", "option", "summary", "tr"),
}
_BLOCKS = _LINES - {"br"}
_MOST_TOKENS = 200_000
_LONGEST_TITLE = 1_000


class HtmlText:
    """Reads a page some tags at a time, so that a long one does not hold up everything else.

    Scripts, styles, comments and what a person would not see are left out. Headings, list items and
    table cells are marked as in Markdown.
    """

    __slots__ = ("_depth", "_left", "_lines", "_skipped", "_tokens", "hidden", "title")

    def __init__(self, source: str) -> None:
        self._tokens = tokens(source)
        self._left = _MOST_TOKENS
        self._lines = _Lines()
        self._skipped: str | None = None
        self._depth = 0
        self.hidden = 0
        """How many parts were left out because a person would not see them."""

        self.title = ""

    @property
    def text(self) -> str:
        """What has been read so far."""
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
            case Text(text) if self._skipped is None:
                self._lines.add(text)
            case _:
                pass

    def _start(self, tag: StartTag) -> None:
        if self._skipped == "p" and tag.name in _BLOCKS:
            self._skipped = None  # a paragraph ends where the next block begins
        if self._skipped is not None:
            self._depth += tag.name == self._skipped
        elif tag.raw is not None:
            if tag.name == "title" and not self.title:
                self.title = " ".join(resolved(tag.raw[:_LONGEST_TITLE]).split())
        elif self._is_left_out(tag):
            self._skipped, self._depth = tag.name, 1
        else:
            self._lines.open(tag.name)

    def _is_left_out(self, tag: StartTag) -> bool:
        if tag.name in _LEFT_OUT:
            return not tag.is_closed
        is_hidden = tag.name not in _VOID and _is_hidden(tag.attributes)
        self.hidden += is_hidden
        return is_hidden

    def _end(self, name: str) -> None:
        if self._skipped is None:
            self._lines.close(name)
        elif name == self._skipped:
            self._depth -= 1
            if not self._depth:
                self._skipped = None


def _is_hidden(attributes: dict[str, str]) -> bool:
    style = "".join(attributes.get("style", "").lower().split())
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden", "").lower() == "true"
        or _INVISIBLE.search(style) is not None
    )


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
        for other in others:
            self._done += self._line() or [""]
            self._parts = [other]

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
