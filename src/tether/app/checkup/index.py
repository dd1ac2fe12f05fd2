"""The index: there, whole, calibrated, in step?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tether.app.checkup.finding import Finding
from tether.app.keeping import HOW
from tether.app.parts import Searching, open_index
from tether.core.errors import CalibrationMismatch, IndexMissing, TetherError

if TYPE_CHECKING:
    from tether.retrieval.index.index import Index
    from tether.retrieval.index.status import Status


def index(folder: Path, *, docs: tuple[str, ...]) -> Iterator[Finding]:
    """Look at every byte of the index in a folder, and at its floor."""
    try:
        kept = open_index(folder)
        status = kept.status()
        damages = kept.check()
    except IndexMissing:
        if docs:
            yield Finding("index", "fine", f"none in {folder} yet; the first question makes it")
        else:
            yield Finding("index", "problem", f"there is none in {folder}", HOW)
        return
    except TetherError as error:
        yield Finding("index", "problem", error.message, error.help)
        return
    for damage in damages:
        advice = "Run `tether index rollback`, or `tether index apply --recreate SOURCE`."
        yield Finding("index", "problem", f"{damage.file} is damaged: {damage.what}", advice)
    yield _content(status)
    yield _floor(kept, status)


def _content(status: Status) -> Finding:
    text = f"generation {status.generation}, {status.documents} documents, {status.chunks} passages"
    if not status.chunks:
        return Finding("index", "problem", text, "Index something: `tether index apply FOLDER`.")
    if status.troubled:
        said = f"{text}; {len(status.troubled)} documents could not be read"
        return Finding("index", "note", said, "`tether index status` names them, with reasons.")
    if status.embedded < status.chunks:
        said = f"{text}, {status.chunks - status.embedded} of them without vectors"
        return Finding("index", "note", said, "Run `tether index embed`.")
    return Finding("index", "fine", text)


def _floor(kept: Index, status: Status) -> Finding:
    if not status.is_calibrated:
        said = "not calibrated: what the documents do not cover is refused less well"
        return Finding("floor", "note", said, "Run `tether calibrate`.")
    try:
        with kept.snapshot() as snapshot:
            Searching.of(snapshot)
    except CalibrationMismatch as error:
        return Finding("floor", "problem", error.message, error.help)
    if status.calibration_is_stale:
        said = "calibrated for documents that changed since"
        return Finding("floor", "note", said, "Run `tether calibrate` again when much changed.")
    return Finding("floor", "fine", "calibrated")
