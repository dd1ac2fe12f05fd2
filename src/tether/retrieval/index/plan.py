"""What applying would do, before anything is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.retrieval.index.outcome import Outcome
    from tether.retrieval.source import SourceItem

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRead:
    """A document to read. `data` is there where planning had to look at the bytes already."""

    item: SourceItem
    source: str
    reading: str
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The difference between the sources and the generation `base`, None before the first.

    `outcomes` are the documents that need no reading although something about them is new: left
    out by a rule, failed, or touched without a change. `lanes` must be built anew for all rows,
    because their settings changed or because it was asked for. `forget` are sources to let go.
    `shut` are folders that could not be seen: everything below them stays as it is.
    """

    base: int | None
    sources: tuple[str, ...]
    added: tuple[PlannedRead, ...] = ()
    changed: tuple[PlannedRead, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    shut: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    lanes: tuple[str, ...] = ()
    forget: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether applying leaves every answer as it is."""
        changes = self.added or self.changed or self.removed or self.lanes
        return self.base is not None and not changes

    @property
    def skipped(self) -> tuple[Outcome, ...]:
        """The documents that a rule leaves out, with the rule."""
        return tuple(outcome for outcome in self.outcomes if outcome.state == "skipped")

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The documents that are known to be unreadable, with the reason."""
        return tuple(outcome for outcome in self.outcomes if outcome.state == "failed")

    def __str__(self) -> str:
        counts = {
            "added": len(self.added),
            "changed": len(self.changed),
            "unchanged": len(self.unchanged),
            "removed": len(self.removed),
            "skipped": len(self.skipped),
            "failed": len(self.failed),
        }
        lines = [", ".join(f"{count} {name}" for name, count in counts.items())]
        lines += _listed("+", [read.item.key for read in self.added])
        lines += _listed("~", [read.item.key for read in self.changed])
        lines += _listed("-", list(self.removed))
        lines += _listed("!", [f"{outcome.key}: {outcome.reason}" for outcome in self.failed])
        lines += [f"* lane {name} is built anew" for name in self.lanes]
        return "\n".join(lines)


def _listed(mark: str, names: list[str]) -> list[str]:
    """Return the first names on lines of their own, and how many more there are."""
    more = [f"{mark} ... and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return [
        f"{mark} {name}" if name.isprintable() else f"{mark} {name!r}" for name in names[:SHOWN]
    ] + more
