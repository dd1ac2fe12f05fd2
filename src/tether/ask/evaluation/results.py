"""What a whole set of recorded questions came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import Any

from tether.ask.evaluation.grading import Grade
from tether.ask.evaluation.questions import Expectation


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One question asked: what was expected, what came, and what it cost.

    `prompt_tokens` and `answer_tokens` are of the last attempt, as they were counted for the
    model; `attempts` is 0 where the model was not asked.
    """

    id: str
    kind: str
    expect: Expectation
    verdict: str
    reason: str
    text: str
    grade: Grade
    attempts: int
    milliseconds: float
    prompt_tokens: int
    answer_tokens: int
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self) | {"right": self.grade.right}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The counts of some results; shares of nothing are None."""

    kind: str
    asked: int
    verdicts: int
    right: int
    answered: int
    links: int
    quotes: int
    retries: int
    median_ms: float
    p95_ms: float
    tokens: int

    @classmethod
    def of(cls, kind: str, results: Sequence[Result]) -> Summary:
        """Count results, of which there is one at least."""
        times = [result.milliseconds for result in results]
        return cls(
            kind=kind,
            asked=len(results),
            verdicts=sum(result.grade.verdict for result in results),
            right=sum(result.grade.right for result in results),
            answered=sum(result.verdict == "answered" for result in results),
            links=sum(result.grade.links for result in results),
            quotes=sum(result.grade.quotes for result in results),
            retries=sum(max(result.attempts - 1, 0) for result in results),
            median_ms=median(times),
            p95_ms=quantiles(times, n=20)[-1] if len(times) > 1 else times[0],
            tokens=sum(result.prompt_tokens + result.answer_tokens for result in results),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


def summarise(results: Sequence[Result]) -> list[Summary]:
    """Return the counts of each kind, in order of appearance, and of all together last."""
    kinds = dict.fromkeys(result.kind for result in results)
    by_kind = [
        Summary.of(kind, [result for result in results if result.kind == kind]) for kind in kinds
    ]
    return [*by_kind, Summary.of("all", results)] if results else []
