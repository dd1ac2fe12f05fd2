"""The pages that are offered where there is no answer."""

from __future__ import annotations

from dataclasses import replace

from tether.retrieval.chunk import Chunk
from tether.retrieval.hit import Hit, nearest_pages


def hit(document: str, url: str = "") -> Hit:
    chunk = replace(Chunk.whole("It opens.", id=document, document=document), url=url)
    return Hit(chunk=chunk, rank=1, score=0.5, fused=0, boost=1, votes=())


def test_each_address_is_named_once_and_the_best_come_first() -> None:
    copies = (
        hit("ch14.html", "https://docs.test/gates"),
        hit("gates.html", "https://docs.test/gates"),
    )
    found = nearest_pages((*copies, hit("doors.md"), hit("doors.md"), hit("keys.md"), hit("a.md")))
    assert [page.url for page in found] == ["https://docs.test/gates", "doors.md", "keys.md"]
