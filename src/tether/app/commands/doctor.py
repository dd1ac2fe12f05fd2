"""`tether doctor`: look for what is missing or broken, and say what to do about it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tether.app.asking_options import asking_options, settings_from
from tether.app.checkup import index, machine, model, store
from tether.app.checkup.finding import Finding
from tether.app.cli import EXIT_FAILED
from tether.app.offline import offline_where_set
from tether.app.options import as_json
from tether.app.printing import shown
from tether.app.running import run_async

if TYPE_CHECKING:
    from tether.app.settings.loading import Loaded
    from tether.app.settings.values import Settings

MARKS = {"fine": "ok", "note": "note", "problem": "PROBLEM"}


@click.command("doctor")
@asking_options
@as_json
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Look at machine, index, store and model; exits with 1 where something is in the way."""
    loaded = settings_from(context)
    with offline_where_set(loaded.settings):
        findings = list(_findings(loaded))
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings]))
    else:
        click.echo("\n".join(_line(finding) for finding in findings))
    if any(finding.state == "problem" for finding in findings):
        raise SystemExit(EXIT_FAILED)


def _findings(loaded: Loaded) -> Iterator[Finding]:
    settings = loaded.settings
    files = ", ".join(map(str, loaded.files)) or "no file: defaults, variables and flags"
    yield Finding("settings", "fine", files)
    yield machine.python()
    yield machine.sqlite()
    yield from machine.extras()
    yield machine.disk(settings.index)
    is_terminal, encoding = sys.stdout.isatty(), sys.stdout.encoding or "ascii"
    yield machine.terminal(os.environ, is_terminal=is_terminal, encoding=encoding)
    yield from index.index(settings.index, docs=settings.docs)
    yield from _store(settings)
    yield model.model(settings)


def _store(settings: Settings) -> Iterator[Finding]:
    if settings.is_postgres:
        yield run_async(store.server(settings))
    else:
        yield from store.file(Path(settings.store))


def _line(finding: Finding) -> str:
    advice = f"\n         {finding.advice}" if finding.advice else ""
    return shown(f"{MARKS[finding.state]:7}  {finding.name}: {finding.text}{advice}")
