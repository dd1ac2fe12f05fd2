"""The commands that look at an index and change nothing."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from tether.app.cli import EXIT_FAILED
from tether.app.commands.index_lines import configured_sources, state_line
from tether.app.offline import offline_where_set
from tether.app.options import as_json, index_folder, settings_under
from tether.app.parts import open_index
from tether.app.printing import shown
from tether.app.progress import progress_of_steps
from tether.app.reading_sources import Reading, with_sources
from tether.core.errors import IndexMissing
from tether.retrieval.index.defaults import default_parts
from tether.retrieval.index.index import Index

if TYPE_CHECKING:
    from tether.retrieval.index.parts import Step
    from tether.retrieval.index.plan import Plan
    from tether.retrieval.index.status import Shown, Status


@click.command()
@click.argument("addresses", nargs=-1)
@index_folder
@as_json
def plan(addresses: tuple[str, ...], index: Path, as_json: bool) -> None:
    """Show what `apply` would do with ADDRESSES. Nothing is written."""
    addresses = addresses or configured_sources(index)
    with offline_where_set(settings_under()), _index_or_none(index) as kept:
        found = _planned(kept, addresses)
    click.echo(json.dumps(_plan_object(found)) if as_json else shown(str(found)))


@click.command()
@index_folder
@as_json
def status(index: Path, as_json: bool) -> None:
    """Say what the index holds, and which documents are in trouble."""
    found = open_index(index).status()
    click.echo(json.dumps(asdict(found)) if as_json else _status_text(found))


@click.command()
@click.argument("key")
@index_folder
@as_json
def show(key: str, index: Path, as_json: bool) -> None:
    """Print the document KEY as it was cut: its passages, and their places in the text."""
    found = open_index(index).show(key)
    click.echo(json.dumps(asdict(found)) if as_json else _shown_text(found))


@click.command()
@index_folder
@as_json
def check(index: Path, as_json: bool) -> None:
    """Check every byte of the index; exits with 1 where something is damaged."""
    damages = open_index(index).check()
    if as_json:
        click.echo(json.dumps({"damages": [asdict(damage) for damage in damages]}))
    else:
        lines = [shown(f"damaged: {damage.file}: {damage.what}") for damage in damages]
        click.echo("\n".join(lines) or "the index is sound")
    if damages:
        raise SystemExit(EXIT_FAILED)


def _planned(kept: Index, addresses: Sequence[str]) -> Plan:
    with progress_of_steps() as progress:

        def work(reading: Reading) -> Plan:
            def hear(step: Step) -> None:
                reading.check()
                progress(step)

            return kept.plan(*reading.sources, progress=hear)

        return with_sources(kept, addresses, work)


@contextmanager
def _index_or_none(folder: Path) -> Generator[Index]:
    """Yield the index, or an empty one elsewhere, so that planning leaves nothing behind."""
    with ExitStack() as stack:
        try:
            kept = open_index(folder)
        except IndexMissing:
            elsewhere = stack.enter_context(TemporaryDirectory())
            kept = Index.create(Path(elsewhere) / "index", default_parts())
        yield kept


def _plan_object(plan: Plan) -> dict[str, object]:
    return {
        "added": [read.item.key for read in plan.added],
        "changed": [read.item.key for read in plan.changed],
        "unchanged": list(plan.unchanged),
        "removed": list(plan.removed),
        "skipped": {outcome.key: outcome.reason for outcome in plan.skipped},
        "failed": {outcome.key: outcome.reason for outcome in plan.failed},
        "lanes": list(plan.lanes),
    }


def _status_text(found: Status) -> str:
    states = ", ".join(f"{count} {state}" for state, count in found.states.items())
    stale = ", but the documents changed since" if found.calibration_is_stale else ""
    lines = [
        f"generation  {found.generation} of {found.created}",
        f"sources     {', '.join(found.sources)}",
        f"documents   {found.documents} ({states})",
        f"passages    {found.chunks}, {found.embedded} with vectors",
        f"calibrated  {'yes' if found.is_calibrated else 'no: run `tether calibrate`'}{stale}",
        f"on disk     {found.bytes / 1e6:.1f} MB",
        *(state_line(state) for state in found.troubled),
    ]
    return shown("\n".join(lines))


def _shown_text(found: Shown) -> str:
    document = found.document
    lines = [f"{document.title}  ({document.kind}, {len(found.chunks)} passages)"]
    lines += [f"note: {note}" for note in document.notes]
    for chunk in found.chunks:
        lines += ["", f"[{chunk.id}] {chunk.start}-{chunk.end}, {chunk.tokens} tokens"]
        lines += [chunk.heading, chunk.text]
    return shown("\n".join(lines))
