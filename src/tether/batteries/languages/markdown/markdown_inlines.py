"""The text inside Markdown's blocks: links, images, code spans, emphasis (CommonMark 0.31).

One pass from left to right. Code spans and autolinks bind closer than brackets, and brackets closer
than emphasis. Of the brackets that are open at once the innermost hundred are kept in mind, and a
search that failed is not repeated: the time goes with the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.languages.markdown.markdown_emphasis import DelimiterRun, pair_up
from tether.batteries.languages.markdown.markdown_targets import (
    LONGEST_LABEL,
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

DEEPEST_BRACKETS = 100

_SPECIAL = re.compile(r"[\\`<!\[\]*_~&]")
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
    """A link or an image: its text, where it leads, and where its notation starts."""

    text: str
    url: str
    title: str | None
    position: int


class Inlines(NamedTuple):
    """What a text holds: itself without markup, its links and its images, in order."""

    text: str
    links: list[Link]
    images: list[Link]


def read_inlines(text: str, definitions: Mapping[str, Target], start: int = 0) -> Inlines:
    """Read a text from `start` on; labels are looked up in `definitions`."""
    scanner = _Scanner(text, definitions)
    scanner.scan(start)
    return Inlines(_tidy("".join(scanner.pieces)).rstrip(" \t"), scanner.links, scanner.images)


def _tidy(text: str) -> str:
    """Drop the spaces at line ends, which mean nothing or a line end."""
    *lines, last = text.split("\n")
    return "\n".join([*(line.rstrip(" \t") for line in lines), last])


class _Bracket:
    """An opening bracket: where it is, what was read before it, and whether it may make a link."""

    __slots__ = ("can_open", "has_inner", "piece", "position", "runs", "sign")

    def __init__(self, position: int, sign: str, piece: int, runs: int) -> None:
        self.position = position
        self.sign = sign
        self.piece = piece
        self.runs = runs
        self.can_open = True
        self.has_inner = False

    @property
    def is_image(self) -> bool:
        return self.sign == "!["


class _Scanner:
    """One pass over a text; each method reads one notation and returns where it ends."""

    def __init__(self, text: str, definitions: Mapping[str, Target]) -> None:
        self.pieces: list[str] = []
        self.links: list[Link] = []
        self.images: list[Link] = []
        self._text = text
        self._definitions = definitions
        self._runs: list[DelimiterRun] = []
        self._brackets: deque[_Bracket] = deque(maxlen=DEEPEST_BRACKETS)
        self._absent: set[str] = set()
        self._ticks: dict[int, list[int]] = {}
        for found in _BACKTICKS.finditer(text):
            self._ticks.setdefault(len(found[0]), []).append(found.start())
        self._readers: dict[str, Callable[[int], int]] = {
            "\\": self._escape,
            "`": self._code,
            "<": self._pointed,
            "!": self._bang,
            "[": self._open,
            "]": self._close,
            "&": self._entity,
        }

    def scan(self, position: int) -> None:
        text = self._text
        while found := _SPECIAL.search(text, position):
            if found.start() > position:
                self.pieces.append(text[position : found.start()])
            position = self._readers.get(found[0], self._run)(found.start())
        self.pieces.append(text[position:])
        self._end_emphasis(0)
        self.links.sort(key=lambda link: link.position)
        self.images.sort(key=lambda image: image.position)

    def _keep(self, text: str, end: int) -> int:
        self.pieces.append(text)
        return end

    def _escape(self, position: int) -> int:
        if not _ESCAPE.match(self._text, position):
            return self._keep("\\", position + 1)
        return self._keep(self._text[position + 1], position + 2)

    def _entity(self, position: int) -> int:
        found = _ENTITY.match(self._text, position)
        if found is None:
            return self._keep("&", position + 1)
        return self._keep(unescape(found[0]), found.end())

    def _code(self, position: int) -> int:
        """Read a code span, up to the next run of as many backticks."""
        end = self._end_of_run(position)
        closers = self._ticks.get(end - position, [])
        place = bisect_left(closers, end)
        if place == len(closers):
            return self._keep(self._text[position:end], end)
        code = self._text[end : closers[place]].replace("\n", " ")
        if code.startswith(" ") and code.endswith(" ") and code.strip(" "):
            code = code[1:-1]
        return self._keep(code, closers[place] + end - position)

    def _end_of_run(self, position: int) -> int:
        end = position + 1
        while self._text.startswith(self._text[position], end):
            end += 1
        return end

    def _pointed(self, position: int) -> int:
        """Read an autolink, which is a link, or a tag of HTML, which is dropped."""
        for form, scheme in ((_AUTOLINK, ""), (_EMAIL, "mailto:")):
            if found := form.match(self._text, position):
                self.links.append(Link(found[1], scheme + found[1], None, position))
                return self._keep(found[1], found.end())
        if found := _TAG.match(self._text, position):
            return found.end()
        return self._other_html(position) or self._keep("<", position + 1)

    def _other_html(self, position: int) -> int | None:
        """Return where a comment, an instruction or a declaration ends, if it does."""
        for opening, closing in _HTML:
            if opening.match(self._text, position) and closing not in self._absent:
                end = self._text.find(closing, position + 2)
                if end >= 0:
                    return end + len(closing)
                self._absent.add(closing)
        return None

    def _run(self, position: int) -> int:
        """Read what may mark emphasis; it is decided when the text around it is known."""
        end = self._end_of_run(position)
        sign, length = self._text[position], end - position
        if sign != "~" or length == 2:
            before, after = self._text[max(0, position - 1) : position], self._text[end : end + 1]
            self._runs.append(DelimiterRun(sign, length, before, after, len(self.pieces)))
        return self._keep(sign * length, end)

    def _end_emphasis(self, start: int) -> None:
        pair_up(self._runs[start:])
        for run in self._runs[start:]:
            self.pieces[run.piece] = run.sign * run.left
        del self._runs[start:]

    def _bang(self, position: int) -> int:
        if not self._text.startswith("[", position + 1):
            return self._keep("!", position + 1)
        return self._push(position, "![")

    def _open(self, position: int) -> int:
        return self._push(position, "[")

    def _push(self, position: int, sign: str) -> int:
        if self._brackets:
            self._brackets[-1].has_inner = True
        self._brackets.append(_Bracket(position, sign, len(self.pieces), len(self._runs)))
        return self._keep(sign, position + len(sign))

    def _close(self, position: int) -> int:
        """Make a link or an image of the last open bracket, if what follows says where it leads."""
        bracket = self._brackets.pop() if self._brackets else None
        found = self._target(bracket, position) if bracket and bracket.can_open else None
        if bracket is None or found is None:
            return self._keep("]", position + 1)
        self._end_emphasis(bracket.runs)
        text = "".join(self.pieces[bracket.piece + 1 :])
        self.pieces[bracket.piece :] = [text]
        link = Link(_tidy(text), found.target.url, found.target.title, bracket.position)
        (self.images if bracket.is_image else self.links).append(link)
        if not bracket.is_image:
            self._allow_no_link_around()
        return found.end

    def _allow_no_link_around(self) -> None:
        for bracket in self._brackets:
            bracket.can_open = bracket.can_open and bracket.is_image

    def _target(self, bracket: _Bracket, position: int) -> FoundTarget | None:
        """Read (destination), [label] or []; without them the text itself is the label."""
        found = read_inline_target(self._text, position + 1)
        if found is not None:
            return found
        label = read_label(self._text, position + 1)
        if label is None:
            label = self._own_label(bracket, position)
        target = self._definitions.get(label.name) if label else None
        return FoundTarget(target, label.end) if label and target else None

    def _own_label(self, bracket: _Bracket, position: int) -> Label | None:
        start = bracket.position + len(bracket.sign)
        if bracket.has_inner or position - start > LONGEST_LABEL:
            return None
        is_collapsed = self._text.startswith("[]", position + 1)
        return Label(label_name(self._text[start:position]), position + (3 if is_collapsed else 1))
