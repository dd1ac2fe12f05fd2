"""What the commands about memories share: whose store, and how a line is printed."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from tether.app.building import opened_store
from tether.app.printing import shown
from tether.app.running import run_async
from tether.app.settings import Settings, load_settings
from tether.batteries.storage.port import Store
from tether.batteries.storage.sqlite import SqliteStore

Command = TypeVar("Command", bound=Callable[..., Any])
T = TypeVar("T")

Work = Callable[[Store, str], Coroutine[Any, Any, T]]
"""Something to do with a store, for an owner."""


def of_a_store(command: Command) -> Command:
    """Add `--store` and `--owner`."""
    owner = click.option("--owner", metavar="NAME", help="Whose memory it is.")
    store = click.option("--store", metavar="FILE|URL", help="Where memories are kept.")
    return store(owner(command))


def settings_of(store: str | None, owner: str | None) -> Settings:
    """Return the settings under two flags."""
    flags = {"store": store, "owner": owner}
    return load_settings(flags, environ=os.environ, folder=Path.cwd()).settings


def with_store(settings: Settings, work: Work[T], *, new: bool = False) -> T:
    """Return what the work returns; the store is open meanwhile.

    A file that is not there is made only where `new` says so. Otherwise the work finds nothing.
    """

    there = new or settings.is_postgres or Path(settings.store).exists()

    async def main() -> T:
        async with opened_store(settings) if there else _empty(settings) as store:
            return await work(store, settings.owner)

    return run_async(main())


@asynccontextmanager
async def _empty(settings: Settings) -> AsyncGenerator[Store]:
    click.echo(shown(f"There is no store yet: {settings.store}"), err=True)
    store = await SqliteStore.open()
    try:
        yield store
    finally:
        await store.aclose()


def person(settings: Settings) -> str:
    """Return who a confirmation is from: whoever types it."""
    return settings.owner or "command line"


def tell(form: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print one JSON object, or text in which nothing steers the terminal."""
    click.echo(json.dumps(form) if as_json else shown(text))


def one_line(text: str) -> str:
    """Return a text on one line, so that none can pass for the entry below it."""
    return " ".join(text.split())
