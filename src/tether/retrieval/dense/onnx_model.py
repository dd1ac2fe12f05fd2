"""An ONNX file that reads tokens: the one file that knows ONNX Runtime."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from tether.core.errors import EmbeddingFailed, JudgeFailed, error_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

    from tether.retrieval.dense.word_pieces import Tokens

INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))


class OnnxModel:
    """Runs texts through a model one by one, several at a time on threads of their own.

    Never in batches: a batch pads its texts, and an int8 model then gives each text other numbers
    in other company. One text on one core also makes better use of the cores than one text on all
    of them. The file is read when the first text comes. Every failure is raised as `failure`.
    """

    __slots__ = ("_failure", "_inputs", "_lock", "_path", "_session", "_threads")

    def __init__(
        self, path: Path, *, threads: int, failure: type[EmbeddingFailed | JudgeFailed]
    ) -> None:
        self._path = path
        self._threads = threads
        self._failure = failure
        self._lock = Lock()
        self._session: InferenceSession | None = None
        self._inputs: frozenset[str] = frozenset()

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

    def _run(self, session: InferenceSession, tokens: Tokens) -> NDArray[np.float32]:
        feed = {
            "input_ids": np.array([tokens.ids], np.int64),
            "attention_mask": np.ones((1, len(tokens.ids)), np.int64),
            "token_type_ids": np.array([tokens.types], np.int64),
        }
        wanted = {name: array for name, array in feed.items() if name in self._inputs}
        try:
            output = np.asarray(session.run(None, wanted)[0])
        except Exception as error:  # ONNX Runtime's errors have no class of their own in common
            message = f"{self._path.name} failed on {len(tokens.ids)} tokens: {error_text(error)}"
            raise self._failure(message) from error
        return self._checked(output)

    def _checked(self, output: NDArray[Any]) -> NDArray[np.float32]:
        """Return the output of one text, in which every number is finite."""
        if output.ndim < 2 or len(output) != 1:
            message = f"{self._path.name} is no model for this: its output has shape {output.shape}"
            raise self._failure(message, retryable=False)
        single: NDArray[np.float32] = output[0].astype(np.float32, copy=False)
        if not np.isfinite(single).all():
            raise self._failure(f"{self._path.name} gave numbers that are not finite")
        return single

    def _loaded(self) -> InferenceSession:
        with self._lock:
            if self._session is None:
                self._session, self._inputs = self._load()
            return self._session

    def _load(self) -> tuple[InferenceSession, frozenset[str]]:
        # Read when ONNX Runtime is imported: otherwise it reports its use to its makers, and
        # nothing here speaks to anybody unasked.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        try:
            import onnxruntime  # noqa: PLC0415  # only with tether[ask]
        except ImportError as error:
            message = "running a model needs onnxruntime: pip install 'tether[ask]'"
            raise self._failure(message, retryable=False) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors are raised; its log is for its authors
        try:
            session = onnxruntime.InferenceSession(
                self._path.read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except OSError as error:
            raise self._unreadable(error) from error
        except Exception as error:  # ONNX Runtime's errors have no class of their own in common
            message = f"{self._path.name} is not a model that can be run: {error_text(error)}"
            raise self._failure(message, retryable=False) from error
        return session, self._understood({entry.name for entry in session.get_inputs()})

    def _understood(self, inputs: set[str]) -> frozenset[str]:
        if "input_ids" not in inputs or inputs - INPUTS:
            named = ", ".join(sorted(inputs))
            message = f"{self._path.name} reads {named}, and only token numbers can be given to it"
            raise self._failure(message, retryable=False)
        return frozenset(inputs)

    def _unreadable(self, error: OSError) -> EmbeddingFailed | JudgeFailed:
        reason = error.strerror or type(error).__name__
        return self._failure(f"{self._path} cannot be read: {reason}", retryable=False)
