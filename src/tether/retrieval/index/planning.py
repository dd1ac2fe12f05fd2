"""Planning: what is to be done so that an index holds what its sources hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.cleaning import clean_text
from tether.retrieval.index.comparing import Comparison, Known
from tether.retrieval.index.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tether.retrieval.index.parts import Parts
    from tether.retrieval.index.rows import Rows
    from tether.retrieval.source import Source


def make_plan(
    rows: Rows,
    parts: Parts,
    sources: Sequence[Source],
    *,
    forget: Sequence[str] = (),
    rebuild: bool = False,
    scanned: Callable[[int], None],
) -> Plan:
    """Return what is to be done so that the index holds what the sources hold."""
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
    """Return what is put before the keys of each source, so that no two sources share a key.

    Nothing where there is one source. Otherwise the last part of its name, as a folder, counted
    where two end alike. Keys that are addresses are unique already and stay as they are.
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
