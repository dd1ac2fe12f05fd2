"""The judge: a cross-encoder that reads question and passage together, and its time budget."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tether.core.checks import Checks
from tether.core.plain_data import canonical_json
from tether.retrieval.dense.onnx_model import OnnxModel
from tether.retrieval.errors import InvalidRetrievalSettings, JudgeFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.ports import Judge

ROOM_FOR_A_PASSAGE = 16
SPECIAL_TOKENS = 3

QUESTION = "How is the time that a search may take kept?"
PASSAGE = " ".join(["Search > Limits\nA passage of usual length is read, and the time noted."] * 14)
"""About 200 tokens, the usual length of a passage."""

TIMED = 6
"""Passages timed together: enough for every core of a small machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """The part of each pair that the judge reads.

    A question keeps up to `max_question_tokens`, and the passage gets the rest of `max_tokens`,
    with which the included judge was trained. `threads` pairs are read at a time, 0 for one on each
    core; it changes no score.
    """

    max_tokens: int = 288
    max_question_tokens: int = 96
    threads: int = 0

    def __post_init__(self) -> None:
        check = Checks()
        question = check.whole_number("max_question_tokens", self.max_question_tokens)
        least = question + SPECIAL_TOKENS + ROOM_FOR_A_PASSAGE
        check.whole_number("max_tokens", self.max_tokens, least=least)
        check.whole_number("threads", self.threads, least=0)
        check.done(InvalidRetrievalSettings)


class Opinion(NamedTuple):
    """The opinion of the judge on one passage, in logits that compare only within one question."""

    relevance: float
    answers: float


class OnnxJudge:
    """Reads each pair of question and passage by itself with a cross-encoder.

    The file takes `[CLS] question [SEP] passage [SEP]` with token types 1 on the passage, and
    returns one or two logits: relevance, and whether the passage answers the question. Scores
    depend on their pair alone, to the bit. Without paths it is the included judge. Files are read
    on first use; every failure is a `JudgeFailed`. Several threads may share it.
    """

    __slots__ = ("_fingerprint", "_model", "_settings")

    def __init__(
        self,
        *,
        path: Path | None = None,
        vocabulary: Path | None = None,
        settings: JudgeSettings | None = None,
    ) -> None:
        folder = Path(str(files("tether.retrieval").joinpath("models")))
        self._settings = settings or JudgeSettings()
        self._fingerprint = ""
        self._model = OnnxModel(
            path or folder / "judge.int8.onnx",
            vocabulary or folder / "vocab.txt",
            threads=self._settings.threads,
            failure=JudgeFailed,
        )

    def __repr__(self) -> str:
        return f"OnnxJudge({self._model.name!r})"

    @property
    def fingerprint(self) -> str:
        """The name of the file, and a digest of it and its settings; raises `JudgeFailed`."""
        if not self._fingerprint:
            settings = self._settings
            words = self._model.vocabulary()
            limits = [settings.max_tokens, settings.max_question_tokens]
            parts = canonical_json([self._model.digest(), words, limits])
            self._fingerprint = (
                f"{self._model.name}:{hashlib.sha256(parts.encode()).hexdigest()[:32]}"
            )
        return self._fingerprint

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return the relevance of each passage; raises `JudgeFailed`."""
        return [float(logits[0]) for logits in self._logits(question, passages)]

    def opinions(self, question: str, passages: Sequence[str]) -> list[Opinion]:
        """Return both logits of each passage; raises `JudgeFailed` if the file returns only one."""
        both = self._logits(question, passages)
        if any(len(logits) < 2 for logits in both):
            message = f"{self._model.name} does not say whether a passage answers a question"
            raise JudgeFailed(message, retryable=False)
        return [Opinion(float(logits[0]), float(logits[1])) for logits in both]

    def _logits(self, question: str, passages: Sequence[str]) -> list[NDArray[np.float32]]:
        words, settings = self._model.words, self._settings
        outputs = self._model.run_all(
            words.pair(
                question,
                passage,
                most=settings.max_tokens,
                most_first=settings.max_question_tokens,
            )
            for passage in passages
        )
        if any(output.shape not in ((1,), (2,)) for output in outputs):
            raise JudgeFailed(f"{self._model.name} is not a cross-encoder", retryable=False)
        return outputs


class NoOpJudge:
    """Scores every passage the same, so that the order is left to the lanes."""

    __slots__ = ()

    @property
    def fingerprint(self) -> str:
        """Empty, because no score depends on this judge."""
        return ""

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return zeros."""
        return [0.0] * len(passages)


def judge_best(judge: Judge, forms: Sequence[str], passages: Sequence[str]) -> list[float]:
    """Return the best score of each passage over the forms; zeros without a form.

    Raises `JudgeFailed` if a judge returns the wrong number of scores, or one that is not finite: a
    NaN would silently win or lose every comparison.
    """
    if not forms:
        return [0.0] * len(passages)
    readings = [_checked(judge.score(form, passages), len(passages)) for form in forms]
    return [max(scores) for scores in zip(*readings, strict=True)]


def _checked(scores: list[float], expected: int) -> list[float]:
    if len(scores) != expected:
        message = f"the judge was given {expected} passages and scored {len(scores)}"
        raise JudgeFailed(message, retryable=False)
    if not all(map(math.isfinite, scores)):
        raise JudgeFailed("the judge gave a score that is not a finite number")
    return scores


Clock = Callable[[], float]
"""Returns the time in seconds, from any start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBudget:
    """The budget of the judge in a search: a number of `passages`, or `milliseconds`.

    With `passages`, a search gives the same result on every machine. Without, their number depends
    on the speed of the machine, and is at most `most`.
    """

    milliseconds: float = 400.0
    passages: int | None = None
    most: int = 30

    def __post_init__(self) -> None:
        check = Checks()
        if not self.milliseconds >= 0:
            check.refuse("milliseconds", self.milliseconds, "a number of at least 0")
        check.whole_number("passages", self.passages or 0, least=0)
        check.whole_number("most", self.most, least=0)
        check.done(InvalidRetrievalSettings)


class JudgePace:
    """Measures once, at the first question, how long a judge takes for a passage.

    Raises `JudgeFailed` if the judge fails; a judge without an opinion takes no time.
    """

    __slots__ = ("_clock", "_judge", "_seconds")

    def __init__(self, judge: Judge, *, clock: Clock = time.perf_counter) -> None:
        self._judge = judge
        self._clock = clock
        self._seconds: float | None = None

    def passages(self, budget: JudgeBudget) -> int:
        """Return the number of passages that the budget allows."""
        if budget.passages is not None:
            return budget.passages
        seconds = self.seconds_a_passage
        if budget.milliseconds >= budget.most * seconds * 1000:
            return budget.most
        return int(budget.milliseconds / 1000 / seconds)

    @property
    def seconds_a_passage(self) -> float:
        """The time for one passage among several, measured on first use."""
        if self._seconds is None:
            self._judge.score(QUESTION, [PASSAGE])  # loads the model
            started = self._clock()
            self._judge.score(QUESTION, [PASSAGE] * TIMED)
            self._seconds = (self._clock() - started) / TIMED
        return self._seconds
