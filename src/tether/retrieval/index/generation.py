"""A generation: which versions of which documents are searched together, and in which arrays."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from tether.core.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable

GENERATIONS = "generations"
DENSE = "dense-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One document of a generation, at its position: documents are in the order of their keys."""

    version: int
    key: str
    source: str
    content: str
    reading: str
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A floor that was fitted, with what it holds for: another basis makes it worthless.

    `corpus` is the content it was fitted on; it stays usable when that changes, and says so.
    """

    text: str
    basis: str
    corpus: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What is known of a generation without opening its arrays.

    `corpus_id` is the hash of its content: equal for two indexes of the same documents, however
    they came about. `manifest` and `dense_manifest` are checksums; `dense` names the folder of the
    vectors, "" where there are none; `embedded` counts the rows that have one.
    """

    number: int
    created: str
    corpus_id: str
    documents: int
    size: int
    chunker: str
    lanes: dict[str, str]
    manifest: str
    embedder: str = ""
    embedded: int = 0
    dense: str = ""
    dense_manifest: str = ""
    calibration: Calibration | None = field(default=None)

    @property
    def folder(self) -> str:
        """Where its arrays lie, from the index's folder."""
        return f"{GENERATIONS}/{self.number}"

    @property
    def basis(self) -> str:
        """What a calibration of this generation depends on."""
        return canonical_json(
            {"chunker": self.chunker, "embedder": self.embedder, "lanes": self.lanes}
        )

    def to_text(self) -> str:
        """Return the generation as it is stored."""
        return canonical_json(asdict(self))


def generation_from(text: bytes) -> Generation:
    """Return a generation that was stored; its seal has been checked."""
    facts = json.loads(text)
    calibration = facts.pop("calibration")
    return Generation(**facts, calibration=Calibration(**calibration) if calibration else None)


def corpus_id(entries: Iterable[Entry]) -> str:
    """Return the hash of the content: keys, bytes, and how they were read and cut."""
    hasher = sha256()
    for entry in entries:
        hasher.update(canonical_json([entry.key, entry.content, entry.reading]).encode())
    return hasher.hexdigest()


def calibration_for(generation: Generation, calibration: Calibration | None) -> Calibration | None:
    """Return the calibration if it still holds for the generation."""
    if calibration is None or calibration.basis != generation.basis:
        return None
    return calibration


def calibration_note(before: Generation | None, after: Generation) -> tuple[str, ...]:
    """Return what to say where a calibration was dropped on the way to a generation."""
    if before is None or before.calibration is None or after.calibration is not None:
        return ()
    return ("the calibration no longer holds and was dropped; run `tether calibrate` again",)
