"""Source code: the prose in its comments and documentation strings, and the code itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Literal, NamedTuple

from tether.retrieval.document import Block, Document, Piece
from tether.retrieval.readers.decoding import decode
from tether.retrieval.readers.lines import Line, excerpt, lines_of, sentence_pieces, unmarked
from tether.retrieval.readers.text import trimmed

# Every pattern is possessive or stops at the end of its line: one pass, whatever the input.
_DOUBLE = r"\"(?:[^\"\\\n]|\\.)*+\"?"
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'?"
_BACKTICK = r"`(?:[^`\\]|\\[\s\S])*+`?"
_QUOTES = f"{_DOUBLE}|{_SINGLE}"
_TRIPLE = (
    r"\"\"\"(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*+(?:\"\"\")?|'''(?:[^'\\]|\\[\s\S]|'(?!''))*+(?:''')?"
)
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,10}?)'"
_BLOCK = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_SLASHES = rf"//[^\n]*+|{_BLOCK}"
_HASH = r"(?<![\w$\\&{])#[^\n]*+"
_CURLY = (
    r"[ \t]*+(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|open|data"
    r"|override|async|export|default|declare|unsafe|inline|suspend)[ \t]++)*+"
    r"(?:class|interface|enum|struct|record|object|trait|namespace|module|function|func|fun|impl"
    r"|type|protocol|extension)[ \t]++[\w*(<$].*"
)
_RUST = (
    r"[ \t]*+(?:pub(?:\([^()]*+\))?[ \t]++)?(?:(?:async|unsafe|const|extern)[ \t]++)*+"
    r"(?:fn|struct|enum|trait|impl|mod|macro_rules!)[ \t<]*+\S.*"
)
LONGEST_DEFINITION = 300
MOST_CODE_LINES = 400
_MARKS_BEFORE = re.compile(
    r"[ \t]*(?:/\*+!?|\*+(?![/)])|/{2,}!?|#+!?|<!--|--+|;+|%+|\{-|\(\*+|=(?:begin|end)\b"
    r"|[rRbBuU]{0,2}(?:\"\"\"|'''))?[ \t]?"
)
_MARKS_AFTER = re.compile(r"(?:\*+[/)]|-->|-\}|\"\"\"|'''|\*+|#+)\Z")
_LONGEST_MARK = 100
_RULE = re.compile(r"[-=*#/~_+ \t]*")
_Role = Literal["code", "prose", "definition", "blank"]


def read_source(*, key: str, name: str, data: bytes, url: str = "", title: str = "") -> Document:
    """Return source code: `text` is the decoded file; the title is `title` or its key.

    Comments and documentation strings that have their lines to themselves are paragraphs; lines
    that define something are headings whose anchors are line numbers (`L12`); the rest is code.
    Raises `DocumentUnreadable` for binary data.
    """
    decoded = decode(data)
    syntax = syntax_of(PurePosixPath(name).suffix.lower())
    return Document(
        key=key,
        title=title or key or name or "untitled",
        text=decoded.text,
        blocks=tuple(_blocks(decoded.text, syntax)),
        kind="source",
        url=url,
        notes=decoded.notes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """One family of languages, as patterns.

    `comment` is prose wherever it has its lines to itself, and so is `text`, a string that
    documents what it stands below. `strings` are looked for only so that no comment is found inside
    them. A line that `definition` matches as a whole defines something.
    """

    endings: str
    comment: str
    strings: str = ""
    text: str = ""
    definition: str = ""

    def tokens(self) -> re.Pattern[str]:
        """Return a pattern for comments and strings; its group `prose` is the readable part."""
        prose = "|".join(part for part in (self.text, self.comment) if part)
        parts = (f"(?P<prose>{prose})", self.strings)
        return re.compile("|".join(part for part in parts if part), re.MULTILINE)


_FAMILIES: tuple[Syntax, ...] = (
    Syntax(
        endings=".py .pyi",
        comment=r"#[^\n]*+",
        strings=_QUOTES,
        text=_TRIPLE,
        definition=r"[ \t]*+(?:async[ \t]++)?(?:def|class)[ \t]++\w.*",
    ),
    Syntax(
        endings=".js .mjs .cjs .jsx .ts .tsx .go .java .kt .kts .scala .swift .dart .c .h .cc .cpp"
        " .cxx .hh .hpp .cs .m .mm .php .proto",
        comment=_SLASHES,
        strings=f"{_QUOTES}|{_BACKTICK}",
        definition=_CURLY,
    ),
    Syntax(endings=".rs", comment=_SLASHES, strings=f"{_DOUBLE}|{_CHARACTER}", definition=_RUST),
    Syntax(
        endings=".pl .pm .r .jl .ex .exs .yaml .yml .graphql .tf .ps1 .conf .properties",
        comment=_HASH,
        strings=_QUOTES,
    ),
    Syntax(
        endings=".sh .bash .zsh .fish",
        comment=_HASH,
        strings=rf"{_DOUBLE}|'[^'\n]*+'?",
        definition=r"function[ \t]++[\w-]+.*|[\w-]++[ \t]*+\(\).*",
    ),
    Syntax(
        endings=".rb",
        comment=rf"{_HASH}|^=begin\b(?:[^=]|(?<!\n)=|=(?!end\b))*+(?:=end\b)?",
        strings=_QUOTES,
        definition=r"[ \t]*+(?:def|class|module)[ \t]++\S.*",
    ),
    Syntax(
        endings=".toml",
        comment=r"#[^\n]*+",
        strings=_QUOTES,
        definition=r"\[{1,2}[^\[\]\n]++\]{1,2}[ \t]*+",
    ),
    Syntax(
        endings=".ini .cfg", comment=r"^[ \t]*+[#;][^\n]*+", definition=r"\[[^\[\]\n]++\][ \t]*+"
    ),
    Syntax(
        endings=".sql .lua .hs",
        comment=rf"--[^\n]*+|{_BLOCK}|\{{-(?:[^-]|-(?!\}}))*+(?:-\}})?",
        strings=_QUOTES,
    ),
    Syntax(endings=".erl", comment=r"%[^\n]*+", strings=_DOUBLE),
    Syntax(
        endings=".clj",
        comment=r";[^\n]*+",
        strings=_DOUBLE,
        definition=r"\((?:defn-?|def|defmacro|ns)[ \t]++\S.*",
    ),
    Syntax(
        endings=".vue .svelte",
        comment=rf"<!--(?:[^-]|-(?!->))*+(?:-->)?|{_SLASHES}",
        strings=f"{_DOUBLE}|{_BACKTICK}",
        definition=_CURLY,
    ),
    Syntax(endings=".css .scss", comment=_BLOCK, strings=_QUOTES),
    Syntax(endings=".ml", comment=r"\(\*(?:[^*]|\*(?!\)))*+(?:\*\))?", strings=_DOUBLE),
)


_BY_ENDING: Mapping[str, Syntax] = MappingProxyType(
    {ending: syntax for syntax in _FAMILIES for ending in syntax.endings.split()}
)


_NOTHING = Syntax(endings="", comment=r"(?!)")


def syntax_of(ending: str) -> Syntax:
    """Return the syntax of files with this ending; data files and unknown ones have no comments."""
    return _BY_ENDING.get(ending, _NOTHING)


class _Stretch(NamedTuple):
    """Lines that belong together, by their numbers."""

    role: _Role
    first: int
    last: int


def _blocks(text: str, syntax: Syntax) -> Iterator[Block]:
    lines = lines_of(text)
    roles = _roles(text, lines, syntax)
    for stretch in _stretches(roles):
        found = lines[stretch.first : stretch.last]
        if stretch.role == "definition":
            yield _definition(text, found[0], stretch.first + 1)
        elif stretch.role == "prose":
            yield from _prose(text, found)
        else:
            yield _code(text, found)


def _roles(text: str, lines: Sequence[Line], syntax: Syntax) -> list[_Role]:
    """Return what each line is."""
    numbers = _Numbers(lines)
    inner = [trimmed(text, line) for line in lines]
    roles: list[_Role] = ["code" if line.of(text).strip() else "blank" for line in lines]
    inside = bytearray(len(lines))
    for match in syntax.tokens().finditer(text):
        first, last = numbers.at(match.start()), numbers.at(max(match.end() - 1, match.start()))
        for number in range(first + 1, last + 1):
            inside[number] = 1
        if match.lastgroup and _is_alone(match, inner[first], inner[last]):
            for number in range(first, last + 1):
                roles[number] = "prose"
    definition = re.compile(syntax.definition or r"(?!)")
    for number, line in enumerate(lines):
        if roles[number] == "code" and not inside[number] and _defines(text, line, definition):
            roles[number] = "definition"
    return roles


class _Numbers:
    """Finds the line of a place, for places that only go up."""

    __slots__ = ("_at", "_lines")

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._at = 0

    def at(self, place: int) -> int:
        """Return the number of the line at the place, or that ends before it."""
        while self._at + 1 < len(self._lines) and self._lines[self._at + 1].start <= place:
            self._at += 1
        return self._at


def _is_alone(match: re.Match[str], first: Line, last: Line) -> bool:
    """Return whether nothing but the comment is on its lines, which come without white space.

    A documentation string may have a letter before it; `#!` on the first line is not a comment.
    """
    if match.start() == 0 and match.string.startswith("#!"):
        return False
    before = match.string[first.start : min(match.start(), first.start + 2)]
    return (
        before in ("", "r", "R", "u", "U")
        and match.start() <= first.start + 1
        and (last.end <= match.end())
    )


def _defines(text: str, line: Line, definition: re.Pattern[str]) -> bool:
    if line.end - line.start > LONGEST_DEFINITION:
        return False
    return definition.fullmatch(text, line.start, line.end) is not None


def _stretches(roles: Sequence[_Role]) -> Iterator[_Stretch]:
    """Yield lines of one role together; blank lines part prose and stay inside code."""
    begin = 0
    while begin < len(roles):
        role = roles[begin]
        end = begin + 1
        if role in ("prose", "code"):
            most = begin + MOST_CODE_LINES
            allowed = (role, "blank") if role == "code" else (role,)
            while end < min(len(roles), most) and roles[end] in allowed:
                end += 1
        if role != "blank":
            yield _Stretch(role, begin, end)
        begin = end


def _definition(text: str, line: Line, number: int) -> Block:
    body = line.of(text)
    start = line.start + len(body) - len(body.lstrip())
    end = line.start + len(body.rstrip())
    words = " ".join(body.split()).rstrip(" {:")
    return Block(
        kind="heading",
        start=start,
        end=end,
        pieces=(Piece(start=start, end=end, plain=words or body.strip()),),
        level=2 if start == line.start else 3,
        anchor=f"L{number}",
    )


def _prose(text: str, lines: Sequence[Line]) -> Iterator[Block]:
    """Yield the paragraphs of a comment: its lines without marks, parted where one is empty."""
    waiting: list[Line] = []
    for line in lines:
        inner = _inner(text, line)
        if inner.start < inner.end and not _RULE.fullmatch(text, inner.start, inner.end):
            waiting.append(inner)
        elif waiting:
            yield _paragraph(text, waiting)
            waiting = []
    if waiting:
        yield _paragraph(text, waiting)


def _inner(text: str, line: Line) -> Line:
    before = _MARKS_BEFORE.match(text, line.start, line.end)
    start = before.end() if before else line.start
    body = text[start : line.end].rstrip()
    mark = _MARKS_AFTER.search(body[-_LONGEST_MARK:])
    if mark:
        body = body[: len(body) - len(mark[0])].rstrip()
    front = len(body) - len(body.lstrip())
    return Line(start + front, start + len(body))


def _paragraph(text: str, lines: Sequence[Line]) -> Block:
    prose = excerpt(text, lines)
    pieces = sentence_pieces(prose, unmarked(prose))
    return Block(kind="paragraph", start=pieces[0].start, end=pieces[-1].end, pieces=pieces)


def _code(text: str, lines: Sequence[Line]) -> Block:
    pieces = tuple(
        Piece(start=line.start, end=line.start + len(body), plain=body)
        for line in lines
        if (body := line.of(text).rstrip())
    )
    return Block(kind="code", start=pieces[0].start, end=pieces[-1].end, pieces=pieces)
