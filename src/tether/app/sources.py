"""From addresses to sources, with access to the web only for the hosts that were named."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import click

from tether.app.display import shown
from tether.app.paths import without_detours
from tether.app.search import known_sources
from tether.app.settings.places import identity
from tether.app.settings.values import Settings, is_web_address
from tether.batteries.web.access import WebAccess
from tether.batteries.web.loop_fetch import SITE_TYPES, LoopFetch
from tether.core.errors import Problem
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.sources.discovery import source_for, source_name
from tether.retrieval.sources.fetch import PatientFetch
from tether.retrieval.sources.site import page_address

if TYPE_CHECKING:
    from tether.retrieval.index.index import Index
    from tether.retrieval.index.parts import Step
    from tether.retrieval.source import DocumentState, Source

T = TypeVar("T")

MOST_BYTES = 50_000_000
USUAL_PORTS = frozenset({80, 443})
NOTHING = "name a folder, a file or an address to index, or set `docs` in tether.toml"

Check = Callable[[], None]


def never() -> None:
    """Go on: work in this thread is stopped by a signal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSources:
    """Sources that can be read now. `check` raises `Aborted` when the work has to stop."""

    sources: tuple[Source, ...]
    check: Check

    def checked(self, progress: Callable[[Step], None]) -> Callable[[Step], None]:
        """Return a listener that calls `check` before it passes a step on."""

        def hear(step: Step) -> None:
            self.check()
            progress(step)

        return hear


Work = Callable[[OpenSources], T]


def with_sources(
    index: Index, addresses: Sequence[str], work: Work[T], *, private_hosts: Sequence[str] = ()
) -> T:
    """Return the result of `work` on the sources at the addresses.

    Only the hosts of the addresses may be read, each with and without `www.`; hosts of the local
    network only if `private_hosts` names them with their ports. Reading the web waits, so the work
    then runs in a thread. Raises `InvalidRetrievalSettings` for a malformed address, and the errors
    of `source_for`.
    """
    pages = [_page(address) for address in addresses if is_web_address(address)]
    if not pages:
        sources = tuple(source_for(address) for address in addresses)
        return work(OpenSources(sources=sources, check=never))
    access = web_access(pages, private_hosts)
    return asyncio.run(_on_the_web(index, addresses, access, work))


async def _on_the_web(
    index: Index, addresses: Sequence[str], access: WebAccess, work: Work[T]
) -> T:
    with LoopFetch(access, asyncio.get_running_loop()) as fetch:
        patient = PatientFetch(fetch, sleep=fetch.sleep)

        def run() -> T:
            sources = tuple(_source(index, address, patient) for address in addresses)
            return work(OpenSources(sources=sources, check=lambda: fetch.sleep(0)))

        return await asyncio.to_thread(run)


def _source(index: Index, address: str, fetch: PatientFetch) -> Source:
    known = index.known_versions(source_name(address)) if is_web_address(address) else {}
    return source_for(address, fetch, known=known)


def web_access(pages: Iterable[str], private_hosts: Sequence[str] = ()) -> WebAccess:
    """Return access to the hosts and ports of these pages, and to nothing else."""
    parts = [urlsplit(page) for page in pages]
    return WebAccess(
        hosts=sorted({name for part in parts for name in _twins(part.hostname or "")}),
        schemes=sorted({"https", *(part.scheme for part in parts)}),
        ports=sorted(USUAL_PORTS | {part.port for part in parts if part.port}),
        private_hosts=private_hosts,
        content_types=SITE_TYPES,
        max_bytes=MOST_BYTES,
    )


def _twins(host: str) -> tuple[str, ...]:
    """Return a host with and without `www.`; an IP address has only one form."""
    if ":" in host:
        return (f"[{host}]",)
    if host.replace(".", "").isdigit() or "." not in host:
        return (host,)
    return (host, host.removeprefix("www.") if host.startswith("www.") else f"www.{host}")


def _page(address: str) -> str:
    page = page_address(address)
    if page is None or not _has_port(page):
        problem = Problem("address", f"must be a URL, not {address[:200]!r}")
        raise InvalidRetrievalSettings([problem])
    return page


def _has_port(page: str) -> bool:
    """Return whether the port of a page is valid, or not given."""
    try:
        return urlsplit(page).port != 0
    except ValueError:
        return False


def configured_sources(settings: Settings) -> tuple[str, ...]:
    """Return the sources of the index of the settings, and their documents.

    Each place is named once, by its name in the index if it is there. Raises `click.UsageError` if
    there are no sources at all.
    """
    known = (*known_sources(settings.index), *settings.docs)
    places = {identity(name): name for name in reversed(known)}
    if not places:
        raise click.UsageError(NOTHING)
    return tuple(reversed(places.values()))


def forgotten_sources(index: Path, given: Sequence[str]) -> tuple[str, ...]:
    """Return the names that an index has for some of its sources, whatever their spelling.

    Raises `click.BadParameter` with all sources of the index if one is not among them.
    """
    known = known_sources(index) if given else ()
    names = {identity(name): name for name in known}
    unknown = [source for source in given if identity(source) not in names]
    if unknown:
        there = f"It has: {', '.join(known)}." if known else "It has none."
        problem = shown(f"{unknown[0]} is not a source of the index in {index}. {there}")
        raise click.BadParameter(problem, param_hint="--forget")
    return tuple(names[identity(source)] for source in given)


def named_sources(index: Path | None, addresses: Sequence[str]) -> tuple[str, ...]:
    """Return addresses that were typed as the index names them, and new ones without `..`.

    None is an index that is about to be made.
    """
    names = known_sources(index) if index is not None and addresses else ()
    known = {identity(name): name for name in names}
    return tuple(known.get(identity(it), _clean(it)) for it in addresses)


def _clean(address: str) -> str:
    return address if is_web_address(address) else str(without_detours(Path(address).absolute()))


def state_line(state: DocumentState) -> str:
    """Return the state of a document on one line, with the reason."""
    return shown(f"{state.state}: {state.key}: {state.reason}")


def state_counts(states: Iterable[DocumentState]) -> str:
    """Return how many documents ended in each state."""
    counts = Counter(state.state for state in states)
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
