"""The judge: a cross-encoder that reads a question and a text together."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tether.core.checks import Checks
from tether.core.plain_data import canonical_json
from tether.retrieval.dense.model_file import VOCABULARY, included
from tether.retrieval.dense.onnx_model import OnnxModel
from tether.retrieval.errors import InvalidRetrievalSettings, JudgeFailed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.dense.word_pieces import Tokens
    from tether.retrieval.ports import Judge

ROOM_FOR_A_PASSAGE = 16
SPECIAL_TOKENS = 3

UNIT_TOKENS, UNIT_QUESTION_TOKENS = 80, 40
"""How much is read of a unit with its question, and of the question. The included judge was trained
with 112, and the rest of a long unit, which is code, does not change its mind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """The part of each pair that the judge reads.

    A question keeps up to `max_question_tokens`, and the passage gets the rest of `max_tokens`,
    with which the included judge was trained. `threads` pairs are read at a time, 0 for one on each
    core; it changes no score.
    """

    max_tokens: int = 448
    max_question_tokens: int = 96
    threads: int = 0

    def __post_init__(self) -> None:
        check = Checks()
        question = check.whole_number("max_question_tokens", self.max_question_tokens)
        least = question + SPECIAL_TOKENS + ROOM_FOR_A_PASSAGE
        check.whole_number("max_tokens", self.max_tokens, least=least)
        check.whole_number("threads", self.threads, least=0)
        check.done(InvalidRetrievalSettings)


class OnnxJudge:
    """Reads each pair of question and passage by itself with a cross-encoder.

    The file takes `[CLS] question [SEP] text [SEP]` with token types 1 on the text, and returns one
    or two logits: how relevant a passage is, and whether a unit answers the question. Scores depend
    on their pair alone, to the bit. Without paths it is the included judge. Files are read on first
    use; every failure is a `JudgeFailed`. Several threads may share it.
    """

    __slots__ = ("_fingerprint", "_model", "_settings")

    def __init__(
        self,
        *,
        path: Path | None = None,
        vocabulary: Path | None = None,
        settings: JudgeSettings | None = None,
    ) -> None:
        own = included("judge.int8.onnx", beside="tether.retrieval", distribution="tether-models")
        self._settings = settings or JudgeSettings()
        self._fingerprint = ""
        self._model = OnnxModel(
            path or own,
            vocabulary or VOCABULARY,
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
        return [float(logits[0]) for logits in self._logits(self._passages(question, passages))]

    def fitting(self, question: str, passages: Sequence[str], milliseconds: float) -> int:
        """Return how many passages, from the first on, can be read in so much processor time.

        It follows from the speed of the machine, not from its load. Raises `JudgeFailed`.
        """
        return self._model.fitting(self._passages(question, passages), milliseconds / 1000)

    def answers(
        self, question: str, units: Sequence[str], milliseconds: float = math.inf
    ) -> list[float]:
        """Return how surely each unit answers the question, as a logit.

        A unit is a sentence, a list item, a row or code, after its nearest headings. Those that
        cannot be read in so much processor time have no logit. Raises `JudgeFailed`, also if the
        file returns only one logit.
        """
        pairs = self._pairs(question, units, UNIT_TOKENS, UNIT_QUESTION_TOKENS)
        count = self._model.fitting(pairs, milliseconds / 1000)
        both = self._logits(pairs[:count])
        if any(len(logits) < 2 for logits in both):
            message = f"{self._model.name} does not say whether a unit answers a question"
            raise JudgeFailed(message, retryable=False)
        return [float(logits[1]) for logits in both]

    def _passages(self, question: str, passages: Sequence[str]) -> list[Tokens]:
        settings = self._settings
        return self._pairs(question, passages, settings.max_tokens, settings.max_question_tokens)

    def _pairs(self, question: str, texts: Sequence[str], most: int, first: int) -> list[Tokens]:
        words = self._model.words
        return [words.pair(question, text, most=most, most_first=first) for text in texts]

    def _logits(self, pairs: Sequence[Tokens]) -> list[NDArray[np.float32]]:
        outputs = self._model.run_all(pairs)
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
