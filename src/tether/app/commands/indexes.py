"""`tether index list`, `remove` and `stop`: the indexes that have names."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from tether.app.cli import EXIT_FAILED
from tether.app.display import shown
from tether.app.indexes import chosen_index, index_label, known_indexes
from tether.app.options import as_json, one_index, settings_under
from tether.app.vector_note import stop as stop_vectors
from tether.text.numbers import counted

if TYPE_CHECKING:
    from typing import Any

    from tether.app.indexes import KnownIndex
    from tether.app.settings.values import Settings

NONE = "There are no indexes in {place} yet. `tether ask --docs FOLDER` makes one."


@click.command("list")
@as_json
def known(as_json: bool) -> None:
    """List the indexes that have names, with their sources and sizes."""
    settings = settings_under("data")
    found = known_indexes(settings.data)
    if as_json:
        click.echo(json.dumps([_form(one) for one in found]))
    elif found:
        click.echo("\n".join(line for one in found for line in _lines(one)))
    else:
        click.echo(shown(NONE.format(place=settings.data)))


@click.command()
@click.argument("name", required=False)
@one_index
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(name: str | None, settings: Settings, yes: bool) -> None:
    """Remove the index NAME, with all its generations. The documents stay.

    Without NAME, the index that --index or --docs choose. Asks first at a terminal; elsewhere it
    needs --yes.
    """
    settings = settings if name is None else settings_under(index=name)
    kept = chosen_index(settings)
    label = shown(index_label(settings))
    if not (yes or _agrees(f"Remove the index {label} ({kept.folder})?")):
        click.echo("Nothing was removed.")
        raise SystemExit(EXIT_FAILED)
    stop_vectors(kept.folder)
    kept.remove()
    kept.folder.with_name(f"{kept.folder.name}.watch").unlink(missing_ok=True)
    click.echo(f"removed {label}")


@click.command()
@one_index
def stop(settings: Settings) -> None:
    """Stop the process that adds vectors to the index; the next question starts it again."""
    found = stop_vectors(chosen_index(settings).folder)
    if found is None:
        click.echo("no process adds vectors to this index")
    else:
        kept = f"{found.done:,} of {found.total:,} texts are kept"
        click.echo(f"stopped; {kept}, and the next question or `tether index embed` goes on")


def _agrees(question: str) -> bool:
    """Ask the person at the terminal; raises `click.UsageError` where there is none."""
    if not _is_terminal():
        raise click.UsageError("nobody can be asked here; remove it with --yes")
    return click.confirm(question, err=True)


def _is_terminal() -> bool:
    return sys.stdin.isatty()


def _lines(one: KnownIndex) -> list[str]:
    if one.status is None:
        return [shown(f"{one.name}: {one.problem}")]
    status = one.status
    held = f"generation {status.generation}, {counted(status.documents, 'document')}"
    size = f"{status.bytes / 1e6:.1f} MB"
    head = f"{one.name}: {held}, {size}, last sync {status.in_step or 'not known'}"
    return [shown(line) for line in (head, *(f"    {name}" for name in status.sources))]


def _form(one: KnownIndex) -> dict[str, Any]:
    status = None if one.status is None else asdict(one.status)
    return {
        "name": one.name,
        "folder": str(one.folder),
        "problem": one.problem,
        "status": status,
    }
