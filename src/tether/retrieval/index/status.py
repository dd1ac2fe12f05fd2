"""The status of an index, and one of its documents in full."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from tether.retrieval.index.folder import IN_STEP
from tether.retrieval.source import DocumentState, StateName

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.index.records import IndexedDocument, Outcome
    from tether.retrieval.index.rows import Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of an index.

    `states` counts the documents by their last state; `troubled` lists those that failed, with
    reasons, and `left_out` those that a rule leaves out or that have no text.
    `calibration_is_stale` if the content changed after the calibration. `in_step` is when the index
    was last compared with its sources, "" if that is not known.
    """

    generation: int
    previous: int | None
    created: str
    corpus_id: str
    sources: tuple[str, ...]
    documents: int
    chunks: int
    states: dict[str, int]
    troubled: tuple[DocumentState, ...]
    left_out: tuple[DocumentState, ...]
    chunker: str
    lanes: dict[str, str]
    embedder: str
    embedded: int
    is_calibrated: bool
    calibration_is_stale: bool
    bytes: int
    in_step: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A document of the current generation with its chunks and its last state."""

    document: IndexedDocument
    chunks: tuple[Chunk, ...]
    state: DocumentState | None


def status_of(rows: Rows, folder: Path) -> Status:
    """Return the state of an index; raises `IndexMissing` before the first generation."""
    with rows.together():
        generation = rows.current()
        heads = rows.heads()
        states = [state_of(outcome) for outcome in rows.outcomes().values()]
        sources = tuple(rows.sources())
    calibration = generation.calibration
    return Status(
        generation=generation.number,
        previous=heads.previous if heads else None,
        created=generation.created,
        corpus_id=generation.corpus_id,
        sources=sources,
        documents=generation.documents,
        chunks=generation.size,
        states=dict(sorted(Counter(state.state for state in states).items())),
        troubled=tuple(state for state in states if state.state == "failed"),
        left_out=tuple(filter(is_left_out, states)),
        chunker=generation.chunker,
        lanes=generation.lanes,
        embedder=generation.embedder,
        embedded=generation.embedded,
        is_calibrated=calibration is not None,
        calibration_is_stale=calibration is not None and calibration.corpus != generation.corpus_id,
        bytes=sum(_sizes(folder)),
        in_step=_in_step(folder),
    )


def _in_step(folder: Path) -> str:
    try:
        seconds = (folder / IN_STEP).stat().st_mtime
    except OSError:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _sizes(folder: Path) -> Iterator[int]:
    """Yield the sizes of the files; a writer may remove some in the meantime."""
    for inner, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                yield os.lstat(f"{inner}/{name}").st_size


def is_left_out(state: DocumentState) -> bool:
    """Return whether a document is not in the index although nothing failed."""
    return state.state in ("empty", "skipped")


def state_of(outcome: Outcome, *, unchanged: bool = False) -> DocumentState:
    """Return an outcome as the state of a document."""
    return DocumentState(
        key=outcome.key,
        state="unchanged" if unchanged else cast("StateName", outcome.state),
        reason=outcome.reason,
        chunks=outcome.chunks,
        notes=outcome.notes,
    )
