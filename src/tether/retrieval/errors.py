"""Errors of sources, readers, the index, search and calibration."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Unpack

from tether.core.errors import Aborted, InvalidInput, Overrides, RunError, error_text


class InvalidRetrievalSettings(InvalidInput):
    """A reader, chunker, lane, index or assembly was given settings it cannot work with."""

    default_code = "E_INVALID_RETRIEVAL_SETTINGS"
    subject = "retrieval settings"


class InvalidInitialChunkValue(InvalidInput):
    """A chunk needs an id, a document, a text, and a place that does not end before it begins."""

    default_code = "E_INVALID_INITIAL_CHUNK_VALUE"
    subject = "chunk"


class InvalidInitialPassageValue(InvalidInput):
    """A passage needs an id, text, an origin and a trust tier."""

    default_code = "E_INVALID_INITIAL_PASSAGE_VALUE"
    subject = "passage"


class DocumentUnreadable(RunError):
    """One document could not be turned into text; the message is the reason that `status` shows."""

    default_code = "E_DOCUMENT_UNREADABLE"
    default_status = 422


class SourceUnavailable(RunError):
    """A folder, file, site or sitemap could not be scanned at all, so nothing is known about it."""

    default_code = "E_SOURCE_UNAVAILABLE"
    default_status = 502
    default_retryable = True


class IndexMissing(RunError):
    """The path has no index, or no finished generation of one."""

    default_code = "E_INDEX_MISSING"
    default_status = 404
    default_help = "Make one with `tether index apply`."


class IndexLocked(RunError):
    """Another process writes the index; the message says which one and since when."""

    default_code = "E_INDEX_LOCKED"
    default_status = 423
    default_retryable = True


class IndexWriteFailed(RunError):
    """The disk refused a write; the last committed generation still answers."""

    default_code = "E_INDEX_WRITE_FAILED"
    default_status = 507
    default_retryable = True
    default_help = "Name another place with `--index FOLDER`, or for all indexes with TETHER_DATA."


class IndexDamaged(RunError):
    """A file of the index was changed after it was written; `file` names it."""

    default_code = "E_INDEX_DAMAGED"
    default_status = 500
    default_help = "Run `tether index check`, then `rollback`, `apply --rebuild` or `--recreate`."

    def __init__(
        self, message: str = "", *, file: str = "", **overrides: Unpack[Overrides]
    ) -> None:
        super().__init__(message, **overrides)
        self.file = file


class IndexFormatUnsupported(RunError):
    """The index was written in a format that this version does not read."""

    default_code = "E_INDEX_FORMAT_UNSUPPORTED"
    default_status = 409


class EmbedderMismatch(RunError):
    """The index has vectors of another embedder than the current one."""

    default_code = "E_EMBEDDER_MISMATCH"
    default_status = 409
    default_help = "Use that embedder, or run `tether index migrate`."


class EmbeddingFailed(RunError):
    """The embedder returned no vectors; searches continue with the lexical lanes and say so."""

    default_code = "E_EMBEDDING_FAILED"
    default_status = 502
    default_retryable = True


class JudgeFailed(RunError):
    """The judge returned no scores; searches continue without its vote and say so."""

    default_code = "E_JUDGE_FAILED"
    default_status = 502
    default_retryable = True


class ProviderFailed(RunError):
    """A provider of passages failed; the others continue and the trace names it."""

    default_code = "E_PROVIDER_FAILED"
    default_status = 502
    default_retryable = True


class CalibrationMismatch(RunError):
    """The calibration was made for another embedder, judge, chunker or mix."""

    default_code = "E_CALIBRATION_MISMATCH"
    default_status = 409
    default_help = "Run `tether calibrate` again."


class CalibrationImpossible(RunError):
    """There are too few questions to fit a floor."""

    default_code = "E_CALIBRATION_IMPOSSIBLE"
    default_status = 422


@contextmanager
def costing_its_part(failure: type[EmbeddingFailed | JudgeFailed], port: str) -> Generator[None]:
    """Turn whatever an embedder or a judge raises into its `failure`, with the type of the error.

    A port may be anybody's code. A mistake in it costs one part of a search, not the search.
    """
    try:
        yield
    except (failure, Aborted):
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error_text(error)}"
        raise failure(f"the {port} raised {what}", retryable=False) from error
