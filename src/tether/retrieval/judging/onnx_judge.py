"""The judge that runs here: a cross-encoder in an ONNX file, ours by default."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tether.core.canonical import canonical_json
from tether.core.errors import InvalidRetrievalSettings, JudgeFailed, Problem
from tether.retrieval.dense.onnx_model import OnnxModel
from tether.retrieval.dense.vocabulary import read_vocabulary
from tether.retrieval.dense.word_pieces import WordPieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

ROOM_FOR_A_PASSAGE = 16
SPECIAL_TOKENS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """How much the judge reads of each pair: the passage's end is cut first.

    A question keeps up to `max_question_tokens`, and the passage gets what is left of
    `max_tokens`, which is what the shipped judge was trained with. `threads` pairs are read at a
    time, all cores where it is 0; it changes no score.
    """

    max_tokens: int = 288
    max_question_tokens: int = 96
    threads: int = 0

    def __post_init__(self) -> None:
        least = self.max_question_tokens + SPECIAL_TOKENS + ROOM_FOR_A_PASSAGE
        problems = [
            Problem(name, message)
            for name, message, is_wrong in (
                ("max_question_tokens", "is 1 or more", self.max_question_tokens < 1),
                ("max_tokens", f"is {least} or more, for a passage", self.max_tokens < least),
                ("threads", "is 0 or more", self.threads < 0),
            )
            if is_wrong
        ]
        if problems:
            raise InvalidRetrievalSettings(problems)


class Opinion(NamedTuple):
    """What the judge says of one passage, in logits that only compare within one question."""

    relevance: float
    answers: float


class OnnxJudge:
    """Reads each pair of question and passage by itself with a cross-encoder.

    The file takes `[CLS] question [SEP] passage [SEP]` with token types 1 on the passage, and
    gives one or two logits: relevance, and whether the passage answers the question. Scores
    depend on their pair alone, to the bit. Without paths it is the shipped judge. Files are read
    when they are first needed; every failure is a `JudgeFailed`. Several threads may share it.
    """

    __slots__ = ("_fingerprint", "_model", "_name", "_settings", "_vocabulary", "_words")

    def __init__(
        self,
        *,
        path: Path | None = None,
        vocabulary: Path | None = None,
        settings: JudgeSettings | None = None,
    ) -> None:
        folder = Path(str(files("tether.retrieval").joinpath("models")))
        file = path or folder / "judge.int8.onnx"
        self._settings = settings or JudgeSettings()
        self._name = file.stem
        self._vocabulary = vocabulary or folder / "vocab.txt"
        self._words: WordPieces | None = None
        self._fingerprint = ""
        threads = self._settings.threads or os.cpu_count() or 1
        self._model = OnnxModel(file, threads=threads, failure=JudgeFailed)

    def __repr__(self) -> str:
        return f"OnnxJudge({self._name!r})"

    @property
    def fingerprint(self) -> str:
        """The file's name, and a digest of what scores depend on; raises `JudgeFailed`."""
        if not self._fingerprint:
            settings = self._settings
            words = read_vocabulary(self._vocabulary, JudgeFailed)
            limits = [settings.max_tokens, settings.max_question_tokens]
            parts = canonical_json([self._model.digest(), words, limits])
            self._fingerprint = f"{self._name}:{hashlib.sha256(parts.encode()).hexdigest()[:32]}"
        return self._fingerprint

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return the relevance of each passage; raises `JudgeFailed`."""
        return [float(logits[0]) for logits in self._logits(question, passages)]

    def opinions(self, question: str, passages: Sequence[str]) -> list[Opinion]:
        """Return both logits of each passage; raises `JudgeFailed` where the file gives one."""
        both = self._logits(question, passages)
        if any(len(logits) < 2 for logits in both):
            message = f"{self._name} does not say whether a passage answers a question"
            raise JudgeFailed(message, retryable=False)
        return [Opinion(float(logits[0]), float(logits[1])) for logits in both]

    def _logits(self, question: str, passages: Sequence[str]) -> list[NDArray[np.float32]]:
        words, settings = self._tokenizer(), self._settings
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
            raise JudgeFailed(f"{self._name} is no cross-encoder", retryable=False)
        return outputs

    def _tokenizer(self) -> WordPieces:
        if self._words is None:
            self._words = WordPieces(read_vocabulary(self._vocabulary, JudgeFailed))
        return self._words
