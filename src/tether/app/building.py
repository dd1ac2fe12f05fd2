"""From settings to an agent: offline rule, model, index, store, each closed at the end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

from tether.app.keeping import Check, Keeping, never
from tether.app.models import model_of, opened_model
from tether.app.offline import configured_addresses, go_offline
from tether.app.parts import Searching
from tether.app.settings.values import Settings
from tether.ask.agent import AskAgent
from tether.ask.library import IndexLibrary
from tether.batteries.storage.port import Store
from tether.batteries.storage.postgres import PostgresStore
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.errors import Aborted

__all__ = ["library_of", "model_of", "opened_agent", "opened_library", "opened_store"]

T = TypeVar("T")


@asynccontextmanager
async def opened_agent(settings: Settings) -> AsyncGenerator[AskAgent]:
    """Yield the agent of the settings; everything that it uses is closed at the end.

    The model is looked at first: what is wrong with the settings shows before documents are read.
    Raises what `model_of`, `opened_library` and `opened_store` raise.
    """
    async with AsyncExitStack() as stack:
        if settings.offline:
            stack.callback(go_offline(configured_addresses(settings)).lift)
        model = await stack.enter_async_context(opened_model(settings))
        store = await stack.enter_async_context(opened_store(settings))
        searching = await _entered(stack, lambda check: opened_searching(settings, check=check))
        yield AskAgent(
            library=library_of(searching),
            model=model,
            store=store,
            settings=settings.ask,
            judge=searching.judge,
        )


@contextmanager
def opened_searching(settings: Settings, *, check: Check = never) -> Generator[Searching]:
    """Yield what searches the index, brought in step first where the settings name documents.

    `check` is called now and then meanwhile, and raises to stop it. Raises `IndexMissing` with the
    two commands that make one, and what opening an index raises.
    """
    index = Keeping(settings=settings, check=check).index()
    with index.snapshot() as snapshot:
        yield Searching.of(snapshot, settings.judge)


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
