"""What reading one document may cost."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tether.core.errors import InvalidRetrievalSettings, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """The most that one document may take before its reading is given up with a reason.

    `seconds` counts the clock and the processor alike. `megabytes` is the address space of a
    reading process, of which the interpreter and the parsers alone take about a fifth. `bytes` is
    the size of a document and `answer_bytes` that of what its reader makes of it. A process is
    replaced after `documents` of them, so that what parsers leak stays bounded. Raises
    `InvalidRetrievalSettings` for a limit that is not positive.
    """

    seconds: float = 30.0
    megabytes: int = 1_024
    bytes: int = 20_000_000
    answer_bytes: int = 256_000_000
    documents: int = 2_000

    def __post_init__(self) -> None:
        problems = [
            Problem(field.name, f"must be more than 0, not {getattr(self, field.name)!r}")
            for field in fields(self)
            if not getattr(self, field.name) > 0
        ]
        if problems:
            raise InvalidRetrievalSettings(problems)
