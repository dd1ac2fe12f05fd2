"""The markup inside a paragraph of reStructuredText: its visible text and its links.

One pass. A search for the end of a mark that fails is remembered: no later start of the same mark
can succeed then, so that no text makes it look at the same characters again and again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tether.text.fragments import Fragments, Plain

_SPECIAL = re.compile(r"[`*|\\_\[]|:(?=[A-Za-z][\w.+:-]{0,80}:`)|https?://")
_ROLE = re.compile(r":([A-Za-z][\w.+:-]{0,80}):(?=`)")
_ROLE_AFTER = re.compile(r":([A-Za-z][\w.+:-]{0,80}):(?!`)")
_URL = re.compile(r"https?://[^\s<>\"`|\\]+")
_SUBSTITUTION = re.compile(r"\|([^\s|](?:[^|\n]{0,78}[^\s|])?)\|(?:__?)?(?!\w)")
_FOOTNOTE = re.compile(r"\[([#\w][\w.:+-]{0,60}|[#*])\]_(?!\w)")
_ESCAPE = re.compile(r"\\(\s|.)", re.DOTALL)
_SHOWN_AS_WRITTEN_NAMES = (
    "code command dfn envvar file guilabel kbd literal makevar math menuselection option"
    " program regexp samp strong emphasis sub subscript sup superscript title-reference"
)
_SHOWN_AS_WRITTEN = frozenset(_SHOWN_AS_WRITTEN_NAMES.split())
_WORD_BEFORE = re.compile(r"[\w.-]{1,80}\Z")


class InlineLink(NamedTuple):
    """A link inside a paragraph; `place` is where it begins in the paragraph's excerpt."""

    target: str
    text: str
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names that paragraphs use, as the rest of the document defines them.

    `substitutions` and `targets` are found by `folded` names; a target without a URL is "".
    """

    substitutions: Mapping[str, str] = field(default_factory=dict[str, str])
    targets: Mapping[str, str] = field(default_factory=dict[str, str])


class Inline(NamedTuple):
    """A paragraph without markup, and the links in it."""

    plain: Plain
    links: tuple[InlineLink, ...]


def folded(name: str) -> str:
    """Return a name as names are compared: without regard to case and to kinds of white space."""
    return " ".join(name.lower().split())


def without_markup(text: str, names: Names) -> Inline:
    """Return the text and links of a paragraph. `text` is that of its excerpt."""
    if _SPECIAL.search(text) is None:
        return Inline(Plain(text=text, starts=(0,), places=(0,), exact=(True,)), ())
    scanner = _Scanner(text, names)
    scanner.scan()
    return scanner.result()


class _Scanner:
    """Goes through a paragraph once and collects its visible text."""

    def __init__(self, text: str, names: Names) -> None:
        self._text = text
        self._names = names
        self._at = 0
        self._fragments = Fragments()
        self._links: list[InlineLink] = []
        self._without_end: set[str] = set()
        self._marks = {
            "`": self._backquote,
            "*": self._star,
            "|": self._substitution,
            "\\": self._escape,
            "_": self._underscore,
            "[": self._footnote,
            ":": self._role,
            "h": self._url,
        }

    def scan(self) -> None:
        """Read everything."""
        text = self._text
        while (found := _SPECIAL.search(text, self._at)) is not None:
            self._emit(text[self._at : found.start()], self._at)
            self._at = found.start()
            if not self._marks[text[self._at]]():
                self._emit(text[self._at], self._at)
                self._at += 1
        self._emit(text[self._at :], self._at)

    def result(self) -> Inline:
        """Return the text and links."""
        return Inline(self._fragments.plain(), tuple(self._links))

    def _emit(self, text: str, place: int, *, whole: bool = False) -> None:
        if text:
            exact = self._text.startswith(text, place)
            self._fragments.add(text, place, exact=exact, whole=whole)

    def _escape(self) -> bool:
        after = self._text[self._at + 1 : self._at + 2]
        self._emit(after.strip(), self._at + 1)
        self._at += 1 + len(after)
        return True

    def _url(self) -> bool:
        found = _URL.match(self._text, self._at)
        if found is None:
            return False
        url = found[0].rstrip(".,;:!?'\")]}*_")
        self._links.append(InlineLink(url, url, self._at))
        self._emit(url, self._at, whole=True)
        self._at += len(url)
        return True

    def _star(self) -> bool:
        mark = "**" if self._text.startswith("**", self._at) else "*"
        if not self._can_start(self._at, len(mark)):
            self._emit(mark, self._at)
            self._at += len(mark)
            return True
        end = self._end_of(mark, self._at + len(mark))
        if end < 0:
            return False
        self._emit(self._text[self._at + len(mark) : end], self._at + len(mark))
        self._at = end + len(mark)
        return True

    def _backquote(self) -> bool:
        if self._text.startswith("``", self._at):
            return self._literal()
        return self._interpreted("", self._at)

    def _literal(self) -> bool:
        end = self._end_of("``", self._at + 2)
        if end < 0:
            return False
        self._emit(self._text[self._at + 2 : end], self._at + 2, whole=True)
        self._at = end + 2
        return True

    def _role(self) -> bool:
        found = _ROLE.match(self._text, self._at)
        return found is not None and self._interpreted(found[1], found.end())

    def _interpreted(self, role: str, quote: int) -> bool:
        """Read text in single quotes: a link, or text with a role before or after it."""
        end = self._end_of("`", quote + 1)
        if end < 0:
            return False
        start, content = self._at, self._text[quote + 1 : end]
        self._at = end + 1
        if after := _ROLE_AFTER.match(self._text, self._at):
            role, self._at = role or after[1], after.end()
        is_link = not role and self._text.startswith("_", self._at)
        while is_link and self._text.startswith("_", self._at):
            self._at += 1
        label, target = _label_and_target(role, content)
        self._link(role, is_link, label, target, start)
        shown = content.find(label)
        self._emit(_ESCAPE.sub(_unescaped, label), quote + 1 + max(shown, 0), whole=bool(role))
        return True

    def _link(self, role: str, is_link: bool, label: str, target: str, start: int) -> None:
        if is_link:
            name = target.removesuffix("_") if target.endswith("_") else ""
            url = self._names.targets.get(folded(name or target or label), "" if name else target)
        else:
            url = _place_of(role, target or label)
        if url:
            self._links.append(InlineLink(url, " ".join(label.split()), start))

    def _substitution(self) -> bool:
        found = _SUBSTITUTION.match(self._text, self._at)
        if found is None:
            return False
        replacement = self._names.substitutions.get(folded(found[1]), found[1])
        self._emit(replacement, self._at, whole=True)
        self._at = found.end()
        return True

    def _footnote(self) -> bool:
        found = _FOOTNOTE.match(self._text, self._at)
        if found is None:
            return False
        self._emit(f"[{found[1]}]", self._at)
        self._at = found.end()
        return True

    def _underscore(self) -> bool:
        """Drop the underscore of an inline target, and those after a name that is a reference."""
        text, start = self._text, self._at
        if text.startswith("`", start + 1) and not _is_word(self._before(start)):
            self._at += 1
            return True
        end = start + 2 if text.startswith("_", start + 1) else start + 1
        if _is_word(text[end : end + 1]) or not _is_word(self._before(start)):
            return False
        name = _last_word(text, start)
        if folded(name) not in self._names.targets:
            return False
        self._at = end
        return True

    def _can_start(self, at: int, length: int) -> bool:
        after = self._text[at + length : at + length + 1]
        return not _is_word(self._before(at)) and bool(after.strip())

    def _before(self, at: int) -> str:
        return self._text[at - 1 : at] if at else ""

    def _end_of(self, mark: str, begin: int) -> int:
        """Return where a mark ends: after something, and not before a letter. Below 0: nowhere."""
        if mark in self._without_end:
            return -1
        text, at = self._text, self._text.find(mark, begin + 1)
        while at >= 0 and not _ends_here(text, mark, at):
            at = text.find(mark, at + 1)
        if at < 0:
            self._without_end.add(mark)
        return at


def _ends_here(text: str, mark: str, at: int) -> bool:
    before, after = text[at - 1], text[at + len(mark) : at + len(mark) + 1]
    if before.isspace() or (before == "\\" and mark != "``"):
        return False
    return not after.isalnum() and (len(mark) == 2 or after != mark)


def _is_word(character: str) -> bool:
    return character.isalnum()


def _last_word(text: str, end: int) -> str:
    found = _WORD_BEFORE.search(text, max(0, end - 80), end)
    return found[0] if found else ""


def _unescaped(match: re.Match[str]) -> str:
    return match[1].strip()


def _label_and_target(role: str, content: str) -> tuple[str, str]:
    """Return the shown text and the target: `label <target>`, or the same text for both."""
    if role.rpartition(":")[2] in _SHOWN_AS_WRITTEN:
        return content, ""
    opening = content.rfind("<") if content.endswith(">") else -1
    if opening < 0 or (opening > 0 and not content[opening - 1].isspace()):
        return content.lstrip("~!"), ""
    target = content[opening + 1 : -1].strip()
    return content[:opening].strip() or target, target


def _place_of(role: str, target: str) -> str:
    """Return where a role leads: to another document, or to a label that any document may have."""
    match role.rpartition(":")[2]:
        case "doc" | "download":
            return target
        case "ref" | "numref":
            return f"ref:{folded(target)}"
        case _:
            return ""
