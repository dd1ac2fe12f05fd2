"""The commands that change an index."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
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
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.index.defaults import default_parts
from tether.retrieval.index.index import Index

if TYPE_CHECKING:
    from tether.retrieval.index.embedding import Embedded
    from tether.retrieval.index.index import ApplyReport
    from tether.retrieval.index.parts import Step


@click.command()
@click.argument("addresses", nargs=-1)
@index_folder
@as_json
@click.option("--no-embeddings", is_flag=True, help="Index words only; `embed` adds vectors later.")
@click.option("--rebuild", is_flag=True, help="Make the arrays anew from the texts.")
@click.option("--recreate", is_flag=True, help="Begin anew in place of an index that is damaged.")
@click.option("--forget", multiple=True, metavar="SOURCE", help="Let a source's documents go.")
def apply(
    *,
    addresses: tuple[str, ...],
    index: Path,
    as_json: bool,
    no_embeddings: bool,
    rebuild: bool,
    recreate: bool,
    forget: tuple[str, ...],
) -> None:
    """Bring the index in step with ADDRESSES.

    Where none is named, with the sources it has and the documents that the settings name.

    Words are searchable first, then vectors are added. What was indexed answers until the new
    generation is complete. Exits with 1 where a document failed: each ends in a named state.
    """
    settings = settings_under()
    if recreate and not (addresses or settings.docs):
        raise click.UsageError("name what to index: --recreate begins anew")
    addresses = addresses or (settings.docs if recreate else configured_sources(index, forget))
    kept = (Index.recreate if recreate else Index.create)(index, default_parts())
    embedder = None if no_embeddings else MiniLm()
    with offline_where_set(settings), progress_of_steps() as progress:

        def work(reading: Reading) -> ApplyReport:
            def hear(step: Step) -> None:
                reading.check()
                progress(step)

            plan = kept.plan(*reading.sources, forget=forget, rebuild=rebuild, progress=hear)
            return kept.apply(plan, embedder=embedder, progress=hear)

        report = with_sources(kept, addresses, work)
    click.echo(json.dumps(asdict(report)) if as_json else _report_text(report))
    if any(state.state == "failed" for state in report.states):
        raise SystemExit(EXIT_FAILED)


@click.command()
@index_folder
@as_json
def embed(index: Path, as_json: bool) -> None:
    """Add the vectors that are still missing; can be stopped and run again."""
    with progress_of_steps() as progress:
        done = open_index(index).embed(MiniLm(), progress=progress)
    _echo_embedded(done, as_json=as_json)


@click.command()
@index_folder
@as_json
def migrate(index: Path, as_json: bool) -> None:
    """Change to the embedder of this version, from the stored texts."""
    with progress_of_steps() as progress:
        done = open_index(index).migrate(MiniLm(), progress=progress)
    _echo_embedded(done, as_json=as_json)


@click.command()
@index_folder
def rollback(index: Path) -> None:
    """Search the previous generation again; twice goes forth again."""
    click.echo(f"generation {open_index(index).rollback()} answers now")


def _echo_embedded(done: Embedded, *, as_json: bool) -> None:
    lines = [f"{done.rows} passages have vectors", *done.notes]
    click.echo(json.dumps(asdict(done)) if as_json else "\n".join(lines))


def _report_text(report: ApplyReport) -> str:
    counts = Counter(state.state for state in report.states)
    told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    lines = [
        f"{len(report.states)} documents: {told}",
        f"generation {report.generation}: {report.chunks} passages, {report.embedded} with vectors",
        *(state_line(state) for state in report.states if state.state == "failed"),
        *(shown(note) for note in report.notes),
    ]
    return "\n".join(lines)
