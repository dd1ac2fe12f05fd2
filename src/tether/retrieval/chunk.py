"""A chunk, which is searched and cited, and a passage, which goes into a prompt."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from tether.core.checks import Checks, refuses_with
from tether.core.tiers import TRUST_TIERS, TrustTier
from tether.retrieval.errors import InvalidInitialChunkValue, InvalidInitialPassageValue


@refuses_with(InvalidInitialChunkValue)
@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of one document, with everything that a citation of it needs.

    `text` is exactly `document.text[start:end]` and may be quoted. `plain` is the same without
    markup, and is searched. `header` repeats the header of a table whose rows were split, and
    `heading_path` (title first, then the headings above) gives the context; both are searched and
    shown beside the text but are not part of a quote. `id` is `{page}-{number}`, with `number`
    counted from 1 in the document. `tokens` is the cost of `text` by the estimator of the chunker.
    Raises `InvalidInitialChunkValue`.
    """

    id: str
    document: str
    number: int
    title: str
    heading_path: tuple[str, ...]
    anchor: str
    url: str
    start: int
    end: int
    text: str
    plain: str
    tokens: int
    header: str = ""
    language: str = ""

    def __post_init__(self) -> None:
        check = Checks()
        _check_names(check, self, "id", "document")
        _check_texts(check, self, "title", "anchor", "url", "text", "plain", "header", "language")
        _check_texts_in(check, "heading_path", self.heading_path)
        check.whole_number("number", self.number)
        check.whole_number("tokens", self.tokens, least=0)
        check.whole_number("start", self.start, least=0)
        check.whole_number("end", self.end, least=0)
        _check_place(check, self.start, self.end)
        check.done(InvalidInitialChunkValue)

    @classmethod
    def whole(cls, text: str, *, id: str, document: str, title: str = "") -> Chunk:
        """Return a text as a chunk that is all of its document; its title is its only heading."""
        return cls(
            id=id,
            document=document,
            number=1,
            title=title,
            heading_path=(title,) if title else (),
            anchor="",
            url="",
            start=0,
            end=len(text),
            text=text,
            plain=text,
            tokens=0,
        )

    @property
    def heading(self) -> str:
        """The heading path on one line."""
        return " > ".join(self.heading_path)

    @property
    def body(self) -> str:
        """The readable text, below the repeated header of its table if it has one."""
        return f"{self.header}\n{self.plain}" if self.header else self.plain

    @property
    def indexed(self) -> str:
        """The text that is embedded and judged: the heading path, then the body."""
        return f"{self.heading}\n{self.body}" if self.heading_path else self.body

    @property
    def link(self) -> str:
        """The URL or key of the page, with the anchor."""
        page = self.url or self.document
        return f"{page}#{self.anchor}" if self.anchor else page


@refuses_with(InvalidInitialPassageValue)
@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Text with its citation envelope: `label` (a title), `identifier` (a link) and `metadata`.

    `provider` is its origin and `trust_tier` the level of trust: passages of the operator's own
    index are first-party, those of a web search never are. Higher `score` is better among passages
    of one provider. Raises `InvalidInitialPassageValue`.
    """

    id: str
    text: str
    label: str
    identifier: str
    provider: str
    trust_tier: TrustTier
    score: float = 0.0
    metadata: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        check = Checks()
        _check_names(check, self, "id", "provider")
        _check_texts(check, self, "text", "label", "identifier")
        check.choice("trust_tier", self.trust_tier, TRUST_TIERS)
        if not isinstance(self.score, (int, float)) or not isfinite(self.score):
            check.refuse("score", self.score, "a finite number")
        for place, pair in enumerate(_listed(check, "metadata", self.metadata)):
            if not _is_pair(pair):
                check.refuse(f"metadata[{place}]", pair, "a pair of texts")
        check.done(InvalidInitialPassageValue)


def _check_place(check: Checks, start: Any, end: Any) -> None:
    """Report a place that ends before it begins; whether the text is there, an index checks."""
    if isinstance(start, int) and isinstance(end, int) and end < start:
        check.fail("end", f"must not be before the start, {start}, but is {end}")


def _check_names(check: Checks, value: object, *fields: str) -> None:
    for field in fields:
        name = getattr(value, field)
        if not isinstance(name, str) or not name:
            check.refuse(field, name, "non-empty text")


def _check_texts(check: Checks, value: object, *fields: str) -> None:
    for field in fields:
        check.instance(field, getattr(value, field), str, "text")


def _check_texts_in(check: Checks, field: str, values: Any) -> None:
    for place, text in enumerate(_listed(check, field, values)):
        check.instance(f"{field}[{place}]", text, str, "text")


def _listed(check: Checks, field: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, tuple):
        return values
    check.refuse(field, values, "a tuple")
    return ()


def _is_pair(pair: object) -> bool:
    match pair:
        case (str(), str()):
            return True
        case _:
            return False
