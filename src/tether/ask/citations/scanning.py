"""What a model wrote inside a block: text, code, inline links, and numbers that cite.

Only `[text](target)` is a link. Reference links, images, autolinks, bare addresses and HTML are
text. The work is linear in the length of the text, whatever it holds: openers wait on a stack, each
target is read once and never past a bound, and code ends are looked up.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

LONGEST_TARGET = 1_000
DEEPEST_PARENTHESES = 4
LONGEST_RANGE = 20

TokenKind = Literal["text", "code", "link", "image", "number", "name"]

_STOPS = re.compile(r"\\[!-/:-@\[-`{-~]|`+|!?\[|\]")
_TICKS = re.compile(r"`+")
_ANGLED = re.compile(rf"<(?P<target>[^<>\n]{{0,{LONGEST_TARGET}}})>")
_TITLE = re.compile(r"""\s{1,20}(?:"[^"\n]{0,400}"|'[^'\n]{0,400}'|\([^()\n]{0,400}\))""")
_END = re.compile(r"\s{0,20}\)")
_BARE = re.compile(r"[()]|(?:[^()\s<>\\]|\\[!-/:-@\[-`{-~]?)+")
_WORD = r"(?:sources?|documents?|docs?|passages?|refs?|references?|chunks?|evidence|pages?)"
_LIST = r"\^?\d{1,3}(?:\s?[,;\u2013\u2014-]\s?\^?\d{1,3}){0,20}"
NUMBERS = re.compile(
    rf"(?<![\w\])])(?P<square>\[(?:{_WORD}\s?[:#]?\s?)?{_LIST}\](?:\[{_LIST}\]){{0,20}})(?![(:\w])"
    rf"|\u3010(?P<lens>{_LIST})(?:\u2020[^\u3010\u3011\n]{{0,80}})?\u3011"
    rf"|\({_WORD}\s?[:#]?\s?(?P<round>{_LIST})\)",
    re.IGNORECASE,
)
_PATH = r"[^()\[\]\s`]{1,300}\.(?:mdx?|rst|txt|html?|adoc|pdf|ipynb)(?:#[^()\[\]\s`]{0,300})?"
_NAMES = re.compile(
    rf"(?<![\w\])!\\])\[(?P<title>[^\[\]\n]{{2,200}})\](?![(\[:\w])"
    rf"|\((?:(?:sources?|see|from)\s?:?\s)?(?P<path>{_PATH})\)"
    rf"|(?:\A\s*|\bsources?:\s*)(?P<alone>{_PATH})\s*\Z",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+)\s?[\u2013\u2014-]\s?\^?(\d+)|(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A stretch of a block. `text` is what is read of it: link text, code, or the text itself.

    `target` is set for links and images, `numbers` for numbers in brackets. A `name` is a title in
    brackets, or a path in parentheses or alone, which is its `target`: text, unless a page has it.
    """

    kind: TokenKind
    text: str
    raw: str
    target: str = ""
    numbers: tuple[int, ...] = ()


def scan(text: str) -> list[Token]:
    """Return the tokens of one block; their `raw` texts together are the text."""
    spans = _Scanner(text).run()
    tokens: list[Token] = []
    at = 0
    for start, end, token in spans:
        tokens += _texts(text[at:start])
        tokens.append(token)
        at = end
    return [*tokens, *_texts(text[at:])]


class _Scanner:
    """One pass over a block. Found spans never overlap: an inner link takes its outer's place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[tuple[int, int, Token]] = []
        self.openers: list[int] = []
        self.ticks: dict[int, list[int]] = {}
        for run in _TICKS.finditer(text):
            self.ticks.setdefault(len(run[0]), []).append(run.start())

    def run(self) -> list[tuple[int, int, Token]]:
        at = 0
        while match := _STOPS.search(self.text, at):
            mark = match[0]
            at = match.end()
            if mark[0] == "`":
                at = self._code(match)
            elif mark in ("[", "!["):
                self.openers.append(match.start())
            elif mark == "]" and self.openers:
                at = self._close(self.openers.pop(), at)
        return self.found

    def _code(self, match: re.Match[str]) -> int:
        size = len(match[0])
        places = self.ticks.get(size, [])
        following = bisect_right(places, match.start())
        if following == len(places):
            return match.end()
        start = places[following]
        raw = self.text[match.start() : start + size]
        inside = " ".join(self.text[match.end() : start].split())
        self.found.append((match.start(), start + size, Token(kind="code", text=inside, raw=raw)))
        return start + size

    def _close(self, opener: int, at: int) -> int:
        found = _target(self.text, at) if self.text[at : at + 1] == "(" else None
        if found is None:
            return at
        target, end = found
        is_image = self.text[opener] == "!"
        inside = self.text[opener + 1 + is_image : at - 1]
        if self.found and self.found[-1][0] > opener and self.found[-1][2].kind != "code":
            return at  # a link inside a link: the inner one counts
        while self.found and self.found[-1][0] > opener:
            self.found.pop()
        token = Token(
            kind="image" if is_image else "link",
            text=" ".join(inside.split()),
            raw=self.text[opener:end],
            target=target,
        )
        self.found.append((opener, end, token))
        if not is_image:
            self.openers.clear()  # no link around a link
        return end


def _target(text: str, at: int) -> tuple[str, int] | None:
    """Return the target behind an opening parenthesis and where the link ends."""
    start = at + 1
    while start < len(text) and text[start].isspace() and start - at < 20:
        start += 1
    if match := _ANGLED.match(text, start):
        target, end = match["target"], match.end()
    else:
        end = _bare_end(text, start)
        target = text[start:end]
    if title := _TITLE.match(text, end):
        end = title.end()
    closed = _END.match(text, end)
    return None if closed is None else (_unescaped(target), closed.end())


def _bare_end(text: str, start: int) -> int:
    depth, at = 0, start
    while at - start < LONGEST_TARGET and (match := _BARE.match(text, at)):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth -= 1
        if depth < 0 or depth > DEEPEST_PARENTHESES:
            break
        at = match.end()
    return at


def _unescaped(target: str) -> str:
    return re.sub(r"\\([()<>&*_`\[\]!])", r"\1", target).strip()


def _texts(text: str) -> list[Token]:
    """Return a text with the numbers in brackets that stand like marks in it, and with names."""
    tokens: list[Token] = []
    at = 0
    for match in NUMBERS.finditer(text):
        if text[match.start() - 1 : match.start()] == "\\":
            continue
        tokens += _named(text[at : match.start()])
        listed = match["square"] or match["lens"] or match["round"]
        tokens.append(Token(kind="number", text=match[0], raw=match[0], numbers=_numbers(listed)))
        at = match.end()
    return [*tokens, *_named(text[at:])]


def _named(text: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    for match in _NAMES.finditer(text):
        tokens += _text(text[at : match.start()])
        path = match["path"] or match["alone"] or ""
        title = match["title"] or ""
        tokens.append(Token(kind="name", text=title, raw=match[0], target=path))
        at = match.end()
    return [*tokens, *_text(text[at:])]


def _text(text: str) -> list[Token]:
    return [Token(kind="text", text=text, raw=text)] if text else []


def _numbers(listed: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for match in _PART.finditer(listed):
        if match[3]:
            numbers.append(int(match[3]))
        else:
            first, last = int(match[1]), int(match[2])
            numbers += range(first, min(last, first + LONGEST_RANGE) + 1) or (first, last)
    return tuple(dict.fromkeys(numbers))
