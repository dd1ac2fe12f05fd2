"""The Markdown of an answer: quotes in paragraphs and lists, each ended by its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.batteries.models.extractive.extraction import Paragraph

CONTINUED = "\u2026"
"""The last item of a list that is longer in the passage."""


def write_paragraph(paragraph: Paragraph, link: str) -> str:
    """Return one paragraph or list, with the link (possibly empty) at its end."""
    texts = [quote.text for quote in paragraph.quotes]
    if not paragraph.is_list:
        return _ended_by(" ".join(texts), link)
    items = texts[1:] if paragraph.has_lead else texts
    if paragraph.is_cut:
        items = [*items, CONTINUED]
    items[-1] = _ended_by(items[-1], link)
    is_ordered = paragraph.is_ordered
    marks = [f"{number}." if is_ordered else "-" for number in range(1, len(items) + 1)]
    listed = "\n".join(f"{mark} {item}" for mark, item in zip(marks, items, strict=True))
    return f"{texts[0]}\n\n{listed}" if paragraph.has_lead else listed


def _ended_by(text: str, link: str) -> str:
    return f"{text} {link}" if link else text
