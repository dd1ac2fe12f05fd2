"""What became of each document of a source: every one ends in exactly one named state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

StateName = Literal["indexed", "unchanged", "empty", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """How one document ended, with the reason for every state but indexed and unchanged.

    `empty` was read and holds no text. `skipped` was left out by a rule: an ignored name, a draft,
    a secret, an archive, a kind that no reader takes. `failed` should have been read and could not.
    """

    key: str
    state: StateName
    reason: str = ""
    chunks: int = 0
    notes: tuple[str, ...] = ()
