"""An index in memory: the same lanes as on disk, found by the same searches."""

from __future__ import annotations

import pytest

from retrieval.floor.railway import PAGES, THINGS, WordEmbedder, chunks_of
from tether.retrieval.lexical.bm25 import WordSettings
from tether.retrieval.lexical.lanes import WordLane
from tether.retrieval.query import Query
from tether.retrieval.search.memory_index import MemoryIndex
from tether.retrieval.search.retriever import Retriever

CHUNKS = chunks_of(PAGES)


def test_rows_are_the_chunks_and_pages_count_the_documents() -> None:
    index = MemoryIndex(CHUNKS)
    assert index.size == len(CHUNKS)
    assert index.chunks([3, 0]) == [CHUNKS[3], CHUNKS[0]]
    documents = [chunk.document for chunk in CHUNKS]
    assert [list(PAGES)[number] for number in index.pages.tolist()] == documents


def test_without_an_embedder_there_are_no_vectors_and_words_answer() -> None:
    index = MemoryIndex(CHUNKS)
    assert (index.embedder, index.dense) == ("", None)
    findings = Retriever(index=index).search(Query(question="repair the locomotive"))
    assert findings.hits[0].chunk.document == "locomotive.md"


def test_with_an_embedder_every_passage_is_nearest_to_itself() -> None:
    embedder = WordEmbedder()
    index = MemoryIndex(CHUNKS[:12], embedder=embedder)
    assert index.embedder == "words/1"
    assert index.dense is not None
    for row, chunk in enumerate(CHUNKS[:12]):
        found = index.dense.search_many(embedder.embed_questions([chunk.indexed]), limit=1)
        assert found.rows.tolist() == [row]
        assert found.scores[0] == pytest.approx(1.0, abs=1e-5)


def test_lanes_can_be_given() -> None:
    flat = MemoryIndex(CHUNKS, words=WordLane(WordSettings(k1=0.0)))
    usual = MemoryIndex(CHUNKS)
    question = f"inspect the {THINGS[0]}"
    assert len(flat.words.search(question)) == len(usual.words.search(question))
    assert flat.words.search(question).scores.tolist() != (
        usual.words.search(question).scores.tolist()
    )
    assert flat.grams.search(question).scores.tolist() == (
        usual.grams.search(question).scores.tolist()
    )


def test_nothing_is_found_in_an_empty_index() -> None:
    index = MemoryIndex([])
    assert index.size == 0
    assert not Retriever(index=index).search(Query(question="wagon")).sufficient
