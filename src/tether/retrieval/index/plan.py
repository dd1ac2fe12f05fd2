"""The plan: the changes that make the index hold the same documents as its sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tether.core.clean_text import clean_text
from tether.retrieval.index.comparison import Comparison, Known, PlannedRead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tether.retrieval.index.parts import Parts
    from tether.retrieval.index.records import Outcome
    from tether.retrieval.index.rows import Rows
    from tether.retrieval.source import Source

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The difference between the sources and the generation `base`, None before the first.

    `outcomes` are documents that are not read although something about them is new: left out by a
    rule, failed, or touched without a change. `lanes` are rebuilt for all rows, because their
    settings changed or on request. `forget` are sources to drop. `shut` are folders that could not
    be opened: everything below them stays as it is.
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
        """Whether the plan changes no answer."""
        changes = self.added or self.changed or self.removed or self.lanes
        return self.base is not None and not changes

    @property
    def skipped(self) -> tuple[Outcome, ...]:
        """The documents that a rule leaves out, each with the rule."""
        return tuple(outcome for outcome in self.outcomes if outcome.state == "skipped")

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The documents that cannot be read, each with the reason."""
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
        lines += [f"* lane {name} is rebuilt" for name in self.lanes]
        return "\n".join(lines)


def _listed(mark: str, names: list[str]) -> list[str]:
    """Return the first names, one a line, and the number of the others."""
    more = [f"{mark} ... and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return [
        f"{mark} {name}" if name.isprintable() else f"{mark} {name!r}" for name in names[:SHOWN]
    ] + more


def make_plan(
    rows: Rows,
    parts: Parts,
    sources: Sequence[Source],
    *,
    forget: Sequence[str] = (),
    rebuild: bool = False,
    scanned: Callable[[int], None],
) -> Plan:
    """Compare the sources with the index and return the changes; raises `SourceUnavailable`."""
    with rows.together():
        generation = rows.current() if rows.heads() else None
        entries = {entry.key: entry for entry in rows.entries_of(generation)} if generation else {}
        outcomes = rows.outcomes()
        names = set(rows.sources())
    planned = [clean_text(source.name) for source in sources]
    known = Known(
        entries=entries,
        outcomes=outcomes,
        prefixes=prefixes((names | set(planned)) - set(forget)),
        open=frozenset({*planned, *forget}),
        again=rebuild,
    )
    comparison = Comparison(parts, known, scanned)
    for source in sources:
        comparison.scan(source)
    built = generation.lanes if generation else {}
    wanted = {name: lane.fingerprint for name, lane in parts.lanes.items()}
    return Plan(
        base=generation.number if generation else None,
        sources=tuple(planned),
        added=tuple(comparison.added),
        changed=tuple(comparison.changed),
        unchanged=tuple(comparison.unchanged),
        removed=tuple(comparison.gone()),
        shut=tuple(comparison.shut),
        outcomes=tuple(comparison.outcomes),
        lanes=tuple(name for name in wanted if rebuild or (built and built[name] != wanted[name])),
        forget=tuple(forget),
    )


def prefixes(names: Iterable[str]) -> dict[str, str]:
    """Return the prefix for the keys of each source, so that no two sources share a key.

    It is empty for a single source. Otherwise it is the last part of the name of the source, as a
    folder, numbered if two names end alike. Keys that are URLs are unique and get no prefix.
    """
    ordered = sorted(names)
    if len(ordered) == 1:
        return {ordered[0]: ""}
    taken: dict[str, int] = {}
    found: dict[str, str] = {}
    for name in ordered:
        label = name.rstrip("/").rpartition("/")[2] or "source"
        taken[label] = taken.get(label, 0) + 1
        found[name] = f"{label}/" if taken[label] == 1 else f"{label}~{taken[label]}/"
    return found
