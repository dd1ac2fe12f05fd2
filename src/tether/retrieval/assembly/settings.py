"""How much of a prompt passages may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tether.core.checks import Checks
from tether.core.errors import InvalidRetrievalSettings
from tether.retrieval.assembly.estimating import prudent_estimate
from tether.retrieval.ports import Estimator

DEFAULT_BUDGET = 8_000
DEFAULT_BUFFER = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblySettings:
    """The room, in tokens of `estimator`; raises `InvalidRetrievalSettings`.

    `budget` holds everything: the passages, the envelope that cites each, the words around them,
    and a `buffer` that stays free for the list of sources that whoever answers puts below. No page
    gets more than `source_share` of the budget. Passages whose words overlap by `similarity` or
    more (Jaccard's index of their runs of five words) are one.
    """

    budget: int = DEFAULT_BUDGET
    buffer: int = DEFAULT_BUFFER
    estimator: Estimator = prudent_estimate
    source_share: float = 1.0
    similarity: float = 0.9

    def __post_init__(self) -> None:
        check = Checks()
        for name, value in (("budget", self.budget), ("buffer", self.buffer)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                check.refuse(name, value, "a whole number of at least 0")
        check.function("estimator", self.estimator)
        _share(check, "source_share", self.source_share)
        _share(check, "similarity", self.similarity)
        check.done(InvalidRetrievalSettings)


def _share(check: Checks, path: str, value: Any) -> None:
    check.score(path, value)
    if value == 0:
        check.refuse(path, value, "more than 0")
