"""Providers over the real search: of an index in memory, and of one on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from retrieval.index.made import built
from tether.retrieval.chunk import Passage
from tether.retrieval.chunking.chunker import Chunker
from tether.retrieval.hit import Hit, Verdict
from tether.retrieval.providers.index import GraphProvider, IndexGraph, VectorProvider
from tether.retrieval.providers.provider import Supply, gather
from tether.retrieval.query import Query
from tether.retrieval.readers.dispatch import read_document
from tether.retrieval.search.memory_index import MemoryIndex
from tether.retrieval.search.retriever import Retriever

ASKED = Query(question="where is the harbour")
PAGES = {f"harbour-{n}.md": f"# Harbour {n}\n\nThe harbour lies north." for n in range(25)}
TEXTS = {
    "start.md": "# Start\n\nThe harbour opens at dawn.\n\n## Next\n\nSee [boats](boats.md).",
    "boats.md": "# Boats\n\nBoats carry salt.\n\n## Rent\n\nAsk the keeper.",
    "other.md": "# Other\n\nNothing to see.",
}


class Strict:
    """A floor that no hit reaches."""

    def decide(self, query: Query, hits: Sequence[Hit]) -> Verdict:
        return Verdict(sufficient=False, probability=0.1, threshold=0.5)


def in_memory(texts: dict[str, str]) -> MemoryIndex:
    documents = (read_document(key=key, name=key, data=texts[key].encode()) for key in texts)
    return MemoryIndex(chunk for page in documents for chunk in Chunker().chunks(page))


def ids(supply: Supply) -> list[str]:
    return [passage.id for passage in supply.passages]


@pytest.mark.parametrize("limit", [3, 10, 25])
def test_a_provider_gives_as_many_as_asked_for(limit: int) -> None:
    provider = VectorProvider(Retriever(index=in_memory(PAGES)))
    assert len(provider.passages(ASKED, limit).passages) == limit


def test_what_the_floor_refuses_is_not_supplied_and_that_is_said() -> None:
    index = in_memory(PAGES)
    refused = VectorProvider(Retriever(index=index, floor=Strict()), name="docs")
    supply = refused.passages(ASKED, 5)
    assert supply.passages == ()
    assert supply.left_out[-1].part == "docs"
    assert "do not cover" in supply.left_out[-1].reason
    other = VectorProvider(Retriever(index=index), name="wiki")
    assert len(gather([refused, other], ASKED, limit=5).passages) == 5


def test_neighbours_come_from_a_snapshot_on_disk(tmp_path: Path) -> None:
    index = built(tmp_path / "index", TEXTS)
    with index.snapshot() as snapshot:
        search = Retriever(index=snapshot)
        found = VectorProvider(search).passages(ASKED, 1)
        assert ids(found) == ["start-1"]
        around = GraphProvider(search, IndexGraph(snapshot), seeds=1).passages(ASKED, 9)
        assert ids(around) == ["start-2", "boats-1"]
        text = snapshot.document("boats.md").text
        assert _quoted(around.passages[1], text) == "# Boats\n\nBoats carry salt."
        strict = Retriever(index=snapshot, floor=Strict())
        nothing = GraphProvider(strict, IndexGraph(snapshot)).passages(ASKED, 9)
        assert (nothing.passages, nothing.left_out[-1].part) == ((), "graph")


def _quoted(passage: Passage, text: str) -> str:
    said = dict(passage.metadata)
    return text[int(said["start"]) : int(said["end"])]
