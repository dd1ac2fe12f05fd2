"""The Markdown of an answer: quotes in paragraphs and lists, each ended by its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.batteries.models.extractive.extraction import Paragraph

LEFT_OUT = "\u2026"
"""Stands where the passage says more."""


def write_paragraph(paragraph: Paragraph, link: str) -> str:
    """Return one paragraph or list, with the link (possibly empty) behind its last quote."""
    texts = [quote.text for quote in paragraph.quotes]
    if link:
        texts[-1] = f"{texts[-1]} {link}"
    if paragraph.is_list:
        return _write_list(paragraph, texts)
    parts = [
        f"{LEFT_OUT} {text}" if at in paragraph.gaps else text for at, text in enumerate(texts)
    ]
    return " ".join(parts)


def _write_list(paragraph: Paragraph, texts: list[str]) -> str:
    """Return the lead-in and the items, with a mark for what is left out among them."""
    first = int(paragraph.has_lead)
    items: list[str] = []
    for at, text in enumerate(texts[first:], start=first):
        if paragraph.is_ordered:
            items += [LEFT_OUT] * (paragraph.numbers[at] - len(items) - 1)
        elif at in paragraph.gaps:
            items.append(LEFT_OUT)
        items.append(text)
    if paragraph.is_cut:
        items.append(LEFT_OUT)
    marks = (f"{number}." if paragraph.is_ordered else "-" for number in range(1, len(items) + 1))
    listed = "\n".join(f"{mark} {item}" for mark, item in zip(marks, items, strict=False))
    return f"{texts[0]}\n\n{listed}" if first else listed
