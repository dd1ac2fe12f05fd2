"""Inline Markdown as site builders extend it, read into plain text with its places.

markdown-it's inline parser gives no places and takes quadratic time on some inputs, so only its
block parser is used. This dialect of the shared scanner adds the notations of site builders: tags
and components, shortcodes, MDX expressions, attributes, wiki links, footnotes, roles, bare URLs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from tether.text.fragments import Plain
from tether.text.markdown.inlines import InlineScanner, Link
from tether.text.markdown.site_marks import (
    SHORTCODE,
    TAG,
    attributes_of,
    is_tag,
    separates,
    shown_by_shortcode,
    shown_by_tag,
    target_of,
)
from tether.text.markdown.targets import Destinations, Target

# Every alternative begins with a different character, by which the engine leaps to the next one.
_SPECIAL = re.compile(r"\x00|\\|`|!\[|\[|\]|<|&|\*|_|~|\{|https?://|ftp://|:(?=[a-z]+-)")
_LEADING = re.compile(r"\[![A-Za-z-]{1,30}\][+-]?|\[[ xX]\](?=\s)|\[\^[^\[\]\s]{1,100}\]:")
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
_STRING = re.compile(r"\{\s*+(?:\"([^\"\\]*+)\"|'([^'\\]*+)'|`([^`\\$]*+)`)\s*+\}")
_STOPS = re.compile(r"\{\{[<%][^{}]{0,300}+\}\}|[\x00-\x20\x7f()\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The inline markup of one page.

    `references` are its link definitions by label name, `closed` the names that have a closing tag,
    `expressions` whether `{...}` is code, as in MDX.
    """

    references: Mapping[str, Target] = field(default_factory=dict[str, Target])
    closed: frozenset[str] = frozenset()
    expressions: bool = False


def read_inline(text: str, dialect: Dialect) -> tuple[Plain, tuple[Link, ...]]:
    """Return the text without its markup, and its links in order."""
    if text and _SPECIAL.search(text) is None:
        return Plain(text=text, starts=(0,), places=(0,), exact=(True,)), ()
    scanner = SiteInlines(text, dialect)
    leading = _LEADING.match(text)
    scanner.scan(leading.end() if leading else 0)
    return scanner.fragments.plain(), tuple(scanner.links)


