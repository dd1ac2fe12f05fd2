"""The pages that are offered where there is no answer, and verdicts that are in doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tether.retrieval.chunk import Chunk
from tether.retrieval.hit import LEAST_ODDS, Hit, Verdict, nearest_pages


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


@pytest.mark.parametrize(
    ("sufficient", "probability", "in_doubt"),
    [
        (True, 0.9, False),
        (True, 1.0, False),
        (False, 0.49, True),
        (False, 0.12, True),
        (False, 0.11, False),
        (False, 0.0, False),
    ],
)
def test_a_verdict_is_in_doubt_a_little_below_the_threshold(
    sufficient: bool, probability: float, in_doubt: bool
) -> None:
    verdict = Verdict(sufficient=sufficient, probability=probability, threshold=0.5)
    assert verdict.in_doubt is in_doubt
    least = LEAST_ODDS / (1 + LEAST_ODDS)
    assert Verdict(sufficient=False, probability=least + 1e-9, threshold=0.5).in_doubt
