"""`tether config`: the settings with their origins, and a file to start with."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from tether.app.display import shown
from tether.app.files import write_new
from tether.app.options import as_json, looking_options, working_folder
from tether.app.project import note_written
from tether.app.settings.kinds import Variable
from tether.app.settings.layers import PROJECT_FILE, Loaded, project_file, user_file
from tether.app.settings.table import BY_KEY, SETTINGS, template, values_of
from tether.app.settings.values import hidden, shown_variable


@click.group("config")
def command() -> None:
    """Show the settings and where they come from."""


@command.command()
@looking_options
@as_json
@click.option("--origin", is_flag=True, help="Show where each value came from.")
def show(*, loaded: Loaded, as_json: bool, origin: bool) -> None:
    """Print the value of every setting in this folder.

    Flags override TETHER_* variables, which override the project's file, which overrides the
    user's file, which overrides the defaults. Passwords in addresses are not shown.
    """
    click.echo(_object(loaded) if as_json else _text(loaded, origin=origin))


@command.command()
@as_json
def path(as_json: bool) -> None:
    """Print the paths of the files, which may not exist."""
    here = working_folder()
    user, project = user_file(os.environ), project_file(here)
    places = {"user": user, "project": project or here / PROJECT_FILE}
    found = {
        name: {"path": str(place), "exists": place.exists()}
        for name, place in places.items()
        if place is not None
    }
    lines = [
        f"{name:8} {it['path']}{'' if it['exists'] else '  (missing)'}"
        for name, it in found.items()
    ]
    click.echo(json.dumps(found) if as_json else shown("\n".join(lines)))


@command.command()
@click.argument("docs", nargs=-1)
def init(docs: tuple[str, ...]) -> None:
    """Write a tether.toml that explains every setting into this folder; DOCS are set in it."""
    place = working_folder() / PROJECT_FILE
    write_new(place, template(docs))
    note_written(place, os.environ)
    click.echo(shown(f"wrote {place}; `tether config show --origin` shows the settings"))


def _shown_value(key: str, value: Any) -> Any:
    """Return a value as JSON, without secrets."""
    if isinstance(BY_KEY[key].kind, Variable):
        return shown_variable(value)
    if isinstance(value, tuple):
        return [_shown_value(key, item) for item in value]
    return hidden(str(value)) if isinstance(value, str | Path) else value


def _object(loaded: Loaded) -> str:
    values = values_of(loaded.settings)
    entries: dict[str, Any] = {
        setting.key: {
            "value": _shown_value(setting.key, values[setting.key]),
            "origin": loaded.origins[setting.key].kind,
            "place": loaded.origins[setting.key].place,
            "variable": setting.variable,
        }
        for setting in SETTINGS
    }
    return json.dumps(entries)


def _text(loaded: Loaded, *, origin: bool) -> str:
    values = values_of(loaded.settings)
    rows = [(key, json.dumps(_shown_value(key, values[key]), ensure_ascii=False)) for key in BY_KEY]
    wide = max(map(len, BY_KEY))
    lines: list[str] = []
    for key, value in rows:
        said = f"  ({loaded.origins[key]})" if origin else ""
        lines.append(f"{key:{wide}}  {value}{said}")
    return shown("\n".join(lines))
