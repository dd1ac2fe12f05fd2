"""An embedder or a judge of somebody's with a mistake in it costs its part, never the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from support.searched import Angles, Dense, Lexical, Marks, SmallIndex, at_angle
from tether.core.errors import Aborted
from tether.retrieval.chunk import Passage
from tether.retrieval.ports import Embedder
from tether.retrieval.providers.provider import Supply, rerank
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever

ASKED = Query(question="10", hypothetical="20")


def index() -> SmallIndex:
    vectors = np.array([at_angle(degrees) for degrees in (0, 30)])
    return SmallIndex([0, 1], Lexical({"10": {0: 2.0, 1: 1.0}}), dense=Dense(vectors))


@dataclass
class Raising(Angles):
    """Raises what it was given: at once, or for the made-up paragraph alone."""

    error: BaseException = field(default_factory=lambda: KeyError("vocabulary"))
    after: str = ""

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self.after or self.after in texts:
            raise self.error
        return super().embed_questions(texts)


class Narrow(Angles):
    """Returns vectors of another length than it says."""

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), np.float32)


class Nameless:
    """Cannot even say what it is."""

    dimensions = 2

    @property
    def fingerprint(self) -> str:
        raise OSError("no such file")

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise NotImplementedError

    embed_questions = embed_passages


@pytest.mark.parametrize(
    ("embedder", "reason"),
    [
        (Raising(), "the embedder raised KeyError: 'vocabulary'"),
        (Raising(after="20"), "the embedder raised KeyError: 'vocabulary'"),
        (Raising(error=ValueError()), "the embedder raised ValueError: ValueError"),
        (Narrow(), "the embedder returned (1, 1), not (1, 2) numbers"),
        (Nameless(), "the embedder raised OSError: no such file"),
    ],
)
def test_an_embedder_with_a_mistake_costs_its_lane_and_is_named(
    embedder: Embedder, reason: str
) -> None:
    findings = Retriever(index=index(), embedder=embedder).search(ASKED)
    assert [hit.chunk.number for hit in findings.hits] == [1, 2]
    assert ("dense", reason) in [(left.part, left.reason) for left in findings.left_out]


@pytest.mark.parametrize("error", [KeyboardInterrupt, Aborted("enough")])
def test_a_stop_is_never_taken_for_a_mistake(error: BaseException) -> None:
    retriever = Retriever(index=index(), embedder=Raising(error=error))
    with pytest.raises((KeyboardInterrupt, Aborted)):
        retriever.search(ASKED)


@dataclass
class Faulty(Marks):
    """Returns one score for any number of passages, or divides by zero."""

    scores: tuple[float, ...] = ()

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        return list(self.scores) or [1 / 0]


class NamelessJudge(Marks):
    """Cannot even say what it is."""

    def __getattribute__(self, name: str) -> object:
        if name == "fingerprint":
            raise OSError("no such file")
        return super().__getattribute__(name)


FAULTS = [
    (Faulty({}), "the judge raised ZeroDivisionError: division by zero"),
    (Faulty({}, scores=(1.0,)), "the judge was given 2 passages and scored 1"),
    (Faulty({}, scores=(1.0, float("nan"))), "the judge gave a score that is not a finite number"),
    (NamelessJudge({}), "the judge raised OSError: no such file"),
]


@pytest.mark.parametrize(("judge", "reason"), FAULTS)
def test_a_judge_with_a_mistake_costs_its_vote_and_is_named(judge: Marks, reason: str) -> None:
    findings = Retriever(index=index(), judge=judge).search(Query(question="10"))
    assert [hit.chunk.number for hit in findings.hits] == [1, 2]
    assert ("judge", reason) in [(left.part, left.reason) for left in findings.left_out]


@pytest.mark.parametrize(("judge", "reason"), FAULTS)
def test_so_it_does_among_the_passages_of_providers(judge: Marks, reason: str) -> None:
    passages = tuple(
        Passage(
            id=str(number),
            text=f"row {number}",
            label="",
            identifier=f"page{number}.md",
            provider="p",
            trust_tier="first-party",
        )
        for number in range(2)
    )
    supply = rerank(Supply(passages=passages), Query(question="10"), judge)
    assert supply.passages == passages
    assert [left.reason.rpartition("]: ")[2] for left in supply.left_out] == [reason]
