"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tether.app.folders import DEFAULT_FOLDER

Command = TypeVar("Command", bound=Callable[..., Any])


def index_folder(command: Command) -> Command:
    """Add `--index`: the folder of the index."""
    return click.option(
        "--index",
        type=click.Path(path_type=Path),
        default=DEFAULT_FOLDER,
        show_default=True,
        help="The folder of the index.",
    )(command)


def as_json(command: Command) -> Command:
    """Add `--json`: one object on standard output instead of text."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def a_count(least: int = 1) -> click.IntRange:
    """Return the type of an option that counts something."""
    return click.IntRange(min=least)


def judge(command: Command) -> Command:
    """Add `--judge`."""
    return click.option(
        "--judge",
        type=click.Choice(["auto", "on", "off"]),
        default="auto",
        show_default=True,
        help="Let the judge read the first passages; auto: as the index was calibrated.",
    )(command)
