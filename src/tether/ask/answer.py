"""The answer: one value, of which terminal, page, APIs and store are projections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tether.retrieval.chunk import Chunk

Verdict = Literal["answered", "abstained", "failed"]

AbstainReason = Literal[
    "not-a-question", "index-empty", "nothing-found", "below-floor", "not-supported"
]
"""A courtesy; no documents; no passage; passages that do not suffice; no answer that passed the
checks."""


Words = Literal["model", "document"]
"""Whose words a statement has: written by the model and verified, or a document's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of an answer: `answer.text[start:end]`.

    `probability` is the verifier's that the quote supports it, 1 for words of a document.
    `citation` is the index of its citation in `answer.citations`.
    """

    start: int
    end: int
    words: Words
    probability: float
    citation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One use of a source in an answer.

    `answer.text[span_start:span_end]` is the statement and `answer.text[mark_start:mark_end]` the
    mark `[number]` after it. `quote` is exactly `document.text[start:end]` in the version of the
    document that was read: whole sentences, a whole item, row or definition, or a block of code.
    `lead` is exactly `document.text[lead_start:lead_end]`: the lead-in of the list, the header of
    the table, the term, or the sentence above the code; "" at -1 where there is none. `reading` is
    both as a person reads them. Equal numbers are the same place (document and anchor); numbers
    count from 1 in the order of first use.
    """

    number: int
    span_start: int
    span_end: int
    mark_start: int
    mark_end: int
    document: str
    title: str
    url: str
    anchor: str
    chunk: str
    quote: str
    start: int
    end: int
    version: str
    lead: str = ""
    lead_start: int = -1
    lead_end: int = -1
    reading: str = ""

    @property
    def link(self) -> str:
        """Where a person finds the quote: the page with its anchor."""
        return _link(self.url or self.document, self.anchor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consulted:
    """A passage that was shown to the model, cited or not, best first."""

    chunk: str
    document: str
    title: str
    url: str
    anchor: str
    version: str
    cited: bool

    @classmethod
    def of(cls, chunk: Chunk, *, version: str = "", cited: bool = False) -> Consulted:
        """Return a passage by its chunk."""
        return cls(
            chunk=chunk.id,
            document=chunk.document,
            title=chunk.title,
            url=chunk.url,
            anchor=chunk.anchor,
            version=version,
            cited=cited,
        )

    @property
    def link(self) -> str:
        """Where a person finds the passage: the page with its anchor."""
        return _link(self.url or self.document, self.anchor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A page that comes closest, offered where there is no answer."""

    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of one turn. Nothing in it was shown to anybody before it was checked.

    The text of an answer is composed from its `statements`, each with a citation. `text` is
    Markdown without links: sources are the marks of `citations`, and whatever else looks like a
    mark, a link or an image is text. `reason` is set where the verdict is `abstained`, and `error`
    (code, message) where it is `failed`. `notes` name the words that were searched in place of
    misspelled ones, and the parts that were taken out of the last attempt before it could stand.
    `attempts` counts generations; `model` names the writer, and
    `ledger` says where the tokens of the window went. `id` is the turn's id in store and events.
    """

    id: str
    conversation: str
    question: str
    text: str
    verdict: Verdict
    reason: AbstainReason | None = None
    statements: tuple[Statement, ...] = ()
    citations: tuple[Citation, ...] = ()
    consulted: tuple[Consulted, ...] = ()
    nearest: tuple[Near, ...] = ()
    notes: tuple[str, ...] = ()
    attempts: int = 0
    model: str = ""
    generation: int = 0
    corpus: str = ""
    ledger: Mapping[str, int] | None = None
    error: tuple[str, str] | None = None
    created_at: str = ""

    @property
    def sources(self) -> tuple[Citation, ...]:
        """The cited places, each once, by number."""
        first: dict[int, Citation] = {}
        for citation in self.citations:
            first.setdefault(citation.number, citation)
        return tuple(first[number] for number in sorted(first))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which `from_json` accepts."""
        return asdict(self)

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> Answer:
        """Return the answer of a JSON form; raises `KeyError` or `TypeError` for another form."""
        given = _known(cls, form)
        listed = form.get("statements", ())
        given["statements"] = tuple(Statement(**_known(Statement, it)) for it in listed)
        given["citations"] = tuple(Citation(**_known(Citation, it)) for it in form["citations"])
        given["consulted"] = tuple(Consulted(**_known(Consulted, it)) for it in form["consulted"])
        given["nearest"] = tuple(Near(**_known(Near, it)) for it in form["nearest"])
        given["notes"] = tuple(form["notes"])
        error = form.get("error")
        given["error"] = None if error is None else (error[0], error[1])
        return cls(**given)


def _link(page: str, anchor: str) -> str:
    return f"{page}#{anchor}" if anchor else page


def _known(kind: type[Any], form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that this version knows: a newer one may have written more."""
    names = {item.name for item in fields(kind)}
    return {name: value for name, value in form.items() if name in names}
