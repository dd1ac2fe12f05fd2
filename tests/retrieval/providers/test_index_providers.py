"""Passages from an index and from around its hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tether.retrieval.chunk import Chunk
from tether.retrieval.chunking.chunker import Chunker
from tether.retrieval.hit import Hit, LeftOut
from tether.retrieval.providers.index import GraphProvider, IndexGraph, VectorProvider, passage_of
from tether.retrieval.query import Query
from tether.retrieval.readers.dispatch import read_document

ASKED = Query(question="How do pods talk?")
PODS = """\
# Pods

A pod is a group of containers.

## Networking

Each pod has an address.

### Ports

Open a port.

### Names

Pods have names.

## Storage

Volumes outlive containers.
"""
TABLE = "| name | use |\n|---|---|\n" + "\n".join(
    f"| row {n} | {'words of a row ' * 9}|" for n in range(60)
)
LEFT_OUT = LeftOut(part="dense", reason="no vectors yet")


def chunks_of(key: str, text: str) -> tuple[Chunk, ...]:
    return Chunker().chunks(read_document(key=key, name=key, data=text.encode()))


@dataclass
class Found:
    hits: Sequence[Hit]
    left_out: Sequence[LeftOut] = (LEFT_OUT,)
    sufficient: bool = True


class Searching:
    """Finds what it was told to."""

    def __init__(self, *chunks: Chunk) -> None:
        self._chunks = chunks

    def search(self, query: Query, *, limit: int) -> Found:
        assert query is ASKED
        return Found(
            [
                Hit(chunk=chunk, rank=rank, score=1 - rank / 10, fused=0, boost=1, votes=())
                for rank, chunk in enumerate(self._chunks[:limit], 1)
            ]
        )


class Generation:
    """Three pages in memory, as a snapshot numbers them."""

    def __init__(self) -> None:
        self._pages = [
            chunks_of("pods.md", PODS),
            (),
            chunks_of("nodes.md", "# Nodes\n\nA machine.\n\n## Limits\n\nMany."),
            chunks_of("volumes.md", "# Volumes\n\nA disk."),
        ]
        self._keys = ["pods.md", "empty.md", "nodes.md", "volumes.md"]

    def document_number(self, key: str) -> int | None:
        return self._keys.index(key) if key in self._keys else None

    def rows_of(self, number: int) -> range:
        start = sum(len(page) for page in self._pages[:number])
        return range(start, start + len(self._pages[number]))

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        every = [chunk for page in self._pages for chunk in page]
        return [every[row] for row in rows]

    def links(self, number: int) -> Iterable[int]:
        return [1, 2, 3] if number == 0 else []


def test_hits_become_passages_in_their_order() -> None:
    chunks = chunks_of("pods.md", PODS)
    supply = VectorProvider(Searching(chunks[2], chunks[0], chunks[1])).passages(ASKED, 2)
    assert [passage.id for passage in supply.passages] == ["pods-3", "pods-1"]
    assert supply.left_out == (LEFT_OUT,)
    first = supply.passages[0]
    assert (first.label, first.identifier) == ("Pods > Networking > Ports", "pods.md#ports")
    assert (first.provider, first.trust_tier, first.score) == ("vector", "first-party", 0.9)


def test_an_index_of_other_peoples_pages_has_their_tier() -> None:
    provider = VectorProvider(
        Searching(chunks_of("p.md", PODS)[0]), name="wiki", trust_tier="third-party-public"
    )
    (passage,) = provider.passages(ASKED, 5).passages
    assert (passage.provider, passage.trust_tier) == ("wiki", "third-party-public")


def test_a_passage_says_where_its_text_stands() -> None:
    chunk = chunks_of("pods.md", PODS)[3]
    said = dict(passage_of(chunk, provider="x", trust_tier="first-party").metadata)
    assert said["document"] == "pods.md"
    assert PODS[int(said["start"]) : int(said["end"])] == chunk.text


def test_rows_that_were_split_off_stand_below_their_header() -> None:
    later = chunks_of("t.md", TABLE)[1]
    passage = passage_of(later, provider="x", trust_tier="first-party")
    assert passage.text == f"| name | use |\n|---|---|\n{later.text}"


def neighbours(*rows: int, seeds: int = 3, links: int = 2) -> list[str]:
    pages = Generation()
    chunks = pages.chunks(rows)
    provider = GraphProvider(Searching(*chunks), IndexGraph(pages), seeds=seeds, links=links)
    supply = provider.passages(ASKED, 20)
    places = [passage.score for passage in supply.passages]
    assert places == [1 / (place + 1) for place in range(len(places))]
    assert {passage.provider for passage in supply.passages} <= {"graph"}
    assert supply.left_out == (LEFT_OUT,)
    return [passage.id for passage in supply.passages]


def test_neighbours_are_next_before_above_and_linked() -> None:
    # pods-4 is "Names": next "Storage", before "Ports", above "Networking", then linked pages
    assert neighbours(3) == ["pods-5", "pods-3", "pods-2", "nodes-1", "volumes-1"]


def test_the_section_above_may_be_the_page() -> None:
    assert neighbours(4, links=0) == ["pods-4", "pods-1"]


def test_the_first_chunk_has_nothing_before_or_above() -> None:
    assert neighbours(0, links=1) == ["pods-2", "nodes-1"]


def test_seeds_are_not_their_own_neighbours_and_take_turns() -> None:
    # of pods-3: pods-4, pods-2; of pods-5: pods-4, pods-1
    assert neighbours(2, 4, links=0) == ["pods-4", "pods-2", "pods-1"]


def test_only_the_best_hits_are_seeds() -> None:
    assert neighbours(4, 0, seeds=1, links=0) == ["pods-4", "pods-1"]


def test_no_hits_have_no_neighbours() -> None:
    assert neighbours() == []


def test_a_page_that_is_not_in_the_index_has_no_neighbours() -> None:
    other = chunks_of("other.md", PODS)[1]
    provider = GraphProvider(Searching(other), IndexGraph(Generation()))
    assert provider.passages(ASKED, 5).passages == ()


def test_no_more_than_asked_for() -> None:
    pages = Generation()
    provider = GraphProvider(Searching(pages.chunks([3])[0]), IndexGraph(pages))
    assert len(provider.passages(ASKED, 2).passages) == 2
