"""The statements of a model's answer, with the citations that it gave for each.

A statement is a sentence, an item, a row or a block of code. Headings, table headers, definitions
of links and images are none: no word of them goes on from here, but for the names that a row gives
its cells. A citation after a sentence, or at the start of the next one, belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tether.ask.citations.markdown import Block, read_blocks, unescaped
from tether.ask.citations.phrases import OPENING
from tether.ask.citations.resolver import Resolver, folded_name
from tether.ask.citations.tokens import Token, scan
from tether.ask.evidence import Evidence
from tether.text.markdown.marks import delimiter_cells, table_cells, without_marks
from tether.text.sentences import sentences
from tether.text.units.inlines import readable

PLACE = "\ue000"
"""Stands for a citation in the text of a block; a model's text is first cleared of this sign."""

_SPACED_PLACE = re.compile(rf"[ \t\n]*{PLACE}")
_LEADING = re.compile(rf"[\s,;.)\]]*(?:{PLACE}[\s,;.)\]]*)+")
_BRACKETED = re.compile(rf"[\[(]((?:\s*{PLACE})+)\s*[\])]")
_CITED_OPENING = re.compile(rf"\A((?:\s*{PLACE})+)\s*({OPENING.pattern})", re.IGNORECASE)
_CODE = re.compile(r"(?<!\\)`[^`\n]+`")
_IN_MARKS = re.compile(
    r"\"[^\"\n]{2,600}\"|\u201c[^\u201c\u201d\n]{2,600}\u201d|\u00ab[^\u00ab\u00bb\n]{2,600}\u00bb"
)
_OPEN = re.compile(
    r"\((?:[\s,;]|and\s)*(?:(?:see(?: also)?|from|cf\.?|via|sources?|references?|refs?)\s*:?\s*)?$",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"(?:[.!?:;\u2026,\u3002]|\A)[\"'\u201d\u2019)*_]*\s*(?:sources?:?|see:?)?\s*$", re.I
)
_BETWEEN = re.compile(r"\s*(?:[,;]|and\s|[,;]\s?and\s)\s*")
_STARTS = re.compile(r"\s*(?:$|[.,;\[!\u3010<(]|and\s*$)")
_OPENS = re.compile(r"\s+[\"\u201c]?[A-Z0-9]")
_LABEL = re.compile(r"\s*(?:sources?:?|see:?)?\s*$", re.IGNORECASE)
_CUT_LINK = re.compile(r"(?P<open>\()?\[[^\[\]\n]{1,200}\]\([^()\s]{1,300}\Z")
_LONGEST_CUT = 600
_NEEDS_LINK = re.compile(
    r"(?:\A|[^\w\s`*\"')\]\u2013\u2014-]|\b(?:in|on|to|the|see|of|from|by|at|via|per|is|are|and|or|with"
    r"|page|guide|section|read|check|visit|for|called|named|a|an|under|about|this|as))\s*\Z",
    re.IGNORECASE,
)
"""The end of a text that goes on with the text of the link."""

_STOPS = re.compile(r"\s*(?:[.,;!?]|\Z)")
_CLOSED = re.compile(r"\s*(?:[.!?]|\Z)")
_JOINT = re.compile(r"(?:[,:;]|\s[\u2013\u2014-])\s*\Z")
_TAIL = 200
"""How many characters before a link tell whether it is a part of the sentence."""

_NAMED_PLAINLY = "source sources link here docs documentation reference page this"
_GENERIC = frozenset(_NAMED_PLAINLY.split())


Layout = Literal["sentence", "item", "step", "code", "list", "steps"]
"""How a statement is shown; steps are the items of a numbered list. A list at once, or its steps,
is a statement only in a document's own words."""


@dataclass(slots=True, kw_only=True)
class Statement:
    """One statement of the answer, with the passages that the model cited for it.

    `cited` are the passages of each citation, in order; `clauses` are the parts of the text that
    end with one citation each, where there are several. `section` is the same for statements of one
    paragraph or list, and `opening` is a "Yes" or "No" before the text.
    """

    text: str
    layout: Layout = "sentence"
    section: int = 0
    cited: list[tuple[Evidence, ...]] = field(default_factory=list[tuple[Evidence, ...]])
    clauses: list[str] = field(default_factory=list[str])
    opening: str = ""


@dataclass(slots=True, kw_only=True)
class Reading:
    """The statements of an answer in order, and how much of it was none."""

    statements: list[Statement] = field(default_factory=list[Statement])
    phantoms: list[str] = field(default_factory=list[str])
    images: int = 0
    definitions: int = 0


