"""A generation: the versions of documents that are searched together, and their arrays."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from tether.core.plain_data import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable

GENERATIONS = "generations"
DENSE = "dense-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One document of a generation; its position is that of its key in sorted order."""

    version: int
    key: str
    source: str
    content: str
    reading: str
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A fitted floor and the basis it is valid for; with another basis it is worthless.

    `corpus` is the content it was fitted on. It stays usable if the content changes, but is stale.
    """

    text: str
    basis: str
    corpus: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """The facts about a generation that the database stores.

    `corpus_id` is the hash of its content, equal for two indexes of the same documents. `manifest`
    and `dense_manifest` are checksums; `dense` is the folder of the vectors, "" without vectors;
    `embedded` counts the rows with a vector.
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
        """The folder of its arrays, relative to the folder of the index."""
        return f"{GENERATIONS}/{self.number}"

    @property
    def basis(self) -> str:
        """Everything that a calibration of this generation depends on."""
        return canonical_json(
            {"chunker": self.chunker, "embedder": self.embedder, "lanes": self.lanes}
        )

    def to_text(self) -> str:
        """Return the generation as stored."""
        return canonical_json(asdict(self))


def generation_from(text: bytes) -> Generation:
    """Return a stored generation whose seal was checked."""
    facts = json.loads(text)
    calibration = facts.pop("calibration")
    return Generation(**facts, calibration=Calibration(**calibration) if calibration else None)


def corpus_id(entries: Iterable[Entry]) -> str:
    """Return the hash of the content: keys, bytes, and the way they were read and cut."""
    hasher = sha256()
    for entry in entries:
        hasher.update(canonical_json([entry.key, entry.content, entry.reading]).encode())
    return hasher.hexdigest()


def calibration_for(generation: Generation, calibration: Calibration | None) -> Calibration | None:
    """Return the calibration if it is valid for the generation."""
    if calibration is None or calibration.basis != generation.basis:
        return None
    return calibration


def calibration_note(before: Generation | None, after: Generation) -> tuple[str, ...]:
    """Return a note if the new generation lost its calibration."""
    if before is None or before.calibration is None or after.calibration is not None:
        return ()
    return ("the calibration is no longer valid and was dropped; run `tether calibrate` again",)
