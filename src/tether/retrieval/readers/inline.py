"""Inline Markdown into plain text, in one pass over it.

markdown-it's own inline parser gives no places, and takes quadratic time on some inputs; only its
block parser is used. This one drops what a reader does not see and keeps what they do: the text of
links, the alternative text of images, the content of code spans, the words of tooltips.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import unescape

from tether.retrieval.readers import shortcodes, tags
from tether.retrieval.readers.emphasis import Run, run_at, take_off
from tether.retrieval.readers.fragments import Fragments
from tether.retrieval.readers.inline_marks import (
    Dialect,
    InlineLink,
    brace_pairs,
    target_after,
    without_closers,
)
from tether.retrieval.readers.plain import Plain
from tether.retrieval.readers.tags import TAG

# Every alternative begins with a character of its own, by which the engine leaps to the next one.
_TOKEN = re.compile(
    r"\x00\x00*|\\|``*|!\[|\[|\]|<|&|\*\**|__*|~~*|\{|https?://|ftp://|:(?=[a-z]+-)"
)
_LEADING = re.compile(r"\[![A-Za-z-]{1,30}\][+-]?|\[[ xX]\](?=\s)|\[\^[^\[\]\s]{1,100}\]:")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_AUTOLINK = re.compile(r"<((?:[A-Za-z][A-Za-z0-9+.-]{1,31}:|[\w.+-]+@)[^\s<>]*+)>")
_BARE = re.compile(r"(?:https?|ftp)://(?:[^\s<>\"`|\]&]|&(?!(?:quot|lt|gt|nbsp|#34|#39);))++")
_WIKI = re.compile(r"\[\[(?! )([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,100}\]")
_ROLE = re.compile(r"\{[a-z][\w:+.-]{0,40}\}(?=`)")
_ROLE_CONTENT = re.compile(r"([^<>]*[^<>\s])\s*<([^<>]+)>")
_ICON = re.compile(r":(?:material|octicons|fontawesome|simple|twemoji|lucide)-[\w-]{1,60}:")
_ATTRIBUTES = re.compile(
    r"\{:?[ \t]*(?:[.#][\w:-]+|[\w:-]+=(?:\"[^\"{}\n]*+\"|'[^'{}\n]*+'|[^\s{}\"']++))"
    r"(?:[ \t]+(?:[.#][\w:-]+|[\w:-]+=(?:\"[^\"{}\n]*+\"|'[^'{}\n]*+'|[^\s{}\"']++)))*[ \t]*\}"
)
_ESCAPABLE = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_STRING = re.compile(r"\{\s*+(?:\"([^\"\\]*+)\"|'([^'\\]*+)'|`([^`\\$]*+)`)\s*+\}")


def read_inline(text: str, dialect: Dialect) -> tuple[Plain, tuple[InlineLink, ...]]:
    """Return the text without its markup, and its links in the order in which they end."""
    if text and _TOKEN.search(text) is None:
        return Plain(text=text, starts=(0,), places=(0,), exact=(True,)), ()
    scanner = _Scanner(text, dialect)
    return scanner.run(), tuple(scanner.links)


@dataclass(slots=True)
class _Opener:
    """An opening bracket: its fragment, its place, and how many delimiters came before it."""

    fragment: int
    place: int
    image: bool
    runs: int


class _Scanner:
    """Goes through the text once; each handler takes a place and returns where it goes on."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.links: list[InlineLink] = []
        self._text = text
        self._dialect = dialect
        self._fragments = Fragments()
        self._runs: list[Run] = []
        self._openers: list[_Opener] = []
        self._spent = 0  # brackets below this number lie around a link and can be none themselves
        self._last_line = text.rfind("\n") + 1 if text.endswith("}") else len(text)
        self._ticks: dict[int, list[int]] | None = None
        self._braces: dict[int, int] | None = None
        self._handlers: Mapping[str, Callable[[int], int]] = {
            "]": self._close,
            "<": self._angle,
            "{": self._brace,
            "\\": self._escape,
            "&": self._entity,
            ":": self._icon,
        }

    def run(self) -> Plain:
        text, position = self._text, 0
        if leading := _LEADING.match(text):
            position = leading.end()
        while token := _TOKEN.search(text, position):
            if token.start() > position:
                self._fragments.add(text[position : token.start()], position)
            position = self._handle(token)
        if position < len(text):
            self._fragments.add(text[position:], position)
        take_off(self._runs, self._fragments)
        return self._fragments.plain()

    def _handle(self, token: re.Match[str]) -> int:
        start, end = token.span()
        match token[0][0]:
            case "*" | "_" | "~":
                number = self._fragments.add(token[0], start)
                self._runs.append(run_at(self._text, start, end, number))
                return end
            case "`":
                return self._code(start, end)
            case "[" | "!":
                return self._open(start, end)
            case "\x00":  # what `hide` leaves of a comment
                return end
            case mark:
                return self._handlers.get(mark, self._bare)(start)

    def _literal(self, start: int, end: int) -> int:
        self._fragments.add(self._text[start:end], start)
        return end

    def _icon(self, start: int) -> int:
        icon = _ICON.match(self._text, start)
        return icon.end() if icon else self._literal(start, start + 1)

    def _escape(self, start: int) -> int:
        following = self._text[start + 1 : start + 2]
        if following in _ESCAPABLE and following:
            return self._literal(start + 1, start + 2)
        if following == "\n":
            return start + 1
        return self._literal(start, start + 1)

    def _entity(self, start: int) -> int:
        entity = _ENTITY.match(self._text, start)
        meaning = unescape(entity[0]) if entity else ""
        if entity is None or meaning == entity[0]:
            return self._literal(start, start + 1)
        self._fragments.add(meaning, start, exact=False)
        return entity.end()

    def _bare(self, start: int) -> int:
        match = _BARE.match(self._text, start)
        if match is None:
            return self._literal(start, start + 1)
        url = without_closers(match[0])
        self._fragments.add(url, start, whole=True)
        self.links.append(InlineLink(target=url, text=url, start=start))
        return start + len(url)

    def _code(self, start: int, end: int) -> int:
        close = self._closing_ticks(start, end - start)
        if close is None:
            return self._literal(start, end)
        content = self._text[end:close]
        inner = end
        if content.strip() and content[0] in " \n" and content[-1] in " \n":
            content, inner = content[1:-1], end + 1
        if self._text[start - 1 : start] == "}" and (role := _ROLE_CONTENT.fullmatch(content)):
            self.links.append(InlineLink(target=role[2], text=role[1], start=start))
            content = role[1]
        self._fragments.add(content, inner, whole=True)
        return close + end - start

    def _closing_ticks(self, start: int, length: int) -> int | None:
        """Return where the next run of as many backticks begins; the runs are found only once."""
        if self._ticks is None:
            self._ticks = {}
            for run in re.finditer(r"`+", self._text):
                self._ticks.setdefault(len(run[0]), []).append(run.start())
            for places in self._ticks.values():
                places.reverse()
        places = self._ticks.get(length, [])
        while places and places[-1] <= start:
            places.pop()
        return places[-1] if places else None

    def _open(self, start: int, end: int) -> int:
        wiki = _WIKI.match(self._text, start)
        if wiki:
            return self._wiki(wiki)
        footnote = _FOOTNOTE.match(self._text, start)
        if footnote:
            return footnote.end()
        number = self._fragments.add(self._text[start:end], start)
        image = end - start == 2
        self._openers.append(_Opener(number, start, image, len(self._runs)))
        return end

    def _wiki(self, wiki: re.Match[str]) -> int:
        part = 2 if wiki[2] else 1
        self._fragments.add(wiki[part], wiki.start(part), whole=True)
        self.links.append(InlineLink(target=wiki[1], text=wiki[part], start=wiki.start()))
        return wiki.end()

    def _close(self, start: int) -> int:
        if not self._openers:
            return self._literal(start, start + 1)
        opener = self._openers.pop()
        spent = len(self._openers) < self._spent
        self._spent = min(self._spent, len(self._openers))
        inner = (opener.place + 1 + opener.image, start)
        usable = opener.image or not spent
        found = target_after(self._text, inner, self._dialect.references) if usable else None
        if found is None:
            return self._literal(start, start + 1)
        target, end = found
        take_off(self._runs[opener.runs :], self._fragments)
        del self._runs[opener.runs :]
        if not opener.image:
            self._link(opener, target)
        self._fragments.clear(opener.fragment)
        return self._attributes(end)

    def _link(self, opener: _Opener, target: str) -> None:
        """Record a link; links cannot hold links, so the brackets around it are only brackets."""
        text = " ".join(self._fragments.text_from(opener.fragment + 1).split())
        while self.links and self.links[-1].start > opener.place:
            self.links.pop()  # its text is a URL
        target = shortcodes.target_of(target)
        self.links.append(InlineLink(target=target, text=text, start=opener.place))
        self._spent = len(self._openers)

    def _attributes(self, position: int) -> int:
        match = _ATTRIBUTES.match(self._text, position)
        return match.end() if match else position

    def _angle(self, start: int) -> int:
        text = self._text
        if match := _AUTOLINK.match(text, start):
            self._fragments.add(match[1], match.start(1), whole=True)
            self.links.append(InlineLink(target=match[1], text=match[1], start=start))
            return match.end()
        match = TAG.match(text, start)
        if match and tags.is_tag(match, self._dialect.closed):
            return self._tag(match)
        if text.startswith(("<>", "</>"), start):
            return text.index(">", start) + 1
        return self._literal(start, start + 1)

    def _tag(self, match: re.Match[str]) -> int:
        name = match["name"].lower()
        shown = tags.shown_by(match)
        if shown or tags.separates(match):
            words = f" {shown} " if shown else " "
            self._fragments.add(words, match.start(), exact=False, whole=True)
        if name in ("a", "link") and not match["slash"]:
            attributes = tags.attributes_of(match)
            if target := attributes.get("href") or attributes.get("to"):
                target = shortcodes.target_of(target)
                self.links.append(InlineLink(target=target, text="", start=match.start()))
        return match.end()

    def _brace(self, start: int) -> int:
        text = self._text
        if match := shortcodes.SHORTCODE.match(text, start):
            if shown := shortcodes.shown_by(match):
                self._fragments.add(shown, start, exact=False, whole=True)
            return match.end()
        if match := _ROLE.match(text, start):
            return match.end()
        if self._dialect.expressions:
            return self._expression(start)
        if start >= self._last_line or (start and not text[start - 1].isspace()):
            end = self._attributes(start)
            if end > start:
                return end
        return self._literal(start, start + 1)

    def _expression(self, start: int) -> int:
        if match := _STRING.match(self._text, start):
            part = next(number for number in (1, 2, 3) if match[number] is not None)
            self._fragments.add(match[part], match.start(part))
            return match.end()
        if self._braces is None:
            self._braces = brace_pairs(self._text)
        end = self._braces.get(start)
        return self._literal(start, start + 1) if end is None else end + 1