def read_answer(text: str, resolver: Resolver) -> Reading:
    """Return the statements and citations of a model's answer."""
    reading = Reading()
    header: tuple[str, ...] = ()
    for block in read_blocks(_with_closed_link(text.replace(PLACE, ""))):
        if block.kind == "definition":
            reading.definitions += 1
        elif block.kind == "code":
            reading.statements += [_code(block)] if block.text.strip() else []
        elif block.kind == "row" and block.announces:
            header = _cells(block.text + block.suffix) or header
        else:
            header = header if block.kind == "row" else ()
            found = _Inlines(reading, resolver, block, header).statements()
            reading.statements += [] if block.kind == "heading" else found
    reading.statements = _with_openings(reading.statements)
    return reading


def _code(block: Block) -> Statement:
    return Statement(text=block.text, layout="code", section=block.section)


def _cells(row: str) -> tuple[str, ...]:
    """Return the cells of a row; none of the line under a header."""
    if delimiter_cells(row):
        return ()
    return tuple(cell.strip(" *_") for cell in table_cells(row.strip()))


def _with_openings(statements: list[Statement]) -> list[Statement]:
    """Put each "Yes" or "No" before the statement that it opens; one that opens none is dropped."""
    found: list[Statement] = []
    waiting: Statement | None = None
    for one in statements:
        if one.layout != "code" and OPENING.fullmatch(one.text):
            waiting = one
            continue
        if waiting is not None and waiting.section == one.section and one.layout != "code":
            one.opening = waiting.text
            one.cited = [*waiting.cited, *one.cited]
        waiting = None
        found.append(one)
    return found


def _with_closed_link(text: str) -> str:
    """Close a link in which the text breaks off, so that its page is still known."""
    match = _CUT_LINK.search(text[-_LONGEST_CUT:].rstrip())
    return text.rstrip() + ("))" if match["open"] else ")") if match else text


