"""What supplies passages for a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tether.retrieval.hit import LeftOut
from tether.retrieval.passage import Passage

if TYPE_CHECKING:
    from tether.retrieval.query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """Passages, best first and each id once, and what is not among them, with the reason."""

    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...] = ()


class Provider(Protocol):
    """A source of passages. Has no state of its own: the same question finds the same."""

    @property
    def name(self) -> str:
        """Return the name by which passages and traces say where they come from."""
        ...

    def passages(self, query: Query, limit: int) -> Supply:
        """Return at most `limit` passages; raises `ProviderFailed` or another `RunError`."""
        ...
