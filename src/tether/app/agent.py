"""The agent of the settings: offline rule, model, tools, store and index, all closed at the end."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from typing import TypeVar

import click

from tether.app.index_sync import opened_search
from tether.app.models import opened_model
from tether.app.offline import offline_where_set
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
from tether.batteries.storage.port import Gates
from tether.batteries.tools import toolbox
from tether.batteries.web.access import WebAccess
from tether.batteries.web.errors import InvalidWebAccess
from tether.core.errors import Aborted, Problem

NO_USE = "Note: `web`, `tools` and `web_search` need a model that uses tools (--style tools)."

_WITH_PORT = re.compile(r".+:[0-9]+")

T = TypeVar("T")


@asynccontextmanager
async def opened_agent(settings: Settings) -> AsyncGenerator[AskAgent]:
    """Yield the agent of the settings; everything that it uses is closed at the end.

    The model is made first, so that wrong settings show before documents are read. Raises the
    errors of `model_of`, `opened_search` and `opened_store`.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(offline_where_set(settings))
        telemetry = stack.enter_context(exporting(settings.telemetry))
        model = await stack.enter_async_context(opened_model(settings))
        tools = _tools(settings, model)
        store = await stack.enter_async_context(opened_store(settings))
        search = await _entered(stack, lambda check: opened_search(settings, check=check))
        library = IndexLibrary(search.snapshot, search.answering(model.style))
        yield AskAgent(
            library=library,
            model=model,
            store=store,
            settings=settings.ask,
            judge=search.unit_judge,
            verifier=verifier_of(settings.verifier),
            tools=None if tools is None else tools(library, store),
            telemetry=telemetry,
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
