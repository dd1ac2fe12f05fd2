"""An answer about volumes, and a real index of the pages it was taken from."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from retrieval.index.made import Texts, built
from tether.ask.answer import Answer, Citation, Consulted, Statement
from tether.ask.library import IndexLibrary
from tether.retrieval.search.retriever import Retriever

PAGE = "# Volumes\n\nA volume keeps data.\n\n## Size\n\nA volume can grow, and never shrinks.\n"
OTHER = "# Pods\n\nA pod is the smallest thing that runs.\n"
PAGES: Texts = {"pods.md": OTHER, "volumes.md": PAGE}
QUOTE = "A volume can grow, and never shrinks."
SAID = "A volume can grow, and never shrinks. [1] A pod is the smallest thing that runs. [2]"


@contextmanager
def library(folder: Path, *steps: Texts) -> Generator[IndexLibrary]:
    """Yield the library of an index to which these pages were applied, one after the other."""
    with built(folder, *steps).snapshot() as snapshot:
        yield IndexLibrary(snapshot, Retriever(index=snapshot))


def citation(number: int, document: str, quote: str, page: str) -> Citation:
    """Return a citation of a quote, placed in the text that is said."""
    mark, start = SAID.index(f"[{number}]"), page.index(quote)
    name = document.removesuffix(".md")
    return Citation(
        number=number,
        span_start=SAID.index(quote),
        span_end=SAID.index(quote) + len(quote),
        mark_start=mark,
        mark_end=mark + 3,
        document=document,
        title=name.title(),
        url="",
        anchor="size" if document == "volumes.md" else "",
        chunk="volumes-2" if document == "volumes.md" else "pods-1",
        quote=quote,
        start=start,
        end=start + len(quote),
        version="v1",
        reading=quote,
    )


def answered() -> Answer:
    """Return an answer with two sources."""
    first = citation(1, "volumes.md", QUOTE, PAGE)
    second = citation(2, "pods.md", "A pod is the smallest thing that runs.", OTHER)
    read = Consulted(
        chunk="volumes-1",
        document="volumes.md",
        title="Volumes",
        url="",
        anchor="",
        version="v1",
        cited=False,
    )
    return Answer(
        id="turn-1",
        conversation="talk-1",
        question="Can a volume shrink?",
        text=SAID,
        verdict="answered",
        statements=tuple(
            Statement(
                start=one.span_start,
                end=one.span_end,
                words="model" if at else "document",
                probability=0.87 if at else 1.0,
                citation=at,
            )
            for at, one in enumerate((first, second))
        ),
        citations=(first, second),
        consulted=(read, replace(read, chunk="volumes-2", anchor="size", cited=True)),
        attempts=1,
        model="extractive",
        generation=1,
        corpus="c1",
        ledger={"window": 100, "free": 40},
        created_at="2026-01-02T03:04:05+00:00",
    )
