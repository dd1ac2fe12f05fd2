"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tether.app.settings.loading import load_settings
from tether.app.settings.values import JudgeChoice, Settings

Command = TypeVar("Command", bound=Callable[..., Any])


def settings_under(**flags: object) -> Settings:
    """Return the settings that hold here, under a few flags; those that are None were not given.

    Raises `InvalidSettings`.
    """
    return load_settings(flags, environ=os.environ, folder=Path.cwd()).settings


def index_folder(command: Command) -> Command:
    """Add `--index`: the folder of the index, that of the settings where none is named."""

    def place(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Path:
        return settings_under(index=value).index

    return click.option("--index", metavar="FOLDER", callback=place, help=INDEX)(command)


INDEX = "The folder of the index.  [default: that of the settings, .tether/index]"


def as_json(command: Command) -> Command:
    """Add `--json`: one object on standard output instead of text."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def a_count(least: int = 1) -> click.IntRange:
    """Return the type of an option that counts something."""
    return click.IntRange(min=least)


def judge(command: Command) -> Command:
    """Add `--judge`, which is that of the settings where it is not given."""

    def choice(
        _context: click.Context, _parameter: click.Parameter, value: str | None
    ) -> JudgeChoice:
        return settings_under(judge=value).judge

    return click.option(
        "--judge",
        type=click.Choice(["auto", "on", "off"]),
        callback=choice,
        help="Let the judge read the first passages; auto: as the index was calibrated.",
    )(command)


def docs(command: Command) -> Command:
    """Add `--docs`, as `ask` has it."""
    return click.option(
        "--docs",
        multiple=True,
        metavar="FOLDER|URL",
        help="Documents to bring the index in step with first.  [default: those of the settings]",
    )(command)
