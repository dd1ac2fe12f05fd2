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
    vectors_text,
)
from tether.app.commands.index_watch import watch
from tether.app.commands.indexes import known, remove, stop
from tether.app.display import shown
from tether.app.index_floor import fit_if_due, floor_of
from tether.app.indexes import chosen_index, index_label, only_with_documents
from tether.app.offline import offline_where_set
from tether.app.options import as_json, index_place, one_index, settings_under
from tether.app.progress import progress_of_steps
from tether.app.search import make_index, open_index
from tether.app.search_models import SearchModels
from tether.app.sources import (
    OpenSources,
    configured_sources,
    forgotten_sources,
    named_sources,
    with_sources,
)
from tether.app.vector_note import running
from tether.app.vector_note import stop as stop_vectors
from tether.retrieval.errors import IndexMissing
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts
from tether.text.numbers import counted

if TYPE_CHECKING:
    from tether.app.settings.values import Settings
    from tether.retrieval.index.index import ApplyReport
    from tether.retrieval.index.plan import Plan
    from tether.retrieval.index.vectors import Embedded


@click.command()
@click.argument("addresses", nargs=-1)
@index_place
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
    index: str | None,
    as_json: bool,
    no_embeddings: bool,
    rebuild: bool,
    recreate: bool,
    forget: tuple[str, ...],
) -> None:
    """Bring the index of ADDRESSES in step with them.

    Without ADDRESSES, with the sources of the index and the documents of the settings. With
    --index, ADDRESSES are added to the sources of that index.

    Words are searchable first, then vectors are added. The previous generation answers until the
    new one is complete. Exits with 1 if a document failed; each document ends in a named state.
    """
    settings = settings_under("index", index=index, docs=addresses or None)
    if recreate and not settings.docs:
        raise click.UsageError("name the documents to index: --recreate starts over")
    forgotten = forgotten_sources(settings.index, forget)
    if addresses or recreate:
        addresses = named_sources(None if recreate else settings.index, addresses or settings.docs)
    else:
        addresses = tuple(it for it in configured_sources(settings) if it not in forgotten)
    embedder = None if no_embeddings else SearchModels.of(settings).embedder()
    kept = make_index(settings.index, anew=recreate)
    stop_vectors(kept.folder)  # this process does its work
    with offline_where_set(settings), progress_of_steps() as progress:

        def work(opened: OpenSources) -> ApplyReport:
            hear = opened.checked(progress)
            plan = kept.plan(*opened.sources, forget=forgotten, rebuild=rebuild, progress=hear)
            return kept.apply(plan, embedder=embedder, progress=hear)

        with only_with_documents(kept):
            report = with_sources(kept, addresses, work)
    report = replace(report, notes=(*report.notes, *_floor_notes(kept, settings)))
    label = index_label(settings)
    form = {**asdict(report), "index": label}
    click.echo(json.dumps(form) if as_json else report_text(report, label))
    if any(state.state == "failed" for state in report.states):
        raise SystemExit(EXIT_FAILED)


@click.command()
@one_index
@as_json
def embed(settings: Settings, as_json: bool) -> None:
    """Add the missing vectors; can be interrupted and run again."""
    with progress_of_steps() as progress:
        kept = chosen_index(settings)
        stop_vectors(kept.folder)  # this process does its work
        done = kept.embed(SearchModels.of(settings).embedder(), progress=progress)
    done = replace(done, notes=(*done.notes, *_floor_notes(kept, settings)))
    _echo_embedded(done, as_json=as_json)


@click.command()
@one_index
@as_json
def migrate(settings: Settings, as_json: bool) -> None:
    """Change to the embedder of this version, using the stored texts."""
    with progress_of_steps() as progress:
        kept = chosen_index(settings)
        stop_vectors(kept.folder)
        done = kept.migrate(SearchModels.of(settings).embedder(), progress=progress)
    done = replace(done, notes=(*done.notes, *_floor_notes(kept, settings)))
    _echo_embedded(done, as_json=as_json)


@click.command()
@one_index
def rollback(settings: Settings) -> None:
    """Go back to the previous generation; a second rollback undoes the first."""
    kept = chosen_index(settings)
    stop_vectors(kept.folder)
    click.echo(f"generation {kept.rollback()} answers now")


@click.command()
@click.argument("addresses", nargs=-1)
@index_place
@as_json
def plan(addresses: tuple[str, ...], index: str | None, as_json: bool) -> None:
    """Show the changes that `apply` would make for ADDRESSES, without writing anything."""
    settings = settings_under("index", index=index, docs=addresses or None)
    addresses = named_sources(settings.index, addresses) or configured_sources(settings)
    with offline_where_set(settings), _index_or_none(settings.index) as kept:
        found = _planned(kept, addresses)
    click.echo(json.dumps(_plan_object(found)) if as_json else plan_text(found))


@click.command()
@one_index
@as_json
@click.option("--left-out", is_flag=True, help="List every document that was left out, with why.")
def status(settings: Settings, as_json: bool, left_out: bool) -> None:
    """Summarise the index, and name the documents that could not be read or were left out."""
    kept = chosen_index(settings)
    found, label, behind = kept.status(), index_label(settings), running(kept.folder)
    if as_json:
        work = None if behind is None else asdict(behind)
        form = {**asdict(found), "index": label, "folder": str(kept.folder), "vectors": work}
        click.echo(json.dumps(form))
    else:
        lines = [f"index       {shown(label)}"]
        lines += [status_text(found, floor_of(kept), vectors_text(kept.folder), in_full=left_out)]
        click.echo("\n".join(lines))


@click.command()
@click.argument("key")
@one_index
@as_json
def show(key: str, settings: Settings, as_json: bool) -> None:
    """Print the document KEY as passages, with their positions in the text."""
    found = chosen_index(settings).show(key)
    click.echo(json.dumps(asdict(found)) if as_json else shown_text(found))


@click.command()
@one_index
@as_json
def check(settings: Settings, as_json: bool) -> None:
    """Check every byte of the index; exits with 1 if anything is damaged."""
    damages = chosen_index(settings).check()
    if as_json:
        click.echo(json.dumps({"damages": [asdict(damage) for damage in damages]}))
    else:
        lines = [shown(f"damaged: {damage.file}: {damage.what}") for damage in damages]
        click.echo("\n".join(lines) or "the index is sound")
    if damages:
        raise SystemExit(EXIT_FAILED)


def _floor_notes(kept: Index, settings: Settings) -> tuple[str, ...]:
    """Fit the floor if it is due, and return what there is to say about it."""
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
    commands=[
        *(plan, apply, embed, stop, migrate, rollback, status, show, check, watch),
        *(known, remove),
    ],
)
