"""An answer composed from its reviewed statements: nothing else can be in it.

Marks stand after statements and are numbered by first use. Whatever a model wrote beside its
statements is not here to be left out: it was never handed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tether.ask.answer import Citation, Statement, Words
from tether.ask.citations.footnotes import footnotes_of
from tether.ask.citations.markdown import as_markdown
from tether.ask.citations.passage import Window
from tether.ask.citations.statements import Layout
from tether.text.markdown.marks import fence_of
from tether.trust.visible import visible_text

_TICKS = re.compile(r"`+")
_BLOCK_START = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))|^(?=[#>+*=|~:-])")
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")
_LEADS = "The document says:"
"""Stands before words of a document that replace a statement of the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A reviewed statement: its plain text, whose words it has, and the quote that it rests on.

    `section` is the same for statements of one paragraph or list.
    """

    text: str
    window: Window
    probability: float
    words: Words = "model"
    layout: Layout = "sentence"
    section: int = 0
    replaces: bool = False
    """Whether it stands in for a statement that did not stand."""
    continues: bool = False
    """Whether it goes on with the sentence of the statement before it."""
    lead: str = ""
    """The document's words that lead to a list or to code, shown above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The text of an answer, its statements and their citations, as in `tether.ask.answer`."""

    text: str
    statements: tuple[Statement, ...]
    citations: tuple[Citation, ...]


@dataclass(slots=True)
class _Writing:
    text: str = ""
    last: Stated | None = None
    steps: int = 0
    statements: list[Statement] = field(default_factory=list[Statement])
    citations: list[Citation] = field(default_factory=list[Citation])
    numbers: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])


def compose(stated: Sequence[Stated]) -> Draft:
    """Return the draft of statements, each with its mark, and with the notes that limit it."""
    writing = _Writing()
    for one in _with_footnotes(stated):
        _write(writing, one)
    return Draft(
        text=writing.text,
        statements=tuple(writing.statements),
        citations=tuple(writing.citations),
    )


def _with_footnotes(stated: Sequence[Stated]) -> Iterator[Stated]:
    """Yield the statements, and after each sentence the notes of its quotes, each once."""
    seen = {(one.window.number, unit.start) for one in stated for unit in one.window.units}
    waiting: list[Stated] = []
    for one in stated:
        if not one.continues:
            yield from waiting
            waiting.clear()
        yield one
        for window in footnotes_of(one.window):
            place = (window.number, window.start)
            if place not in seen:
                seen.add(place)
                waiting.append(_noted(one, window))
    yield from waiting


def _noted(one: Stated, window: Window) -> Stated:
    """Return a note in the document's own words, after the statement that it limits."""
    return Stated(
        text=window.reading,
        window=window,
        probability=1.0,
        words="document",
        section=one.section,
    )


def _write(writing: _Writing, one: Stated) -> None:
    if not one.continues:
        writing.steps = writing.steps + 1 if one.layout == "step" else 0
    gap = "" if writing.last is None else _gap(writing.last, one)
    writing.text += gap + _prefix(one, writing.steps)
    start = len(writing.text)
    writing.text += _shown(_visible(one), opens=gap != " ")
    _mark(writing, one, start)
    writing.last = one


def _visible(one: Stated) -> Stated:
    """Return a statement without hidden characters; left in, they could keep an escape apart."""
    return replace(one, text=visible_text(one.text).text, lead=visible_text(one.lead).text)


def _gap(last: Stated, one: Stated) -> str:
    """Return what separates a statement from the one before it."""
    if one.continues:
        return " "
    if last.layout == one.layout and one.layout in ("item", "step"):
        return "\n"
    same = last.section == one.section and not last.replaces and not one.replaces
    return " " if same and last.layout == one.layout == "sentence" else "\n\n"


def _prefix(one: Stated, steps: int) -> str:
    if one.continues:
        return ""
    if one.layout == "step":
        return f"{steps}. "
    if one.replaces:
        return f"{_LEADS} \u201c"
    return "- " if one.layout == "item" else ""


def _shown(one: Stated, *, opens: bool) -> str:
    if one.layout in ("code", "list", "steps"):
        block = _fenced(one) if one.layout == "code" else _listed(one)
        return f"{_opening(one.lead)}\n\n{block}" if one.lead else block
    if opens and not one.replaces:
        return _opening(one.text)
    return as_markdown(" ".join(one.text.split()))


def _opening(text: str) -> str:
    """Return a text that begins a paragraph and is nothing else."""
    return _BLOCK_START.sub(r"\1\\", as_markdown(" ".join(text.split())))


def _fenced(one: Stated) -> str:
    longest = max((len(run) for run in _TICKS.findall(one.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{_language(one.window)}\n{one.text}\n{fence}"


def _listed(one: Stated) -> str:
    """Return the units of a list or table, one to a line."""
    lines = enumerate(one.text.split("\n"), start=1)
    numbered = one.layout == "steps"
    return "\n".join(f"{f'{at}.' if numbered else '-'} {_opening(line)}" for at, line in lines)


def _language(window: Window) -> str:
    """Return the language that the document names for its code, if that is only a name."""
    first = window.passage.text[window.start : window.end].partition("\n")[0]
    fence = fence_of(first)
    name = fence.lang if fence is not None else None
    return name if name is not None and _LANGUAGE.fullmatch(name) else ""


def _mark(writing: _Writing, one: Stated, start: int) -> None:
    """Write the mark of a statement, and note the statement and its citation."""
    end = len(writing.text)
    if one.replaces:
        writing.text += "\u201d"
    chunk = one.window.passage.evidence.chunk
    number = writing.numbers.setdefault((chunk.document, chunk.anchor), len(writing.numbers) + 1)
    writing.text += "\n\n" if one.layout == "code" else " "
    mark = len(writing.text)
    writing.text += f"[{number}]"
    places = (start, end, mark, len(writing.text))
    writing.statements.append(
        Statement(
            start=start,
            end=end,
            words=one.words,
            probability=round(one.probability, 4),
            citation=len(writing.citations),
        )
    )
    writing.citations.append(citation_of(one.window, number, places))


def citation_of(window: Window, number: int, places: tuple[int, int, int, int]) -> Citation:
    """Return the citation of whole units, with the places of its statement and mark."""
    evidence = window.passage.evidence
    chunk = evidence.chunk
    lead = window.lead
    return Citation(
        number=number,
        span_start=places[0],
        span_end=places[1],
        mark_start=places[2],
        mark_end=places[3],
        document=chunk.document,
        title=chunk.title,
        url=chunk.url,
        anchor=chunk.anchor,
        chunk=chunk.id,
        quote=window.passage.source(window.start, window.end),
        start=chunk.start + window.start,
        end=chunk.start + window.end,
        version=evidence.version,
        lead="" if lead is None else window.passage.source(*lead),
        lead_start=-1 if lead is None else chunk.start + lead[0],
        lead_end=-1 if lead is None else chunk.start + lead[1],
        reading=window.reading,
    )
