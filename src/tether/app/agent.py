"""The agent of the settings: offline rule, model, tools, store and index, all closed at the end."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import click

from tether.app.index_sync import opened_search, searched
from tether.app.models import opened_model
from tether.app.offline import offline_where_set
from tether.app.search import SearchParts, is_behind, open_index
from tether.app.settings.values import Settings
from tether.app.sources import Check
from tether.app.store import opened_store
from tether.app.telemetry import exporting
from tether.app.verifier import verifier_of
from tether.app.web_search import web_search_of
from tether.ask.agent import AskAgent, ToolMaker
from tether.ask.errors import InvalidSettings
from tether.ask.library import IndexLibrary, Library
from tether.ask.model import AskModel
from tether.ask.verification.port import Verifier
from tether.batteries.storage.port import Gates, Store
from tether.batteries.telemetry import Telemetry
from tether.batteries.tools import toolbox
from tether.batteries.web.access import WebAccess
from tether.batteries.web.errors import InvalidWebAccess
from tether.core.errors import Aborted, Problem

ARRIVED = "Note: the vectors are there now, and are used from here on."
NO_USE = "Note: `web`, `tools` and `web_search` need a model that uses tools (--style tools)."

_WITH_PORT = re.compile(r".+:[0-9]+")

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Agents:
    """The agent of a session, made again when the vectors of its index have arrived.

    `reading` closes the index that it reads.
    """

    settings: Settings
    model: AskModel
    store: Store
    tools: Callable[[Library, Gates], ToolMaker] | None
    verifier: Verifier | None
    telemetry: Telemetry | None
    search: SearchParts
    reading: AsyncExitStack

    async def current(self) -> AskAgent:
        """Return the agent for the next question."""
        if self.search.is_behind and await asyncio.to_thread(self._has_arrived):
            await self.reading.aclose()
            self.search = await _entered(
                self.reading, lambda _: searched(open_index(self.settings.index), self.settings)
            )
            click.echo(ARRIVED, err=True)
        return self.agent()

    def _has_arrived(self) -> bool:
        found = open_index(self.settings.index).generation()
        return not is_behind(found.size, found.embedded)

    def agent(self) -> AskAgent:
        """Return an agent over the index as it was opened."""
        library = IndexLibrary(self.search.snapshot, self.search.answering(self.model.style))
        return AskAgent(
            library=library,
            model=self.model,
            store=self.store,
            settings=self.settings.ask,
            judge=self.search.unit_judge,
            verifier=self.verifier,
            tools=None if self.tools is None else self.tools(library, self.store),
            telemetry=self.telemetry,
        )


@asynccontextmanager
async def opened_agent(settings: Settings) -> AsyncGenerator[AskAgent]:
    """Yield the agent of the settings for one question; see `opened_agents`."""
    async with opened_agents(settings) as agents:
        yield agents.agent()


@asynccontextmanager
async def opened_agents(settings: Settings) -> AsyncGenerator[Agents]:
    """Yield the agents of a session; everything that they use is closed at the end.

    The model is made first, so that wrong settings show before documents are read. Raises the
    errors of `model_of`, `opened_search` and `opened_store`.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(offline_where_set(settings))
        telemetry = stack.enter_context(exporting(settings.telemetry))
        model = await stack.enter_async_context(opened_model(settings))
        tools = _tools(settings, model)
        store = await stack.enter_async_context(opened_store(settings))
        reading = await stack.enter_async_context(AsyncExitStack())
        search = await _entered(reading, lambda check: opened_search(settings, check=check))
        yield Agents(
            settings=settings,
            model=model,
            store=store,
            tools=tools,
            verifier=verifier_of(settings.verifier),
            telemetry=telemetry,
            search=search,
            reading=reading,
        )


def _tools(settings: Settings, model: AskModel) -> Callable[[Library, Gates], ToolMaker] | None:
    """Return a function that makes the tools of each turn; None for a model that uses no tools.

    The web is searched and read after a person has agreed to it, and offline it is not. Raises
    `InvalidSettings` for a wrong host, and `InputRefused` for a missing package.
    """
    if model.style != "tools":
        if settings.wants_tools:
            click.echo(NO_USE, err=True)
        return None
    from tether.ask.tools import ask_tools  # noqa: PLC0415  # loads many packages

    web, search = _web(settings), web_search_of(settings)
    more = toolbox(*settings.tools) if settings.tools else []

    def maker(library: Library, gates: Gates) -> ToolMaker:
        return lambda turn: ask_tools(library, turn, web=web, search=search, gates=gates, more=more)

    return maker


def _web(settings: Settings) -> WebAccess | None:
    """Return access to the hosts of the settings; one with a port is in the local network."""
    if not settings.web or settings.offline:
        return None
    private = [host for host in settings.web if _WITH_PORT.fullmatch(host)]
    try:
        return WebAccess(
            hosts=[host for host in settings.web if host not in private],
            private_hosts=private,
            schemes=("https", "http") if private else ("https",),
        )
    except InvalidWebAccess as error:
        problems = [Problem("web", problem.message) for problem in error.problems]
        raise InvalidSettings(problems) from error


async def _entered(
    stack: AsyncExitStack, making: Callable[[Check], AbstractContextManager[T]]
) -> T:
    """Enter a context in a thread, because it may take minutes.

    A cancellation stops the work in the thread at its next step.
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
        entering.exception()  # retrieved, so that it is not logged: the cancellation is raised
        raise
