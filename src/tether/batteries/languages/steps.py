"""Steps: a deterministic bound on the work that a foreign query may cause."""

from __future__ import annotations

from tether.core.errors import LimitExceeded

STEPS = 2_000_000
"""What a query over the arguments of one tool call may take: at most about a second."""


class Steps:
    """Counts down the work of one call, and ends it with `LimitExceeded`.

    A step is about the work of looking at one value once. The same query over the same data always
    takes the same steps, however busy the machine is, so that a refusal can be reproduced. Where
    the steps bound something else than a query, `refusal` says what, and what would do.
    """

    __slots__ = ("_refusal", "allowed", "left")

    def __init__(self, allowed: int = STEPS, refusal: str | None = None) -> None:
        self.allowed = allowed
        self.left = allowed
        self._refusal = refusal

    def allow(self, count: int) -> None:
        """Allow more: work in proportion to the data is no attack."""
        self.allowed += count
        self.left += count

    def take(self, count: int) -> None:
        """Spend steps; raise `LimitExceeded` where there are too few."""
        self.left -= count
        if self.left < 0:
            raise LimitExceeded(
                self._refusal
                or f"the query takes more than {self.allowed:,} steps on this data. Ask for less: "
                "name the fields on the way instead of using .. or *, take a slice, and put no "
                "filter inside a filter"
            )
