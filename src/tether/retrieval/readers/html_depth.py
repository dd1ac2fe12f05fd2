"""How deep a page nests, before a parser sees it: parsers take time with the square of the depth.

One pass over the tags by the rules of the HTML standard's tokenizer. The count may come out higher
than the depth of the tree in the end, never much lower.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from tether.text.html.elements import FORMATTING, RAW_TEXT, SPECIAL, VOID

_TAG = re.compile(r"<(?:(/?)([A-Za-z][^\s/>]*+)|!--|[!?/])")
_ATTRIBUTES = re.compile(
    r"(?:[\s/]++"
    r"|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\s>\"'][^\s>]*+)?+)?+"
    r")*+"
)
_RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in (*RAW_TEXT, "xmp")}
# These end where the next one begins, and nest only inside others that count.
_ENDED_BY_NEXT = "p tr td th thead tbody tfoot colgroup caption html head body form"
_NEVER_OPEN = VOID | frozenset(_ENDED_BY_NEXT.split())
_ONCE = frozenset(("a", "nobr"))  # a second one closes the first
_ENDED_BY = {  # by the next one of these, if nothing is open in them
    "li": ("li",),
    "dt": ("dt", "dd"),
    "dd": ("dt", "dd"),
    "option": ("option",),
    "optgroup": ("option",),
}
_WALLS = frozenset(("applet", "marquee", "object", "select", "table", "template"))
# An end tag of any other element closes nothing across one of these.
_OTHER_SPECIAL_NAMES = (
    "annotation-xml desc foreignobject frameset listing mi mn mo ms mtext noscript plaintext xmp"
)
_SPECIAL = SPECIAL | frozenset(RAW_TEXT) | frozenset(_OTHER_SPECIAL_NAMES.split())
_DRAWN_NAMES = (
    "animate circle ellipse g image line path polygon polyline rect set stop text tspan use"
)
_DRAWN = frozenset(_DRAWN_NAMES.split())


class Nesting(NamedTuple):
    """How deep a page nests, and what of it is not shown: the comments in it."""

    depth: int
    comments: int


def nesting(source: str, limit: int) -> Nesting:
    """Return the depth of a page, or a depth above the limit as soon as it is reached."""
    counter = _Depth(limit)
    counter.read(source)
    return Nesting(counter.deepest, counter.comments)


class _Depth:
    """Follows the tags.

    Formatting elements are counted apart, because a parser opens them again after their parent is
    closed. An element that is a wall keeps what was opened before it from being closed inside it.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rooms = [_Room("")]
        self._formats: Counter[str] = Counter()
        self._depth = 0
        self.deepest = 0
        self.comments = 0

    def read(self, source: str) -> None:
        at = 0
        while at < len(source) and self.deepest <= self._limit:
            found = _TAG.search(source, at)
            if found is None:
                return
            at = self._comment(source, found) if found[2] is None else self._tag(source, found)

    def _comment(self, source: str, found: re.Match[str]) -> int:
        if found[0] != "<!--":
            end = source.find(">", found.end())
            return end + 1 if end >= 0 else len(source)
        self.comments += 1
        if source.startswith((">", "->"), found.end()):
            return found.end() + 1
        end = source.find("-->", found.end() - 2)
        other = source.find("--!>", found.end())
        ends = [place for place in (end, other) if place >= 0]
        return min(ends) + 3 if ends else len(source)

    def _tag(self, source: str, found: re.Match[str]) -> int:
        slash, name = found[1], found[2].lower()
        inside = _ATTRIBUTES.match(source, found.end())
        end = (inside.end() if inside else found.end()) + 1
        if slash:
            self._close(name)
        elif name not in _NEVER_OPEN and not self._is_drawn(name, source, end):
            is_raw = name in _RAW and not self._is_drawing
            self._open_one(name)
            if is_raw:
                return self._after_raw(source, name, end)
        return end

    def _is_drawn(self, name: str, source: str, end: int) -> bool:
        return name in _DRAWN and self._is_drawing and source.startswith("/", end - 2)

    @property
    def _is_drawing(self) -> bool:
        """Whether a drawing, a formula or a set of frames is open, in which no element is raw."""
        names = self._rooms[-1].names
        return bool(names["svg"] or names["math"] or self._rooms[0].names["frameset"])

    def _after_raw(self, source: str, name: str, at: int) -> int:
        self._close(name)
        found = _RAW[name].search(source, at)
        return found.start() if found else len(source)

    def _open_one(self, name: str) -> None:
        if name in FORMATTING:
            self._formats[name] += 1
        elif name in _ONCE:
            self._depth -= self._formats[name]
            self._formats[name] = 1
        elif name in _WALLS:
            self._rooms.append(_Room(name))
        else:
            self._depth -= self._rooms[-1].end_last(_ENDED_BY.get(name, ()))
            self._rooms[-1].add(name)
        self._depth += 1
        self.deepest = max(self.deepest, self._depth)

    def _close(self, name: str) -> None:
        if name in _WALLS:
            if self._rooms[-1].wall == name:
                self._depth -= len(self._rooms.pop().open) + 1
        elif self._formats[name]:
            self._formats[name] -= 1
            self._depth -= 1
        else:
            self._depth -= self._rooms[-1].close(name)


class _Room:
    """The open elements since the last wall; `levels` are the ordinary ones since each special."""

    def __init__(self, wall: str) -> None:
        self.wall = wall
        self.open: list[str] = []
        self.names: Counter[str] = Counter()
        self._levels: list[Counter[str]] = [Counter()]

    def add(self, name: str) -> None:
        self.open.append(name)
        self.names[name] += 1
        if name in _SPECIAL:
            self._levels.append(Counter())
        else:
            self._levels[-1][name] += 1

    def end_last(self, names: tuple[str, ...]) -> int:
        """Close the last element if it has one of these names; return how many were closed."""
        return self.close(self.open[-1]) if self.open and self.open[-1] in names else 0

    def close(self, name: str) -> int:
        """Close the last element of a name with all that is open in it; return how many."""
        closed = 0
        within = self.names if name in _SPECIAL else self._levels[-1]
        while within[name]:
            closed += 1
            if self._pop() == name:
                break
        return closed

    def _pop(self) -> str:
        last = self.open.pop()
        self.names[last] -= 1
        if last in _SPECIAL:
            self._levels.pop()
        else:
            self._levels[-1][last] -= 1
        return last
