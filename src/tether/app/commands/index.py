"""`tether index`: keep an index in step with the documents it was made from."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from tether.app.cli import EXIT_FAILED
from tether.app.commands.index_report import (
    plan_text,
    report_text,
    shown_text,
    status_text,
)
from tether.app.commands.index_watch import watch
from tether.app.display import shown
from tether.app.index_floor import fit_if_due, floor_of
from tether.app.offline import offline_where_set
from tether.app.options import as_json, index_folder, settings_under
from tether.app.progress import progress_of_steps
from tether.app.search import make_index, open_index
from tether.app.search_models import SearchModels
from tether.app.sources import (
    OpenSources,
    configured_sources,
    named_sources,
    with_sources,
)
from tether.retrieval.errors import IndexMissing
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts
from tether.text.numbers import counted

if TYPE_CHECKING:
    from tether.retrieval.index.index import ApplyReport
    from tether.retrieval.index.plan import Plan
    from tether.retrieval.index.vectors import Embedded


@click.command()
@click.argument("addresses", nargs=-1)
@index_folder
@as_json
@click.option("--no-embeddings", is_flag=True, help="Index words only; `embed` adds vectors later.")
@click.option("--rebuild", is_flag=True, help="Rebuild the arrays from the stored texts.")
@click.option("--recreate", is_flag=True, help="Start over in place of a damaged index.")
@click.option(
    "--forget", multiple=True, metavar="SOURCE", help="Remove a source and its documents."
)
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

    Without ADDRESSES, with the sources of the index and the documents of the settings.

    Words are searchable first, then vectors are added. The previous generation answers until the
    new one is complete. Exits with 1 if a document failed; each document ends in a named state.
    """
    settings = settings_under()
    if recreate and not (addresses or settings.docs):
        raise click.UsageError("name the documents to index: --recreate starts over")
    addresses = named_sources(None if recreate else index, addresses)
    addresses = addresses or (settings.docs if recreate else configured_sources(index, forget))
    kept = make_index(index, anew=recreate)
    embedder = None if no_embeddings else SearchModels.of(settings).embedder()
    with offline_where_set(settings), progress_of_steps() as progress:

        def work(opened: OpenSources) -> ApplyReport:
            hear = opened.checked(progress)
            plan = kept.plan(*opened.sources, forget=forget, rebuild=rebuild, progress=hear)
            return kept.apply(plan, embedder=embedder, progress=hear)

        report = with_sources(kept, addresses, work)
    report = replace(report, notes=(*report.notes, *_floor_notes(kept)))
    click.echo(json.dumps(asdict(report)) if as_json else report_text(report))
    if any(state.state == "failed" for state in report.states):
        raise SystemExit(EXIT_FAILED)


@click.command()
@index_folder
@as_json
def embed(index: Path, as_json: bool) -> None:
    """Add the missing vectors; can be interrupted and run again."""
    with progress_of_steps() as progress:
        kept = open_index(index)
        done = kept.embed(SearchModels.of(settings_under()).embedder(), progress=progress)
    done = replace(done, notes=(*done.notes, *_floor_notes(kept)))
    _echo_embedded(done, as_json=as_json)


@click.command()
@index_folder
@as_json
def migrate(index: Path, as_json: bool) -> None:
    """Change to the embedder of this version, using the stored texts."""
    with progress_of_steps() as progress:
        kept = open_index(index)
        done = kept.migrate(SearchModels.of(settings_under()).embedder(), progress=progress)
    done = replace(done, notes=(*done.notes, *_floor_notes(kept)))
    _echo_embedded(done, as_json=as_json)


@click.command()
@index_folder
def rollback(index: Path) -> None:
    """Go back to the previous generation; a second rollback undoes the first."""
    click.echo(f"generation {open_index(index).rollback()} answers now")


@click.command()
@click.argument("addresses", nargs=-1)
@index_folder
@as_json
def plan(addresses: tuple[str, ...], index: Path, as_json: bool) -> None:
    """Show the changes that `apply` would make for ADDRESSES, without writing anything."""
    addresses = named_sources(index, addresses) or configured_sources(index)
    with offline_where_set(settings_under()), _index_or_none(index) as kept:
        found = _planned(kept, addresses)
    click.echo(json.dumps(_plan_object(found)) if as_json else plan_text(found))


@click.command()
@index_folder
@as_json
@click.option("--left-out", is_flag=True, help="List every document that was left out, with why.")
def status(index: Path, as_json: bool, left_out: bool) -> None:
    """Summarise the index, and name the documents that could not be read or were left out."""
    kept = open_index(index)
    found = kept.status()
    text = status_text(found, floor_of(kept), in_full=left_out)
    click.echo(json.dumps(asdict(found)) if as_json else text)


@click.command()
@click.argument("key")
@index_folder
@as_json
def show(key: str, index: Path, as_json: bool) -> None:
    """Print the document KEY as passages, with their positions in the text."""
    found = open_index(index).show(key)
    click.echo(json.dumps(asdict(found)) if as_json else shown_text(found))


@click.command()
@index_folder
@as_json
def check(index: Path, as_json: bool) -> None:
    """Check every byte of the index; exits with 1 if anything is damaged."""
    damages = open_index(index).check()
    if as_json:
        click.echo(json.dumps({"damages": [asdict(damage) for damage in damages]}))
    else:
        lines = [shown(f"damaged: {damage.file}: {damage.what}") for damage in damages]
        click.echo("\n".join(lines) or "the index is sound")
    if damages:
        raise SystemExit(EXIT_FAILED)


def _floor_notes(kept: Index) -> tuple[str, ...]:
    """Fit the floor if it is due, and return what there is to say about it."""
    settings = settings_under()
    said = fit_if_due(kept, settings.judge, SearchModels.of(settings))
    return (said,) if said else ()


def _echo_embedded(done: Embedded, *, as_json: bool) -> None:
    lines = [f"{counted(done.rows, 'passage')} with vectors", *done.notes]
    click.echo(json.dumps(asdict(done)) if as_json else "\n".join(lines))


def _planned(kept: Index, addresses: Sequence[str]) -> Plan:
    with progress_of_steps() as progress:
        return with_sources(
            kept,
            addresses,
            lambda opened: kept.plan(*opened.sources, progress=opened.checked(progress)),
        )


@contextmanager
def _index_or_none(folder: Path) -> Generator[Index]:
    """Yield the index, or an empty one in a temporary folder, so that a plan writes nothing."""
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


command = click.Group(
    "index",
    help="Keep an index in step with documents: folders, files, sites, sitemaps, llms.txt.",
    commands=[plan, apply, embed, migrate, rollback, status, show, check, watch],
)
