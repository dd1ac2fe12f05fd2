"""What the commands of `tether index` print about an index and its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.app.display import shown
from tether.app.sources import state_counts, state_line
from tether.app.vector_note import failure, running
from tether.retrieval.index.status import is_left_out, state_of
from tether.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from tether.retrieval.index.index import ApplyReport
    from tether.retrieval.index.plan import Plan
    from tether.retrieval.index.status import Shown, Status
    from tether.retrieval.source import DocumentState

MOST_REASONS = 5
MOST_NAMES = 3
ALL = "`tether index status --left-out` lists all of them"
PLANNED = "`tether index plan --json` lists all of them"


def report_text(report: ApplyReport, index: str) -> str:
    """Return the result of an update: what failed, then what was left out and why."""
    passages = f"{counted(report.chunks, 'passage')}, {report.embedded} with vectors"
    lines = [
        f"{counted(len(report.states), 'document')}: {state_counts(report.states)}",
        f"index {shown(index)}, generation {report.generation}: {passages}",
        *(state_line(state) for state in report.states if state.state == "failed"),
        *left_out_lines([state for state in report.states if is_left_out(state)]),
        *(shown(note) for note in report.notes),
    ]
    return "\n".join(lines)


def plan_text(plan: Plan) -> str:
    """Return the changes of a plan, and what it leaves out and why."""
    lines = [shown(str(plan)), *left_out_lines([state_of(it) for it in plan.skipped], PLANNED)]
    return "\n".join(lines)


def status_text(found: Status, floor: str, vectors: str, *, in_full: bool) -> str:
    """Return the summary of an index; `in_full`, with every document that was left out."""
    states = ", ".join(f"{count} {state}" for state, count in found.states.items())
    stale = ", but the documents changed since" if found.calibration_is_stale else ""
    left_out = map(state_line, found.left_out) if in_full else left_out_lines(found.left_out)
    lines = [
        f"generation  {found.generation} of {found.created}",
        f"sources     {', '.join(found.sources)}",
        f"last sync   {found.in_step or 'not known'}",
        f"documents   {found.documents} ({states})",
        f"passages    {found.chunks}, {found.embedded} with vectors{vectors}",
        f"floor       {floor}{stale}",
        f"on disk     {found.bytes / 1e6:.1f} MB",
        *(state_line(state) for state in found.troubled),
        *left_out,
    ]
    return shown("\n".join(lines))


def vectors_text(index: Path) -> str:
    """Return how far the process is that adds vectors, or why it ended early; "" without one."""
    found = running(index)
    if found is not None:
        how_far = f"{found.done:,} of {found.total:,}"
        return f"; process {found.pid} adds them: {how_far} (`tether index stop` stops it)"
    why = failure(index)
    return f"; adding them failed: {why} (`tether index embed` tries again)" if why else ""


def shown_text(found: Shown) -> str:
    """Return a document with its notes and its passages."""
    document = found.document
    lines = [f"{document.title}  ({document.kind}, {counted(len(found.chunks), 'passage')})"]
    lines += [f"note: {note}" for note in document.notes]
    for chunk in found.chunks:
        lines += ["", f"[{chunk.id}] {chunk.start}-{chunk.end}, {chunk.tokens} tokens"]
        lines += [chunk.heading, chunk.text]
    return shown("\n".join(lines))


def left_out_lines(states: Sequence[DocumentState], rest: str = ALL) -> Iterator[str]:
    """Yield a line for each of the first reasons, with the first names, and how to see the rest."""
    groups = _by_reason(states)
    for (state, reason), keys in list(groups.items())[:MOST_REASONS]:
        more = f" and {len(keys) - MOST_NAMES:,} more" if len(keys) > MOST_NAMES else ""
        yield shown(f"{state}: {', '.join(keys[:MOST_NAMES])}{more}: {reason}")
    if len(groups) > MOST_REASONS or any(len(keys) > MOST_NAMES for keys in groups.values()):
        yield f"{len(states):,} were left out; {rest}"


def _by_reason(states: Iterable[DocumentState]) -> dict[tuple[str, str], list[str]]:
    """Return the keys by state and reason; a reason that few documents have comes first.

    What was left out by the hundred is meant to be; a single file may be missed.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for state in states:
        found.setdefault((state.state, state.reason), []).append(state.key)
    return dict(sorted(found.items(), key=lambda group: len(group[1])))
