"""`tether doctor`: find missing or broken parts, with advice for each."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tether.app import checkup
from tether.app.checkup import Finding
from tether.app.cli import EXIT_FAILED
from tether.app.display import shown
from tether.app.event_loop import run_async
from tether.app.offline import offline_where_set
from tether.app.options import as_json, looking_options
from tether.app.project import demands_of
from tether.app.search_models import SearchModels

if TYPE_CHECKING:
    from tether.app.settings.layers import Loaded
    from tether.app.settings.values import Settings

MARKS = {"fine": "ok", "note": "note", "problem": "PROBLEM"}


@click.command("doctor")
@looking_options
@as_json
def command(*, loaded: Loaded, as_json: bool) -> None:
    """Check machine, included models, index, store, model and verifier.

    Exits with 1 if a problem prevents an answer.
    """
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
    yield checkup.python_finding()
    yield checkup.sqlite_finding()
    yield from checkup.extra_findings()
    yield from checkup.search_findings()
    yield checkup.disk_finding(settings.index)
    is_terminal, encoding = sys.stdout.isatty(), sys.stdout.encoding or "ascii"
    yield checkup.terminal_finding(os.environ, is_terminal=is_terminal, encoding=encoding)
    demands = demands_of(loaded, os.environ)
    if demands.wants:
        refusal = demands.refusal()
        yield Finding("trust", "problem", refusal.message, refusal.help)
        return
    yield from checkup.index_findings(
        settings.index, docs=settings.docs, models=SearchModels.of(settings)
    )
    yield from _store(settings)
    yield checkup.model_finding(settings)
    yield checkup.verifier_finding(settings.verifier)


def _store(settings: Settings) -> Iterator[Finding]:
    if settings.is_postgres:
        yield run_async(checkup.server_finding(settings))
    else:
        yield from checkup.store_findings(Path(settings.store))


def _line(finding: Finding) -> str:
    advice = f"\n         {finding.advice}" if finding.advice else ""
    return shown(f"{MARKS[finding.state]:7}  {finding.name}: {finding.text}{advice}")
