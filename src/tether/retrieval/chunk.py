"""A chunk, which is searched and cited, and a passage, which goes into a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from tether.core.tiers import TrustTier


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of one document, with everything that a citation of it needs.

    `text` is exactly `document.text[start:end]` and may be quoted. `plain` is the same without
    markup, and is searched. `header` repeats the header of a table whose rows were split, and
    `heading_path` (title first, then the headings above) gives the context; both are searched and
    shown beside the text but are not part of a quote. `id` is `{page}-{number}`, with `number`
    counted from 1 in the document. `tokens` is the cost of `text` by the estimator of the chunker.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Text with its citation envelope: `label` (a title), `identifier` (a link) and `metadata`.

    `provider` is its origin and `trust_tier` the level of trust: passages of the operator's own
    index are first-party, those of a web search never are. Higher `score` is better among passages
    of one provider.
    """

    id: str
    text: str
    label: str
    identifier: str
    provider: str
    trust_tier: TrustTier
    score: float = 0.0
    metadata: tuple[tuple[str, str], ...] = ()
