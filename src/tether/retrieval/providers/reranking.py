"""Orders passages by a judge who reads them beside the question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tether.core.errors import JudgeFailed, error_text
from tether.retrieval.hit import LeftOut
from tether.retrieval.judging.best import judge_best
from tether.retrieval.providers.provider import Supply

if TYPE_CHECKING:
    from tether.retrieval.ports import Judge
    from tether.retrieval.query import Query


def rerank(supply: Supply, query: Query, judge: Judge, *, most: int = 30) -> Supply:
    """Return the supply with its first `most` passages in the judge's order, the others behind.

    A passage's score is then the best that the judge gives it for the question or its rewrite;
    equal ones stay in their order. A judge without an opinion (`NoOpJudge`) passes everything
    through, and one that fails is left out and named.
    """
    read, rest = supply.passages[:most], supply.passages[most:]
    if not judge.fingerprint or not read or not query.judged:
        return supply
    texts = [f"{passage.label}\n{passage.text}" for passage in read]
    try:
        scores = judge_best(judge, query.judged, texts)
    except JudgeFailed as error:
        failed = LeftOut(part="judge", reason=error_text(error))
        return replace(supply, left_out=(*supply.left_out, failed))
    scored = [replace(passage, score=score) for passage, score in zip(read, scores, strict=True)]
    order = sorted(scored, key=lambda passage: -passage.score)
    return replace(supply, passages=(*order, *rest))
