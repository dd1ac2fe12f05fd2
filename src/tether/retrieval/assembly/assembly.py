"""The assembly: the passages admitted to a prompt, those dropped, and the settings for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tether.core.checks import Checks
from tether.retrieval.chunk import Passage
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.estimates import prudent_estimate
from tether.retrieval.ports import Estimator

DropReason = Literal["empty", "budget", "source"]
"""It has no text; it exceeds the rest of the budget; it exceeds the share of its page."""

DEFAULT_BUDGET = 8_000
DEFAULT_BUFFER = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Another place of the same text."""

    id: str
    label: str
    identifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A passage in the prompt with its number there, its cost, and the cost of its envelope.

    `also` cites equal or nearly equal passages, which were merged into it. The text may begin later
    or end earlier than that of the provider, if another passage shows the rest.
    """

    number: int
    passage: Passage
    tokens: int
    envelope: int
    also: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A passage left out of the prompt, its cost with its envelope, and the reason."""

    passage: Passage
    tokens: int
    reason: DropReason
    also: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """Passages in rank order, within a budget: `spent + buffer <= budget`, always.

    `frame` is the cost of the text around the passages, and of the whole beyond its parts with an
    estimator that rounds down. Each given passage is admitted or dropped, or cited by one that is.
    Without an admitted passage `frame` is 0; a budget smaller than the buffer is all buffer.
    """

    admitted: tuple[Admitted, ...]
    dropped: tuple[Dropped, ...]
    budget: int
    buffer: int
    frame: int

    @property
    def tokens(self) -> int:
        """The cost of the admitted passages, without envelopes."""
        return sum(item.tokens for item in self.admitted)

    @property
    def envelopes(self) -> int:
        """The cost of the envelopes of the admitted passages."""
        return sum(item.envelope for item in self.admitted)

    @property
    def spent(self) -> int:
        """Everything but the buffer."""
        return self.frame + self.tokens + self.envelopes

    @property
    def dropped_count(self) -> int:
        """The number of passages left out, each text once."""
        return len(self.dropped)

    @property
    def dropped_tokens(self) -> int:
        """The cost of the passages left out."""
        return sum(item.tokens for item in self.dropped)

    @property
    def is_partial(self) -> bool:
        """Whether a passage with text was left out."""
        return any(item.reason != "empty" for item in self.dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblySettings:
    """The budget in tokens of `estimator`; raises `InvalidRetrievalSettings`.

    `budget` covers the passages, the envelope that cites each, the text around them, and a `buffer`
    that stays free for the list of sources below the answer. No page gets more than `source_share`
    of the budget. Passages whose words overlap by `similarity` or more (the Jaccard index of their
    runs of five words) count as one.
    """

    budget: int = DEFAULT_BUDGET
    buffer: int = DEFAULT_BUFFER
    estimator: Estimator = prudent_estimate
    source_share: float = 1.0
    similarity: float = 0.9

    def __post_init__(self) -> None:
        check = Checks()
        check.whole_number("budget", self.budget, least=0)
        check.whole_number("buffer", self.buffer, least=0)
        check.function("estimator", self.estimator)
        _share(check, "source_share", self.source_share)
        _share(check, "similarity", self.similarity)
        check.done(InvalidRetrievalSettings)


def _share(check: Checks, path: str, value: Any) -> None:
    check.score(path, value)
    if value == 0:
        check.refuse(path, value, "more than 0")
