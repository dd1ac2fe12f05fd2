"""What a look at something came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["fine", "note", "problem"]
"""Nothing to do; worth knowing; in the way of an answer."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was looked at, how it is, and what to do where that is anything."""

    name: str
    state: State
    text: str
    advice: str = ""
