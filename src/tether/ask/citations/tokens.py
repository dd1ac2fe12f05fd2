"""The tokens of a block of an answer: text, code, inline links, and numbers that cite.

Only `[text](target)` is a link. Reference links, autolinks, bare addresses and HTML are text. The
time is linear in the length of the text, whatever it contains.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

from tether.text.markdown.inlines import InlineScanner, Link
from tether.text.markdown.targets import Destinations

DEEPEST_PARENTHESES = 4
LONGEST_RANGE = 20
LONGEST_WORD = 100

TokenKind = Literal["text", "code", "link", "image", "number", "name"]

_WORD = r"(?:sources?|documents?|docs?|passages?|refs?|references?|chunks?|evidence|pages?)"
_LIST = r"\^?\d{1,3}(?:\s?[,;\u2013\u2014-]\s?\^?\d{1,3}){0,20}"
NUMBERS = re.compile(
    rf"(?<![\w)])(?P<square>\[(?:{_WORD}\s?[:#]?\s?)?{_LIST}\](?:\[{_LIST}\]){{0,20}})(?![(:\w])"
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
_LETTER = re.compile(r"[^\W\d]")
_PART = re.compile(r"(\d+)\s?[\u2013\u2014-]\s?\^?(\d+)|(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A part of a block. `text` is its readable part: link text, code, or the text itself.

    `target` is set for links and images, `numbers` for numbers in brackets. A `name` is a title in
    brackets, or a path in parentheses or alone, which is its `target`: text, unless a page has it.
    `after` is the text in brackets, with the word before it, that a number stands right behind: in
    `rows[i][1]` it may be an index, and in `[the guide][1]` it cites.
    """

    kind: TokenKind
    text: str
    raw: str
    target: str = ""
    numbers: tuple[int, ...] = ()
    after: str = ""


def scan(text: str) -> list[Token]:
    """Return the tokens of one block; their `raw` texts together are the text."""
    tokens: list[Token] = []
    at = 0
    for start, end, token in _spans(text):
        tokens += _texts(text[at:start])
        tokens.append(token)
        at = end
    return [*tokens, *_texts(text[at:])]


class _AnswerInlines(InlineScanner):
    """Code, links and images with a target in parentheses; everything else is text."""

    special: ClassVar[re.Pattern[str]] = re.compile(r"[\\`!\[\]]")
    destinations: ClassVar[Destinations] = Destinations(deepest=DEEPEST_PARENTHESES)


def _spans(text: str) -> list[tuple[int, int, Token]]:
    """Return the code, links and images that are not part of one another, in order.

    A link or an image in the text of another takes its place; code in a link is part of its text.
    """
    scanner = _AnswerInlines(text, {})
    scanner.scan()
    kinds: tuple[tuple[TokenKind, list[Link]], ...] = (
        ("link", scanner.links),
        ("image", scanner.images),
    )
    linked = sorted(
        ((one.position, one.end, _linked(kind, one, text)) for kind, ones in kinds for one in ones),
        key=lambda span: span[0],
    )
    outer = {one for (one, end, _), (inner, *_) in pairwise(linked) if inner < end}
    code = ((start, end, _code(text[start:end])) for start, end in scanner.codes)
    spans = [*(span for span in linked if span[0] not in outer), *code]
    found: list[tuple[int, int, Token]] = []
    for span in sorted(spans, key=lambda span: span[0]):
        if not found or span[0] >= found[-1][1]:
            found.append(span)
    return found


def _linked(kind: TokenKind, link: Link, text: str) -> Token:
    start = link.position + (2 if kind == "image" else 1)
    inside = " ".join(text[start : link.close].split())
    return Token(kind=kind, text=inside, raw=text[link.position : link.end], target=link.url)


def _code(raw: str) -> Token:
    ticks = len(raw) - len(raw.lstrip("`"))
    return Token(kind="code", text=" ".join(raw[ticks:-ticks].split()), raw=raw)


def _texts(text: str) -> list[Token]:
    """Return a text in tokens: numbers in brackets that look like marks, names, and the rest."""
    tokens: list[Token] = []
    at = 0
    for match in NUMBERS.finditer(text):
        if text[match.start() - 1 : match.start()] == "\\":
            continue
        after = _bracketed(text, at, match.start())
        if after is None:
            continue
        tokens += _named(text[at : match.start()])
        listed = match["square"] or match["lens"] or match["round"]
        numbers = _numbers(listed)
        tokens.append(
            Token(kind="number", text=match[0], raw=match[0], numbers=numbers, after=after)
        )
        at = match.end()
    return [*tokens, *_named(text[at:])]


def _bracketed(text: str, start: int, end: int) -> str | None:
    """Return the brackets that end at a place, with the word before them; "" without any.

    None for brackets around a number or around others: what follows is an index, and no mark.
    """
    if end == start or text[end - 1] != "]":
        return ""
    opening = text.rfind("[", start, end)
    inside = text[opening + 1 : end - 1]
    if opening < 0 or "]" in inside or _LETTER.search(inside) is None:
        return None
    word = opening
    while word > max(start, opening - LONGEST_WORD) and text[word - 1].isalnum():
        word -= 1
    return text[word:end]


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
