"""The kinds of HTML elements, and the stack of open ones with the end tags that authors leave out.

Authors leave out the end tags of list items, cells and paragraphs, and browsers add them. A hidden
element must end where a browser ends it, or the rest of the page would be hidden too. The rules are
those of the HTML Standard, section 13.2.6.4, without formatting that goes on after the element it
was opened in. Every step takes constant time, or is paid for by the tag it undoes.
"""

from __future__ import annotations

VOID = frozenset({
    *("area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input"),
    *("keygen", "link", "meta", "param", "source", "track", "wbr"),
})  # fmt: skip
"""Elements without content, which are never open."""

FORMATTING = frozenset({
    *("b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"),
})  # fmt: skip
"""Elements that a parser opens again after their parent is closed."""

INLINE = FORMATTING | {
    *("a", "abbr", "acronym", "bdi", "bdo", "cite", "data", "del", "dfn", "ins", "kbd", "label"),
    *("mark", "math", "nobr", "picture", "q", "rb", "ruby", "samp", "span", "sub", "sup", "time"),
    *("var", "wbr"),
}
"""Elements that do not separate the words before and after them."""

RAW_TEXT = ("iframe", "noembed", "noframes", "script", "style", "textarea", "title")
"""Elements whose content is not markup."""

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

_ONCE = frozenset({"a", "nobr"})
_CELLS = ("td", "th", "caption", "colgroup")
_ROWS = ("tr", *_CELLS)
_TABLE_PARTS = ("tbody", "thead", "tfoot", *_ROWS)
_ENDING_P = frozenset(HEADINGS) | {
    *("address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir"),
    *("div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup"),
    *("hr", "li", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table"),
    "ul",
}
BLOCKS = _ENDING_P | {*_TABLE_PARTS, "body", "html", "legend"}
"""Elements that begin and end on a line of their own, and those that arrange them."""

_SCOPE = frozenset({"applet", "caption", "marquee", "object", "table", "td", "template", "th"})
SPECIAL = (BLOCKS - {"dialog", "legend"}) | _SCOPE | {"button", "select"}
"""Elements that an end tag of most other elements does not close."""

_AROUND_ITEMS = SPECIAL - {"address", "dd", "div", "dt", "li", "p"}

_ENDED_BY: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "a": (("a",), ("*scope",)),
    "button": (("button",), ("*scope",)),
    "dd": (("dd", "dt"), ("li", "*around items")),
    "dt": (("dd", "dt"), ("li", "*around items")),
    "li": (("li",), ("dd", "dt", "*around items")),
    "optgroup": (("option", "optgroup"), ("select", "*scope")),
    "option": (("option",), ("select", "*scope")),
    "td": (_CELLS, ("table",)),
    "th": (_CELLS, ("table",)),
    "tr": (_ROWS, ("table",)),
    **dict.fromkeys(("caption", "colgroup", "tbody", "tfoot", "thead"), (_TABLE_PARTS, ("table",))),
}
"""The elements a start tag ends, unless one of the second group was opened after them."""


class OpenElements:
    """The elements that are open, outermost first."""

    __slots__ = ("_names", "_places")

    def __init__(self) -> None:
        self._names: list[str] = []
        self._places: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._names)

    def end_before(self, name: str) -> None:
        """Close the elements that end where this one starts."""
        if name in _ENDING_P:
            self._end_all(("p",), ("button", "*scope"))
        if name in _ENDED_BY:
            self._end_all(*_ENDED_BY[name])

    def start(self, name: str) -> bool:
        """Open an element; return False for void ones and for table parts outside a table."""
        is_lost = name in _TABLE_PARTS and self._last("table") < 0
        if is_lost or name in VOID or name == "head":
            return False
        for key in _keys(name):
            self._places.setdefault(key, []).append(len(self._names))
        self._names.append(name)
        return True

    def end(self, name: str) -> None:
        """Take an end tag; one that belongs to nothing here changes nothing."""
        if name in ("body", "html"):
            return  # the rest still belongs to the body
        place = self._last(*(HEADINGS if name in HEADINGS else (name,)))
        if place >= max(0, self._wall(name)):
            self._cut(place)

    def _wall(self, name: str) -> int:
        """Return the place of the innermost element beyond which this end tag does not reach."""
        if name == "table":
            return -1
        if name in _TABLE_PARTS:
            return self._last("table")
        return self._last(
            "*scope" if name in SPECIAL or name in _ONCE or name in FORMATTING else "*special"
        )

    def _end_all(self, names: tuple[str, ...], walls: tuple[str, ...]) -> None:
        wall = self._last(*walls)
        while (place := self._last(*names)) > wall:
            self._cut(place)

    def _last(self, *keys: str) -> int:
        """Return the place of the innermost open element that is one of these, or -1."""
        last = -1
        for key in keys:
            places = self._places.get(key)
            if places and places[-1] > last:
                last = places[-1]
        return last

    def _cut(self, length: int) -> None:
        """Close every element from this place on."""
        while len(self._names) > length:
            for key in _keys(self._names.pop()):
                self._places[key].pop()


def _keys(name: str) -> list[str]:
    """Return the name of an element and the groups that it belongs to."""
    keys = [name]
    if name in SPECIAL:
        keys.append("*special")
        if name in _SCOPE:
            keys.append("*scope")
        if name in _AROUND_ITEMS:
            keys.append("*around items")
    return keys
