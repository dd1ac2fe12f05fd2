"""Inline Markdown: links, images, code spans, emphasis, with their places (CommonMark 0.31).

One pass from left to right. Code spans and autolinks bind closer than brackets, and brackets closer
than emphasis. Of the open brackets only the innermost hundred are remembered, and a search that
failed is not repeated, so the time grows with the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from tether.text.fragments import Fragments
from tether.text.markdown.emphasis import DelimiterRun, pair_up
from tether.text.markdown.targets import (
    LONGEST_LABEL,
    PLAIN,
    Destinations,
    FoundTarget,
    Label,
    Target,
    label_name,
    read_inline_target,
    read_label,
    unescape,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tether.text.sentences import Span

DEEPEST_BRACKETS = 100

_BACKTICKS = re.compile(r"`+")
_ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~\n]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20\x7f<>]*+)>")
_EMAIL = re.compile(
    r"<([a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]++@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
    r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*+)>"
)
_TAG = re.compile(
    r"<(?:/[A-Za-z][A-Za-z0-9-]*+\s*+|[A-Za-z][A-Za-z0-9-]*+"
    r"(?:\s++[A-Za-z_:][A-Za-z0-9_.:-]*+(?:\s*+=\s*+(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+)*+"
    r"\s*+/?)>"
)
_HTML = (
    (re.compile("<!--"), "-->"),
    (re.compile(r"<\?"), "?>"),
    (re.compile(r"<!\[CDATA\["), "]]>"),
    (re.compile("<![A-Za-z]"), ">"),
)


class Link(NamedTuple):
    """A link or an image: its text and target, and the places of its notation.

    The notation begins at `position`, its text ends at `close`, and all of it ends at `end`.
    """

    text: str
    url: str
    title: str | None
    position: int
    close: int
    end: int


class Inlines(NamedTuple):
    """A text without its markup, and its links and images in order."""

    text: str
    links: list[Link]
    images: list[Link]


def read_inlines(text: str, definitions: Mapping[str, Target], start: int = 0) -> Inlines:
    """Read a text from `start` on; labels are looked up in `definitions`."""
    scanner = InlineScanner(text, definitions)
    scanner.scan(start)
    plain = _tidy(scanner.fragments.text_from(0)).rstrip(" \t")
    links, images = (
        [link._replace(text=_tidy(link.text)) for link in found]
        for found in (scanner.links, scanner.images)
    )
    return Inlines(plain, links, images)


def _tidy(text: str) -> str:
    """Drop the spaces at line ends, which mean nothing or a line end."""
    *lines, last = text.split("\n")
    return "\n".join([*(line.rstrip(" \t") for line in lines), last])


class Bracket:
    """An opening bracket: its place, its fragment, and whether it may begin a link."""

    __slots__ = ("can_open", "fragment", "has_inner", "position", "runs", "sign")

    def __init__(self, position: int, sign: str, fragment: int, runs: int) -> None:
        self.position = position
        self.sign = sign
        self.fragment = fragment
        self.runs = runs
        self.can_open = True
        self.has_inner = False

    @property
    def is_image(self) -> bool:
        """Whether it opens an image."""
        return self.sign == "!["


class InlineScanner:
    """One pass over a text; each `read_` method takes one notation and returns where it ends.

    A dialect is a subclass: `special` finds where a notation may begin, `readers` has the method
    for each first character, and a method that is overridden reads its notation differently.
    """

    special: ClassVar[re.Pattern[str]] = re.compile(r"[\\`<!\[\]*_~&]")
    strikes: ClassVar[tuple[int, ...]] = (2,)
    """How many tildes strike text out."""

    destinations: ClassVar[Destinations] = PLAIN

    def __init__(self, text: str, definitions: Mapping[str, Target]) -> None:
        self.fragments = Fragments()
        self.links: list[Link] = []
        self.images: list[Link] = []
        self.codes: list[Span] = []
        self.text = text
        self.readers: dict[str, Callable[[int], int]] = {
            "\\": self.read_escape,
            "`": self.read_code,
            "<": self.read_angle,
            "!": self.read_bang,
            "[": self.read_bracket,
            "]": self.read_close,
            "&": self.read_entity,
            "*": self.read_run,
            "_": self.read_run,
            "~": self.read_run,
        }
        self._definitions = definitions
        self._runs: list[DelimiterRun] = []
        self._brackets: deque[Bracket] = deque(maxlen=DEEPEST_BRACKETS)
        self._absent: set[str] = set()
        self._ticks: dict[int, list[int]] = {}
        for found in _BACKTICKS.finditer(text):
            self._ticks.setdefault(len(found[0]), []).append(found.start())

    def scan(self, position: int = 0) -> None:
        """Read the text from a position on."""
        text = self.text
        while found := self.special.search(text, position):
            if found.start() > position:
                self.fragments.add(text[position : found.start()], position)
            position = self.readers.get(found[0][0], self.read_other)(found.start())
        if position < len(text):
            self.fragments.add(text[position:], position)
        self._end_emphasis(0)
        self.links.sort(key=lambda link: link.position)
        self.images.sort(key=lambda image: image.position)

    def keep(self, start: int, end: int) -> int:
        """Take some characters as text."""
        self.fragments.add(self.text[start:end], start)
        return end

    def read_other(self, position: int) -> int:
        """Read a notation whose first character has no reader."""
        return self.keep(position, position + 1)

    def read_escape(self, position: int) -> int:
        """Read a backslash, and the character that it escapes."""
        if not _ESCAPE.match(self.text, position):
            return self.keep(position, position + 1)
        return self.keep(position + 1, position + 2)

    def read_entity(self, position: int) -> int:
        """Read a character reference."""
        found = _ENTITY.match(self.text, position)
        meaning = unescape(found[0]) if found else ""
        if found is None or meaning == found[0]:
            return self.keep(position, position + 1)
        self.fragments.add(meaning, position, exact=False)
        return found.end()

    def read_code(self, position: int) -> int:
        """Read a code span, up to the next run of as many backticks."""
        end = self.end_of_run(position)
        closers = self._ticks.get(end - position, [])
        place = bisect_left(closers, end)
        if place == len(closers):
            return self.add_ticks(position, end)
        start, close = end, closers[place]
        code = self.text[start:close]
        if code[0] in " \n" and code[-1] in " \n" and code.strip(" \n"):
            start, close = start + 1, close - 1
        end = closers[place] + end - position
        self.codes.append((position, end))
        self.add_code(start, close)
        return end

    def add_ticks(self, start: int, end: int) -> int:
        """Add backticks that open no code."""
        return self.keep(start, end)

    def add_code(self, start: int, end: int) -> None:
        """Add the content of a code span, in which a line break is a space."""
        for number, line in enumerate(self.text[start:end].split("\n")):
            if number:
                self.fragments.add(" ", start - 1, exact=False, whole=True)
            self.fragments.add(line, start, whole=True)
            start += len(line) + 1

    def end_of_run(self, position: int) -> int:
        """Return where a run of one character ends."""
        end = position + 1
        while self.text.startswith(self.text[position], end):
            end += 1
        return end

    def read_angle(self, position: int) -> int:
        """Read an autolink, which is a link, or HTML, which is dropped."""
        for form, scheme in ((_AUTOLINK, ""), (_EMAIL, "mailto:")):
            if found := form.match(self.text, position):
                end = found.end()
                link = Link(found[1], scheme + found[1], None, position, end - 1, end)
                self.add_autolink(link)
                return end
        end_of_html = self.read_html(position)
        return self.keep(position, position + 1) if end_of_html is None else end_of_html

    def add_autolink(self, link: Link) -> None:
        """Add an address in angle brackets."""
        self.fragments.add(link.text, link.position + 1, whole=True)
        self.links.append(link)

    def read_html(self, position: int) -> int | None:
        """Return where a tag, a comment, an instruction or a declaration ends, if it does."""
        if found := _TAG.match(self.text, position):
            return found.end()
        for opening, closing in _HTML:
            if opening.match(self.text, position) and closing not in self._absent:
                end = self.text.find(closing, position + 2)
                if end >= 0:
                    return end + len(closing)
                self._absent.add(closing)
        return None

    def read_run(self, position: int) -> int:
        """Read a run that may mark emphasis; pairs are found when the text around it is known."""
        end = self.end_of_run(position)
        sign, length = self.text[position], end - position
        fragment = self.fragments.add(self.text[position:end], position)
        if sign != "~" or length in self.strikes:
            before, after = self.text[max(0, position - 1) : position], self.text[end : end + 1]
            self._runs.append(DelimiterRun(sign, length, before, after, fragment))
        return end

    def end_emphasis(self, runs: list[DelimiterRun]) -> None:
        """Pair some runs, and take off the characters that are marks."""
        pair_up(runs)
        for run in runs:
            self.fragments.cut(run.fragment, front=run.closing, back=run.opening)

    def _end_emphasis(self, start: int) -> None:
        self.end_emphasis(self._runs[start:])
        del self._runs[start:]

    def read_bang(self, position: int) -> int:
        """Read an exclamation mark, which before a bracket opens an image."""
        if not self.text.startswith("[", position + 1):
            return self.keep(position, position + 1)
        return self.open_bracket(position, "![")

    def read_bracket(self, position: int) -> int:
        """Read an opening bracket."""
        return self.open_bracket(position, "[")

    def open_bracket(self, position: int, sign: str) -> int:
        """Remember a bracket that may begin a link or an image."""
        if self._brackets:
            self._brackets[-1].has_inner = True
        fragment = self.fragments.add(sign, position)
        self._brackets.append(Bracket(position, sign, fragment, len(self._runs)))
        return position + len(sign)

    def read_close(self, position: int) -> int:
        """Make a link or an image of the last open bracket, if a target follows."""
        bracket = self._brackets.pop() if self._brackets else None
        found = self.read_target(bracket, position) if bracket and bracket.can_open else None
        if bracket is None or found is None:
            return self.keep(position, position + 1)
        self._end_emphasis(bracket.runs)
        text = self.fragments.text_from(bracket.fragment + 1)
        self.fragments.clear(bracket.fragment)
        url, title = found.target
        link = Link(text, url, title, bracket.position, position, found.end)
        if bracket.is_image:
            self.images.append(link)
        else:
            self.links.append(link)
            self.allow_no_link_around()
        return self.end_link(link, bracket.fragment)

    def end_link(self, link: Link, fragment: int) -> int:
        """Return where to go on after a link or an image, whose text begins at a fragment."""
        return link.end

    def allow_no_link_around(self) -> None:
        """Keep the open brackets around a link from becoming links."""
        for bracket in self._brackets:
            bracket.can_open = bracket.can_open and bracket.is_image

    def read_target(self, bracket: Bracket, position: int) -> FoundTarget | None:
        """Read (destination), [label] or []; without them the text itself is the label."""
        found = read_inline_target(self.text, position + 1, self.destinations)
        if found is not None:
            return found
        label = read_label(self.text, position + 1)
        if label is None:
            label = self._own_label(bracket, position)
        target = self._definitions.get(label.name) if label else None
        return FoundTarget(target, label.end) if label and target else None

    def _own_label(self, bracket: Bracket, position: int) -> Label | None:
        start = bracket.position + len(bracket.sign)
        if bracket.has_inner or position - start > LONGEST_LABEL:
            return None
        is_collapsed = self.text.startswith("[]", position + 1)
        return Label(label_name(self.text[start:position]), position + (3 if is_collapsed else 1))
