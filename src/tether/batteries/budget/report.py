"""What thrift did: a value, also where it had to refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tether.batteries.budget.shedding import ShedKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ThriftReport:
    """One assembly: tokens before and after, and what was left out, counted by kind.

    A turn that was shed counts once, however many messages it had. `per_bucket` holds the tokens
    that are left, by the buckets of a prompt; `question` is the part of the timeline that the
    newest question takes. A single text that alone is more than the limit is not counted to its
    end: then `before`, and `after` where it stays, are the least that they can be.
    """

    model: str
    known_model: bool
    """False where the window is a guess, because nothing is known about the model."""

    encoding: str
    estimated: bool
    """Whether what is left was not counted to the token."""

    window: int
    reserve: int
    before: int
    per_bucket: Mapping[str, int]
    question: int
    shed: Mapping[ShedKind, int]

    @property
    def after(self) -> int:
        """The tokens of the prompt that is left."""
        return sum(self.per_bucket.values())

    @property
    def limit(self) -> int:
        """What the prompt may take; negative where the window does not even hold the reserve."""
        return self.window - self.reserve

    @property
    def refused(self) -> bool:
        """Whether the prompt does not fit, with everything shed that may be."""
        return self.after > self.limit

    @property
    def anything_shed(self) -> bool:
        """Whether something was left out."""
        return any(self.shed.values())
