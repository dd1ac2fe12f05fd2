"""The store of the settings, and the options of the commands that work on it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from tether.app.display import shown
from tether.app.event_loop import run_async
from tether.app.options import settings_under
from tether.app.project import note_made
from tether.app.settings import Settings
from tether.batteries.storage.errors import StoreFailed
from tether.batteries.storage.port import Store
from tether.batteries.storage.postgres import PostgresStore
from tether.batteries.storage.sqlite import SqliteStore

T = TypeVar("T")

Decorator = Callable[[Callable[..., None]], Callable[..., None]]
Work = Callable[[Store], Coroutine[Any, Any, T]]

ELSEWHERE = "Name another place with `--store FILE` or TETHER_STORE."
STORE = "Where it is kept: a file, or postgresql://…"


@asynccontextmanager
async def opened_store(settings: Settings) -> AsyncGenerator[Store]:
    """Yield the store, created if missing; raises the errors of opening it."""
    if settings.is_postgres:
        store: Store = await PostgresStore.open(settings.store)
    else:
        place = Path(settings.store)
        is_new = not _is_there(place)
        store = await _opened_file(place)
        if is_new:
            note_made(place)
    try:
        yield store
    finally:
        await store.aclose()


async def _opened_file(path: Path) -> Store:
    try:
        return await SqliteStore.open(path)
    except StoreFailed as error:
        raise StoreFailed(error.message, help=ELSEWHERE, retryable=error.retryable) from error


def _is_there(place: Path) -> bool:
    return place.exists()


def store_options(owner: str = "Whose memory it is.") -> Decorator:
    """Return a decorator that adds `--store` and `--owner`; the command receives `settings`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def under_settings(*, store: str | None, owner: str | None, **others: object) -> None:
            command(settings=settings_under("store", store=store, owner=owner), **others)

        named = click.option("--owner", metavar="NAME", help=owner)(under_settings)
        return click.option("--store", metavar="FILE|URL", help=STORE)(named)

    return decorate


def with_store(settings: Settings, work: Work[T], *, new: bool = False) -> T:
    """Return the result of some work on the store, which is open meanwhile.

    A missing file is made only with `new`; otherwise the work gets an empty store in memory.
    """
    exists = new or settings.is_postgres or _is_there(Path(settings.store))

    async def main() -> T:
        async with opened_store(settings) if exists else _empty_store(settings) as store:
            return await work(store)

    return run_async(main())


@asynccontextmanager
async def _empty_store(settings: Settings) -> AsyncGenerator[Store]:
    click.echo(shown(f"There is no store yet: {settings.store}"), err=True)
    store = await SqliteStore.open()
    try:
        yield store
    finally:
        await store.aclose()


def tell(form: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print one JSON object, or text that cannot control the terminal."""
    click.echo(json.dumps(form) if as_json else shown(text))
