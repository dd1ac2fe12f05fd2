"""Three others that rank passages by BM25, behind one face."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

LIMIT = 100


class Peer(NamedTuple):
    """Something that answers a question with its best hundred rows.

    `search` is what is timed: it leaves the rows in the form in which the library gives them.
    """

    search: Callable[[str], object]
    rows: Callable[[str], list[int]]


def tantivy(texts: Sequence[str], folder: Path) -> Peer:
    """Rust's Lucene, on disk, with its English stemmer."""
    library: Any = import_module("tantivy")
    (folder / "tantivy").mkdir()
    builder: Any = library.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="en_stem")
    builder.add_unsigned_field("row", stored=True)
    index: Any = library.Index(builder.build(), path=str(folder / "tantivy"))
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    for row, text in enumerate(texts):
        writer.add_document(library.Document(text=[text], row=row))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(question: str) -> Any:
        words = "".join(sign if sign.isalnum() else " " for sign in question)
        query = index.parse_query(words.lower(), ["text"])
        return searcher.search(query, LIMIT, count=False).hits

    return Peer(search, lambda question: [searcher.doc(at)["row"][0] for _, at in search(question)])


def bm25s(texts: Sequence[str], folder: Path) -> Peer:
    """Sparse matrices of scores in numpy, in memory, without stemming."""
    library: Any = import_module("bm25s")
    retriever: Any = library.BM25()
    retriever.index(library.tokenize(texts, show_progress=False), show_progress=False)
    limit = min(LIMIT, len(texts))

    def search(question: str) -> Any:
        tokens = library.tokenize([question], show_progress=False)
        found, _ = retriever.retrieve(tokens, k=limit, show_progress=False, n_threads=1)
        return found[0]

    return Peer(search, lambda question: [int(row) for row in search(question)])


def sqlite_fts5(texts: Sequence[str], folder: Path) -> Peer:
    """Full-text search of SQLite, on disk, any word may match."""
    database = sqlite3.connect(folder / "fts5.sqlite")
    database.execute("create virtual table chunks using fts5(text, tokenize='porter unicode61')")
    database.executemany("insert into chunks(rowid, text) values (?, ?)", enumerate(texts))
    database.commit()
    statement = f"select rowid from chunks where chunks match ? order by rank limit {LIMIT}"

    def search(question: str) -> list[tuple[int]]:
        words = [f'"{word}"' for word in question.replace('"', " ").split()]
        return database.execute(statement, (" OR ".join(words),)).fetchall()

    return Peer(search, lambda question: [row for (row,) in search(question)])


PEERS: dict[str, Callable[[Sequence[str], Path], Peer]] = {
    "tantivy": tantivy,
    "bm25s": bm25s,
    "SQLite FTS5": sqlite_fts5,
}
