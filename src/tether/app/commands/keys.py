"""`tether keys`: the keys of services, kept for this user alone."""

from __future__ import annotations

import json
import os
import sys

import click

from tether.app.display import one_line
from tether.app.kept_keys import KeptKeys
from tether.app.options import as_json
from tether.app.settings.short_models import PRODUCTS

TYPED = (
    "Do not type the key on the command line, where others may see it: the command asks for it, or"
    " reads it from standard input."
)


@click.group("keys")
def command() -> None:
    """Keep the keys of services in a file that only you can read.

    `tether ask --model openai/…` uses the key `openai` where OPENAI_API_KEY is not set. A key is
    never printed.
    """


@command.command("set")
@click.argument("name")
@click.argument("more", nargs=-1, metavar="")
def set_key(*, name: str, more: tuple[str, ...]) -> None:
    """Keep a key as NAME: openai, anthropic, or the name of a variable for `--api-key-env`.

    It is asked for at a terminal without being shown, and otherwise read from standard input.
    """
    if more:
        raise click.UsageError(TYPED)
    keys = KeptKeys.of_user(os.environ)
    if sys.stdin.isatty():
        key = click.prompt(f"Key for {one_line(name)}", hide_input=True, err=True)
    else:
        key = sys.stdin.readline()
    keys.set(name, str(key).strip())
    click.echo(f"Kept as {one_line(name)} in {one_line(str(keys.path))}")


@command.command("list")
@as_json
def list_keys(*, as_json: bool) -> None:
    """Print the names of the keys, never the keys."""
    names = KeptKeys.of_user(os.environ).names()
    if as_json:
        click.echo(json.dumps({"keys": names}))
    else:
        click.echo("\n".join(map(_line, names)) or "No key is kept.")


@command.command("remove")
@click.argument("name")
def remove(*, name: str) -> None:
    """Forget the key NAME."""
    KeptKeys.of_user(os.environ).remove(name)
    click.echo(f"Removed: {one_line(name)}")


def _line(name: str) -> str:
    variable = PRODUCTS[name].key if name in PRODUCTS else name
    told = f"  (not used: the variable {variable} is set)" if os.environ.get(variable) else ""
    return f"{one_line(name)}{told}"
