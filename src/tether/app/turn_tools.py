"""The tools of a model that uses some: the documents, and the pages that the settings allow."""

from __future__ import annotations

import re
from collections.abc import Callable

from tether.app.settings.values import Settings
from tether.ask.agent import ToolMaker
from tether.ask.library import Library
from tether.ask.tooling import ask_tools
from tether.batteries.storage.port import Gates
from tether.batteries.web.access import WebAccess
from tether.core.errors import InvalidSettings, InvalidWebAccess, Problem

_WITH_PORT = re.compile(r".+:[0-9]+")


def tools_of(settings: Settings) -> Callable[[Library, Gates], ToolMaker]:
    """Return what makes the tools of each turn, once documents and gates are there.

    A page of the web is read once a person has agreed to it, and offline no page is. Raises
    `InvalidSettings` for hosts that are none, and `InputRefused` where a package is missing.
    """
    web = _web(settings)

    def maker(library: Library, gates: Gates) -> ToolMaker:
        return lambda turn: ask_tools(library, turn, web=web, gates=gates)

    return maker


def _web(settings: Settings) -> WebAccess | None:
    """Return the door to the hosts of the settings; one with a port is inside the own network."""
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