class _Inlines:
    """One block: its text with a place for each citation, cut into statements."""

    def __init__(
        self, reading: Reading, resolver: Resolver, block: Block, header: tuple[str, ...]
    ) -> None:
        self.reading = reading
        self.header = header
        self.resolver = resolver
        self.block = block
        self.flat = ""
        self.cited: list[tuple[Evidence, ...]] = []
        self.closes = False

    def statements(self) -> list[Statement]:
        tokens = scan(self.block.text)
        for at, token in enumerate(tokens):
            following = tokens[at + 1].raw if at + 1 < len(tokens) else ""
            self._add(token, following)
        spans = self._spans()
        cited = iter(self.cited)
        found: list[Statement] = []
        for start, end in spans:
            part = self.flat[start:end]
            if found:
                part = _after_citations(part, found[-1], cited)
            part = part.lstrip(" \t\n,;")
            own = [next(cited) for _ in range(part.count(PLACE))]
            statement = self._statement(part, own, is_first=not found)
            if statement.text or own:
                found.append(statement)
        return found

    def _spans(self) -> Sequence[tuple[int, int]]:
        if self.block.kind == "row":
            return [(0, len(self.flat))]
        self.flat = _CITED_OPENING.sub(r"\2 \1", _BRACKETED.sub(r"\1", self.flat))
        whole = [match.span() for one in (_CODE, _IN_MARKS) for match in one.finditer(self.flat)]
        spans = sentences(self.flat, whole)
        return [part for span in spans for part in self._opened(*span)]

    def _opened(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return a sentence in two parts if it opens with a "Yes" or "No"."""
        lead = _LEADING.match(self.flat, start, end)
        opening = OPENING.match(self.flat, lead.end() if lead else start, end)
        if opening is None or opening.end() == end:
            return [(start, end)]
        return [(start, opening.end()), (opening.end(), end)]

    def _statement(
        self, part: str, cited: list[tuple[Evidence, ...]], *, is_first: bool
    ) -> Statement:
        text = " ".join(_SPACED_PLACE.sub("", part).split())
        clauses: list[str] = []
        if self.block.kind == "row":
            text = self._row(text)
        else:
            text = without_marks(text) or (text if is_first else "")
            clauses = [without_marks(" ".join(one.split())) for one in part.split(PLACE)]
        return Statement(
            text=readable(text),
            layout=self._layout(),
            section=self.block.section,
            cited=[one for one in cited if one],
            clauses=[readable(clause) for clause in clauses] if all(cited) else [],
        )

    def _layout(self) -> Layout:
        if self.block.kind == "item" and self.block.prefix.strip()[:1].isdigit():
            return "step"
        return "item" if self.block.kind in ("item", "row") else "sentence"

    def _row(self, text: str) -> str:
        """Return a row as its cells, each after the name that the header gives it."""
        cells = _cells(text + self.block.suffix)
        if len(cells) != len(self.header):
            return "; ".join(cell for cell in cells if cell)
        named = zip(self.header, cells, strict=True)
        return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)

    def _add(self, token: Token, following: str) -> None:
        text = self._after_close(token)
        if token.kind == "text":
            self.flat += unescaped(text)
        elif token.kind == "code":
            bare = token.text.replace("`", "").strip()
            self.flat += f"`{bare}`" if bare else ""
        elif token.kind == "image":
            self.reading.images += 1
            self.flat += "" if self._stands_alone(following) else unescaped(token.text)
        else:
            self._cite(token, following)

    def _after_close(self, token: Token) -> str:
        """Leave out the parenthesis that closes after a citation in parentheses."""
        closes, self.closes = self.closes, False
        return token.raw.lstrip()[1:] if closes and token.kind == "text" else token.raw

    def _cite(self, token: Token, following: str) -> None:
        evidence = self.resolver.resolve(token)
        if self._is_text(token, evidence):
            self.flat += unescaped(token.raw)
            return
        if not evidence:
            self.reading.phantoms.append(token.target or token.text)
        if token.after.startswith("["):
            self._unbracket(token.after)
        if token.kind == "link":
            self._link_text(token, evidence, following)
        elif token.kind == "number" and len(evidence) > 1:
            for one in evidence[:-1]:
                self._place((one,))
            evidence = evidence[-1:]
        self._place(evidence)

    def _unbracket(self, text: str) -> None:
        """Take the brackets off the text of a link such as `[the guide][1]`, not off a name's."""
        if self.flat.endswith(text) and not self.resolver.is_quoted(text):
            self.flat = self.flat.removesuffix(text) + text[1:-1]

    def _is_text(self, token: Token, evidence: tuple[Evidence, ...]) -> bool:
        """Say whether a token is text and not a mark: a passage has it, or no page has the name."""
        if token.kind == "name":
            return not evidence or self.resolver.is_quoted(token.raw)
        if token.after and self.resolver.is_quoted(token.after + token.raw):
            return True
        return not evidence and token.kind == "number" and self.resolver.is_quoted(token.raw)

    def _place(self, evidence: tuple[Evidence, ...]) -> None:
        self.flat += f" {PLACE}"
        self.cited.append(evidence)

    def _link_text(self, token: Token, evidence: tuple[Evidence, ...], following: str) -> None:
        """Keep the text of a link if it is a part of a sentence and does more than name a page."""
        opened = self.flat.rfind("(", max(0, len(self.flat) - _TAIL))
        is_open = bool(evidence) and _OPEN.search(self._tail()) is not None
        if is_open and following.lstrip().startswith(")"):
            places = self.flat[opened:].count(PLACE)
            self.flat = self.flat[:opened].rstrip() + f" {PLACE}" * places
            self.closes = True
        elif is_open and _BETWEEN.fullmatch(following):
            return
        elif self._only_refers(token, evidence, following):
            kept, named = self.flat[:-_TAIL], _LABEL.sub("", self.flat[-_TAIL:])
            is_last = not token.text.isdigit() and _CLOSED.match(following) is not None
            self.flat = kept + (_JOINT.sub("", named) if is_last else named)
        else:
            self.flat += unescaped(token.text)

    def _only_refers(self, token: Token, evidence: tuple[Evidence, ...], following: str) -> bool:
        """Say whether a link is between two sentences or clauses, or after the last one."""
        if not evidence:
            return self._stands_alone(following)
        if token.text.isdigit() or not _names(token.text, evidence):
            return token.text.isdigit()
        tail = self._tail()
        if _STOPS.match(following) and not _NEEDS_LINK.search(tail):
            return True
        opens = bool(self.flat.strip()) and _OPENS.match(following) is not None
        return _ENDED.search(tail) is not None and (opens or self._stands_alone(following))

    def _tail(self) -> str:
        return self.flat[-_TAIL:].replace(PLACE, "")

    def _stands_alone(self, following: str) -> bool:
        """Say whether the next text is a sentence by itself, and not a part of one."""
        return _ENDED.search(self._tail()) is not None and _STARTS.match(following) is not None


def _after_citations(part: str, last: Statement, cited: Iterator[tuple[Evidence, ...]]) -> str:
    """Give citations at the start of a sentence to the one before it; return the rest."""
    lead = _LEADING.match(part)
    if lead is None or _opens(last, part[lead.end() :]):
        return part
    moved = [next(cited) for _ in range(lead[0].count(PLACE))]
    last.cited += [one for one in moved if one]
    last.clauses.append("")
    return part[lead.end() :]


def _opens(statement: Statement, rest: str) -> bool:
    """Say whether a statement is a "Yes" to the rest, to which a citation between them belongs."""
    return bool(rest) and OPENING.fullmatch(statement.text) is not None


def _names(text: str, evidence: Sequence[Evidence]) -> bool:
    """Say whether the text of a link only names the page: by number, title, heading or address."""
    wanted = folded_name(text)
    if wanted.isdigit() or wanted in _GENERIC or not wanted:
        return True
    chunks = [one.chunk for one in evidence]
    names = {name for one in chunks for name in (one.title, one.url, one.document, one.link)}
    names |= {name for one in chunks for name in one.heading_path}
    slugs = {one.document.rpartition("/")[2].rpartition(".")[0] for one in chunks}
    return wanted in {folded_name(name) for name in names | slugs}