class SiteInlines(InlineScanner):
    """CommonMark and the notations of site builders."""

    special: ClassVar[re.Pattern[str]] = _SPECIAL
    strikes: ClassVar[tuple[int, ...]] = (1, 2)
    destinations: ClassVar[Destinations] = Destinations(stops=_STOPS)

    def __init__(self, text: str, dialect: Dialect) -> None:
        super().__init__(text, dialect.references)
        self._dialect = dialect
        self._last_line = text.rfind("\n") + 1 if text.endswith("}") else len(text)
        self._braces: dict[int, int] | None = None
        self.readers |= {
            "\x00": self.end_of_run,  # `hide` leaves these of a comment
            "{": self.read_brace,
            ":": self._icon,
        }

    def _add_link(self, target: str, text: str, start: int, end: int) -> None:
        self.links.append(Link(text, target, None, start, end, end))

    def add_words(self, words: str, start: int) -> None:
        """Add the words that a tag or a shortcode shows."""
        self.fragments.add(words, start, exact=False, whole=True)

    def _icon(self, start: int) -> int:
        icon = _ICON.match(self.text, start)
        return icon.end() if icon else self.keep(start, start + 1)

    def read_other(self, position: int) -> int:
        """Read a bare URL."""
        match = _BARE.match(self.text, position)
        if match is None:
            return super().read_other(position)
        url = _without_closers(match[0])
        end = position + len(url)
        self.fragments.add(url, position, whole=True)
        self._add_link(url, url, position, end)
        return end

    def add_code(self, start: int, end: int) -> None:
        """Add code; of a role such as {ref}`text <target>`, add its text."""
        before = self.codes[-1][0]
        role = _ROLE_CONTENT.fullmatch(self.text, start, end)
        if role and self.text.endswith("}", 0, before):
            self._add_link(role[2], role[1], before, end)
            end = role.end(1)
        super().add_code(start, end)

    def read_bracket(self, position: int) -> int:
        """Read a wiki link, a footnote mark, which is dropped, or an opening bracket."""
        if wiki := _WIKI.match(self.text, position):
            return self._wiki(wiki)
        footnote = _FOOTNOTE.match(self.text, position)
        return footnote.end() if footnote else super().read_bracket(position)

    def _wiki(self, wiki: re.Match[str]) -> int:
        part = 2 if wiki[2] else 1
        self.fragments.add(wiki[part], wiki.start(part), whole=True)
        self._add_link(wiki[1], wiki[part], wiki.start(), wiki.end())
        return wiki.end()

    def end_link(self, link: Link, fragment: int) -> int:
        """Drop the links inside the text of a link, which are URLs, and the attributes after it."""
        if self.links and self.links[-1] is link:
            self.links.pop()
            while self.links and self.links[-1].position > link.position:
                self.links.pop()
            text = " ".join(link.text.split())
            self.links.append(link._replace(text=text, url=target_of(link.url)))
        return self._attributes_end(link.end)

    def _attributes_end(self, position: int) -> int:
        match = _ATTRIBUTES.match(self.text, position)
        return match.end() if match else position

    def read_html(self, position: int) -> int | None:
        """Read a tag of HTML or of a component, or one without a name."""
        match = TAG.match(self.text, position)
        if match and is_tag(match, self._dialect.closed):
            return self.read_tag(match)
        if self.text.startswith(("<>", "</>"), position):
            return self.text.index(">", position) + 1
        return None

    def read_tag(self, match: re.Match[str]) -> int:
        """Read a tag: the words it shows, and the link it opens."""
        shown = shown_by_tag(match)
        if shown or separates(match):
            self.add_words(f" {shown} " if shown else " ", match.start())
        if match["name"].lower() in ("a", "link") and not match["slash"]:
            attributes = attributes_of(match)
            if target := attributes.get("href") or attributes.get("to"):
                self._add_link(target_of(target), "", match.start(), match.end())
        return match.end()

    def read_brace(self, position: int) -> int:
        """Read a shortcode, a role, an expression or attributes."""
        text = self.text
        if match := SHORTCODE.match(text, position):
            if shown := shown_by_shortcode(match):
                self.add_words(shown, position)
            return match.end()
        if match := _ROLE.match(text, position):
            return match.end()
        if self._dialect.expressions:
            return self._expression(position)
        end = self._attributes_end(position) if self.may_have_attributes(position) else position
        return end if end > position else self.keep(position, position + 1)

    def may_have_attributes(self, start: int) -> bool:
        """Return whether attributes may stand here: after a word, or on the last line."""
        return start >= self._last_line or (start > 0 and not self.text[start - 1].isspace())

    def _expression(self, start: int) -> int:
        if match := _STRING.match(self.text, start):
            part = next(number for number in (1, 2, 3) if match[number] is not None)
            self.fragments.add(match[part], match.start(part))
            return match.end()
        if self._braces is None:
            self._braces = _brace_pairs(self.text)
        end = self._braces.get(start)
        return self.keep(start, start + 1) if end is None else end + 1


def _brace_pairs(text: str) -> dict[int, int]:
    """Return the closing brace of each opening one."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            stack.append(match.start())
        elif stack:
            pairs[stack.pop()] = match.start()
    return pairs


def _without_closers(url: str) -> str:
    """Return a bare URL without the punctuation that ends the sentence around it."""
    end = len(url)
    surplus = url.count(")") - url.count("(")
    while end and (url[end - 1] in ".,;:!?'*_~" or (url[end - 1] == ")" and surplus > 0)):
        surplus -= url[end - 1] == ")"
        end -= 1
    return url[:end]
