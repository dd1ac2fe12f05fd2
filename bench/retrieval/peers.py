"""Three others that rank passages by BM25, behind one face."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

Search = Callable[[str], int]
"""Answers a question with its best hundred and returns how many there were."""


def sqlite_fts5(texts: Sequence[str], folder: Path) -> Search:
    """Full-text search of SQLite, on disk, any word may match."""
    database = sqlite3.connect(folder / "fts5.sqlite")
    database.execute("create virtual table chunks using fts5(text, tokenize='porter unicode61')")
    database.executemany("insert into chunks(text) values (?)", ((text,) for text in texts))
    database.commit()
    statement = "select rowid from chunks where chunks match ? order by bm25(chunks) limit 100"

    def search(question: str) -> int:
        words = [f'"{word}"' for word in question.replace('"', " ").split()]
        return len(database.execute(statement, (" OR ".join(words),)).fetchall())

    return search


def tantivy(texts: Sequence[str], folder: Path) -> Search:
    """Rust's Lucene, on disk, with its English stemmer."""
    library: Any = import_module("tantivy")
    (folder / "tantivy").mkdir()
    builder: Any = library.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="en_stem")
    index: Any = library.Index(builder.build(), path=str(folder / "tantivy"))
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    for text in texts:
        writer.add_document(library.Document(text=[text]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(question: str) -> int:
        words = "".join(sign if sign.isalnum() else " " for sign in question)
        query = index.parse_query(words, ["text"])
        return len(searcher.search(query, 100, count=False).hits)

    return search


def bm25s(texts: Sequence[str], folder: Path) -> Search:
    """Sparse matrices of scores in numpy, in memory, without stemming."""
    library: Any = import_module("bm25s")
    retriever: Any = library.BM25()
    retriever.index(library.tokenize(texts, show_progress=False), show_progress=False)

    def search(question: str) -> int:
        tokens = library.tokenize([question], show_progress=False)
        found, _ = retriever.retrieve(tokens, k=100, show_progress=False, n_threads=1)
        return int(found.shape[1])

    return search


PEERS: dict[str, Callable[[Sequence[str], Path], Search]] = {
    "tantivy": tantivy,
    "bm25s": bm25s,
    "SQLite FTS5": sqlite_fts5,
}
