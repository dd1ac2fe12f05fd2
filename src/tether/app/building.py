"""From settings to an agent: offline rule, model, index, store, each closed at the end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

import click

from tether.app.keeping import Check, never, opened_searching
from tether.app.models import model_of, opened_model
from tether.app.offline import offline_where_set
from tether.app.parts import Searching
from tether.app.settings.values import Settings
from tether.ask.agent import AskAgent, ToolMaker
from tether.ask.library import IndexLibrary, Library
from tether.ask.model import AskModel
from tether.batteries.storage.port import Gates, Store
from tether.batteries.storage.postgres import PostgresStore
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.errors import Aborted

__all__ = [
    "library_of",
    "model_of",
    "opened_agent",
    "opened_library",
    "opened_searching",
    "opened_store",
]

NO_USE = "Note: `web` is for a model that uses tools (--style tools); no page is read."

T = TypeVar("T")


@asynccontextmanager
async def opened_agent(settings: Settings) -> AsyncGenerator[AskAgent]:
    """Yield the agent of the settings; everything that it uses is closed at the end.

    The model is looked at first: what is wrong with the settings shows before documents are read.
    Raises what `model_of`, `opened_library` and `opened_store` raise.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(offline_where_set(settings))
        model = await stack.enter_async_context(opened_model(settings))
        tools = _tools(settings, model)
        store = await stack.enter_async_context(opened_store(settings))
        searching = await _entered(stack, lambda check: opened_searching(settings, check=check))
        library = library_of(searching)
        yield AskAgent(
            library=library,
            model=model,
            store=store,
            settings=settings.ask,
            judge=searching.judge,
            tools=None if tools is None else tools(library, store),
        )


@contextmanager
def opened_library(settings: Settings, *, check: Check = never) -> Generator[IndexLibrary]:
    """Yield the documents, as `opened_searching` does."""
    with opened_searching(settings, check=check) as searching:
        yield library_of(searching)


def library_of(searching: Searching) -> IndexLibrary:
    """Return the library of a search."""
    return IndexLibrary(searching.snapshot, searching.retriever())


@asynccontextmanager
async def opened_store(settings: Settings) -> AsyncGenerator[Store]:
    """Yield the store, made where there is none; raises what opening it raises."""
    if settings.is_postgres:
        store: Store = await PostgresStore.open(settings.store)
    else:
        store = await SqliteStore.open(Path(settings.store))
    try:
        yield store
    finally:
        await store.aclose()


def _tools(settings: Settings, model: AskModel) -> Callable[[Library, Gates], ToolMaker] | None:
    """Return what makes the tools of a turn; None for a model that uses none."""
    if model.style == "tools":
        from tether.app.turn_tools import tools_of  # noqa: PLC0415  # many packages, for few

        return tools_of(settings)
    if settings.web:
        click.echo(NO_USE, err=True)
    return None


async def _entered(
    stack: AsyncExitStack, making: Callable[[Check], AbstractContextManager[T]]
) -> T:
    """Enter a context in a thread, because entering it may take minutes.

    Where this is cancelled, the work in the thread is told so and stops at its next step.
    """
    stopped = threading.Event()

    def check() -> None:
        if stopped.is_set():
            raise Aborted(reason="cancelled")

    entering = asyncio.ensure_future(asyncio.to_thread(stack.enter_context, making(check)))
    try:
        return await asyncio.shield(entering)
    except asyncio.CancelledError:
        stopped.set()
        await asyncio.wait({entering})
        entering.exception()  # seen: the cancellation is what is told
        raise
