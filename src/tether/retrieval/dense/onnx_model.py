"""An ONNX model that reads tokens; the only module that uses ONNX Runtime."""

from __future__ import annotations

import hashlib
import math
import os
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from tether.core.errors import RunError, error_text
from tether.retrieval.dense.model_file import ModelFile
from tether.retrieval.dense.word_pieces import Tokens, WordPieces, read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))

TIMED = Tokens(ids=[1] * 64, types=[0] * 64)
"""A text of usual length. A model is timed with it before the first real one."""


class OnnxModel:
    """Runs texts through a model one by one, several at a time on separate threads.

    There are no batches: a batch pads its texts, and with an int8 model the result of a text then
    depends on the other texts. One text on each core also uses the cores better than one text on
    all of them. The file is read with the first text. Every failure is raised as `failure`.

    It knows its pace: the least processor time for a token of any text so far. A busy machine does
    not change processor time much, and the least of many hardly at all.
    """

    __slots__ = (
        "_distribution",
        "_failure",
        "_inputs",
        "_lock",
        "_pace",
        "_path",
        "_session",
        "_threads",
        "_vocabulary",
        "_words",
    )

    def __init__(
        self,
        path: Path | ModelFile,
        vocabulary: Path,
        *,
        threads: int,
        failure: type[RunError],
    ) -> None:
        file = path if isinstance(path, ModelFile) else ModelFile(path)
        self._path = file.path
        self._distribution = file.distribution
        self._vocabulary = vocabulary
        self._words: WordPieces | None = None
        self._threads = threads or os.cpu_count() or 1
        self._failure = failure
        self._lock = Lock()
        self._pace = math.inf
        self._session: InferenceSession | None = None
        self._inputs: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of the file without its ending."""
        return self._path.stem

    def vocabulary(self) -> list[str]:
        """Return the tokens of the vocabulary."""
        return read_vocabulary(self._vocabulary, self._failure)

    @property
    def words(self) -> WordPieces:
        """The tokenizer; the vocabulary is read on first use."""
        if self._words is None:
            self._words = WordPieces(self.vocabulary())
        return self._words

    def digest(self) -> str:
        """Return the SHA-256 of the file."""
        try:
            with self._path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise self._unreadable(error) from error

    def run_all(self, texts: Iterable[Tokens]) -> list[NDArray[np.float32]]:
        """Return the model's first output for each text, without the dimension of the batch."""
        session = self._loaded()
        given = list(texts)
        workers = min(self._threads, len(given))
        if workers <= 1:
            return [self._run(session, tokens) for tokens in given]
        pool = ThreadPoolExecutor(workers, thread_name_prefix="tether-onnx")
        try:
            return list(pool.map(lambda tokens: self._run(session, tokens), given))
        finally:
            pool.shutdown(cancel_futures=True)

    def fitting(self, texts: Sequence[Tokens], seconds: float) -> int:
        """Return how many of the texts, from the first on, can be read in that processor time."""
        if seconds == math.inf:
            return len(texts)
        if self._pace == math.inf:
            self.run_all([TIMED])  # the first run of a session is slower
            self.run_all([TIMED])
        left, count = seconds, 0
        for text in texts:
            left -= len(text.ids) * self._pace
            if left < 0:
                break
            count += 1
        return count

    def _run(self, session: InferenceSession, tokens: Tokens) -> NDArray[np.float32]:
        feed = {
            "input_ids": np.array([tokens.ids], np.int64),
            "attention_mask": np.ones((1, len(tokens.ids)), np.int64),
            "token_type_ids": np.array([tokens.types], np.int64),
        }
        wanted = {name: array for name, array in feed.items() if name in self._inputs}
        started = time.thread_time()
        try:
            output = np.asarray(session.run(None, wanted)[0])
        except Exception as error:  # ONNX Runtime's errors share no base class
            message = f"{self._path.name} failed on {len(tokens.ids)} tokens: {error_text(error)}"
            raise self._failure(message) from error
        if len(tokens.ids) >= len(TIMED.ids):
            self._pace = min(self._pace, (time.thread_time() - started) / len(tokens.ids))
        return self._checked(output)

    def _checked(self, output: NDArray[Any]) -> NDArray[np.float32]:
        """Return the output of one text, in which every number is finite."""
        if output.ndim < 2 or len(output) != 1:
            message = f"{self._path.name} cannot be used: its output has shape {output.shape}"
            raise self._failure(message, retryable=False)
        single: NDArray[np.float32] = output[0].astype(np.float32, copy=False)
        if not np.isfinite(single).all():
            raise self._failure(f"{self._path.name} returned numbers that are not finite")
        return single

    def _loaded(self) -> InferenceSession:
        with self._lock:
            if self._session is None:
                self._session, self._inputs = self._load()
            return self._session

    def _load(self) -> tuple[InferenceSession, frozenset[str]]:
        # Read when ONNX Runtime is imported: without it, ONNX Runtime sends usage data.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        try:
            import onnxruntime  # noqa: PLC0415  # only with tether-kit[ask]
        except ImportError as error:
            message = "running a model needs onnxruntime: pip install tether"
            raise self._failure(message, retryable=False) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors are raised, so no log is needed
        try:
            session = onnxruntime.InferenceSession(
                self._path.read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except OSError as error:
            raise self._unreadable(error) from error
        except Exception as error:  # ONNX Runtime's errors share no base class
            message = f"{self._path.name} is not a model that can be run: {error_text(error)}"
            raise self._failure(message, retryable=False) from error
        return session, self._understood({entry.name for entry in session.get_inputs()})

    def _understood(self, inputs: set[str]) -> frozenset[str]:
        if "input_ids" not in inputs or inputs - INPUTS:
            named = ", ".join(sorted(inputs))
            message = f"{self._path.name} expects {named}, but only token numbers can be provided"
            raise self._failure(message, retryable=False)
        return frozenset(inputs)

    def _unreadable(self, error: OSError) -> RunError:
        if self._distribution and isinstance(error, FileNotFoundError):
            message = f"{self._path.name} comes with {self._distribution}, which is not installed"
            return self._failure(f"{message}: pip install tether", retryable=False)
        reason = error.strerror or type(error).__name__
        return self._failure(f"{self._path} cannot be read: {reason}", retryable=False)
