"""A chunk: the unit that is searched, cited and shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A passage of one document, with everything a citation of it needs.

    `text` is exactly `document.text[start:end]`: what may be quoted. `plain` is the same without
    markup: what the lanes search. `header` repeats the header of a table whose rows were split,
    and `heading_path` (title first, then the headings above) gives the passage its context; both
    are searched and shown beside the text but are no part of a quote. `id` is `{page}-{number}`
    with `number` counting from 1 in its document. `tokens` is what `text` costs by the chunker's
    estimator.
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

    @property
    def heading(self) -> str:
        """The heading path on one line."""
        return " > ".join(self.heading_path)

    @property
    def body(self) -> str:
        """The readable text, below the repeated header of its table where it has one."""
        return f"{self.header}\n{self.plain}" if self.header else self.plain

    @property
    def indexed(self) -> str:
        """What is embedded and judged: the heading path, then the body."""
        return f"{self.heading}\n{self.body}" if self.heading_path else self.body

    @property
    def link(self) -> str:
        """Where a person finds the passage: the page with its anchor."""
        page = self.url or self.document
        return f"{page}#{self.anchor}" if self.anchor else page
