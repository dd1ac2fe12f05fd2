"""Which passages go into a prompt, which do not, and why: the value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tether.retrieval.passage import Passage

DropReason = Literal["empty", "budget", "source"]
"""It has no text; it does not fit into what is left; its page has had its share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where the same text stands as well."""

    id: str
    label: str
    identifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A passage in the prompt, by its number there, and its cost apart from its envelope's.

    `also` cites the passages that say the same, or nearly, and were merged into it. The text may
    begin later or end earlier than the provider's, where another passage shows the rest.
    """

    number: int
    passage: Passage
    tokens: int
    envelope: int
    also: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A passage that is not in the prompt, what it would have cost with its envelope, and why."""

    passage: Passage
    tokens: int
    reason: DropReason
    also: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """Passages in rank order, within a budget: `spent + buffer <= budget`, always.

    `frame` is what the words around the passages cost, and what the whole costs more than its parts
    by an estimator that rounds down. Each passage that was given is admitted or
    dropped, or cited by one that is. Where nothing is admitted there is nothing to frame, and
    `frame` is 0; a budget that is smaller than the buffer is all buffer.
    """

    admitted: tuple[Admitted, ...]
    dropped: tuple[Dropped, ...]
    budget: int
    buffer: int
    frame: int

    @property
    def tokens(self) -> int:
        """What the admitted passages cost, without envelopes."""
        return sum(item.tokens for item in self.admitted)

    @property
    def envelopes(self) -> int:
        """What citing the admitted passages costs."""
        return sum(item.envelope for item in self.admitted)

    @property
    def spent(self) -> int:
        """Everything but the buffer."""
        return self.frame + self.tokens + self.envelopes

    @property
    def dropped_count(self) -> int:
        """How many passages are left out, each text once."""
        return len(self.dropped)

    @property
    def dropped_tokens(self) -> int:
        """What the passages that are left out would have cost."""
        return sum(item.tokens for item in self.dropped)

    @property
    def is_partial(self) -> bool:
        """Whether something with text was left out, so that the context does not show all."""
        return any(item.reason != "empty" for item in self.dropped)
