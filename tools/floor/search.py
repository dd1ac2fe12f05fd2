"""Searches every corpus for questions of every kind, and keeps the features of the hits.

PYTHONPATH=tools python3 -m floor.search --data DATA --trees TREES --into OUT [--only NAME]
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from floor.corpora import Corpus, readers
from floor.vectors import KeptVectors
from tether.retrieval.chunk import Chunk
from tether.retrieval.chunking.chunker import Chunker
from tether.retrieval.floor.floor import features
from tether.retrieval.floor.questions import corpus_questions, far_questions
from tether.retrieval.query import Query
from tether.retrieval.readers.dispatch import read_document
from tether.retrieval.search.memory_index import MemoryIndex
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import SearchSettings

QUESTIONS, PASSAGES, FOREIGN, MADE = 100, 700, 30, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, what it is to the corpus, and the rows that are hidden from its search."""

    text: str
    kind: str
    hidden: frozenset[int] = frozenset()


def main() -> None:
    """Write the features of every corpus to OUT/NAME.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    found = {name: read() for name, read in readers(options.data, options.trees).items()}
    sampled = {name: _thinned(corpus) for name, corpus in found.items()}
    options.into.mkdir(parents=True, exist_ok=True)
    vectors = KeptVectors(options.into / "vectors.npz")
    for name in options.only or sampled:
        rows = searched(sampled[name], list(sampled.values()), vectors)
        vectors.save()
        (options.into / f"{name}.json").write_text(json.dumps(rows))


def _thinned(corpus: Corpus) -> Corpus:
    """Return a sample with about `PASSAGES` passages."""
    draw = random.Random(corpus.name)  # noqa: S311  # a sample, not a secret
    few = corpus.thinned(questions=QUESTIONS, pages=len(corpus.pages), draw=draw)
    size = sum(len(page.data) for page in few.pages) / len(few.pages)
    return few.thinned(questions=QUESTIONS, pages=int(PASSAGES * min(1, 1100 / size)), draw=draw)


def searched(
    corpus: Corpus, every: Sequence[Corpus], vectors: KeptVectors
) -> list[dict[str, object]]:
    """Return the features of every question that is asked of a corpus, {} without hits.

    `words` are those of a search without vectors.
    """
    chunker = Chunker()
    chunks: list[Chunk] = []
    for page in corpus.pages:
        read = read_document(key=page.key, name=page.name, data=page.data, title=page.title)
        chunks += chunker.chunks(read)
    index = MemoryIndex(chunks, embedder=vectors)
    print(f"{corpus.name}: {len(corpus.pages)} pages, {index.size} passages", flush=True)
    retriever = Retriever(index=index, embedder=vectors, settings=SearchSettings(judged=0))
    lexical = replace(retriever, embedder=None)
    rows: list[dict[str, object]] = []
    for one in asked_of(corpus, every, index):
        row: dict[str, object] = {"kind": one.kind, "text": one.text}
        for name, search in (("features", retriever), ("words", lexical)):
            hits = search.search(Query(question=one.text), hidden=one.hidden).hits
            row[name] = features(hits) if hits else {}
        rows.append(row)
    return rows


def asked_of(corpus: Corpus, every: Sequence[Corpus], index: MemoryIndex) -> Iterator[Asked]:
    """Yield the questions of people, those of the other corpora, and those that are made."""
    pages: dict[str, set[int]] = {}
    for row, chunk in enumerate(index.chunks(range(index.size))):
        pages.setdefault(chunk.document, set()).add(row)
    for one in corpus.answerable:
        hidden = frozenset(row for key in one.documents for row in pages.get(key, ()))
        yield Asked(text=one.text, kind="answerable")
        yield Asked(text=one.text, kind="hidden", hidden=hidden)
    yield from (Asked(text=text, kind="near") for text in corpus.near)
    for other in every:
        if other.name != corpus.name:
            few = other.answerable[:FOREIGN]
            yield from (Asked(text=one.text, kind=f"far {other.name}") for one in few)
    yield from (Asked(text=text, kind="made far") for text in far_questions(index))
    numbers = index.pages.tolist()
    for made in corpus_questions(index, count=MADE, seed=0):
        page = frozenset(row for row, number in enumerate(numbers) if number == made.page)
        alone = " alone" if len(page) == 1 else ""
        yield Asked(text=made.text, kind=f"made whole{alone}")
        yield Asked(text=made.text, kind=f"made row{alone}", hidden=frozenset({made.row}))
        yield Asked(text=made.text, kind=f"made page{alone}", hidden=page)


if __name__ == "__main__":
    main()
