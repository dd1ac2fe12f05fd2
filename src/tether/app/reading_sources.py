"""From addresses to sources, with the web at hand where one of them is on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from tether.batteries.web.access import WebAccess
from tether.batteries.web.fetching import SITE_TYPES, LoopFetch
from tether.core.errors import InvalidRetrievalSettings, Problem
from tether.retrieval.sources import PatientFetch, source_for, source_name
from tether.retrieval.sources.addresses import page_address

if TYPE_CHECKING:
    from tether.retrieval.index.index import Index
    from tether.retrieval.source import Source

T = TypeVar("T")

MOST_BYTES = 50_000_000
USUAL_PORTS = frozenset({80, 443})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Sources that are at hand. `check` raises `Aborted` once the work is to stop."""

    sources: tuple[Source, ...]
    check: Callable[[], None]


Work = Callable[[Reading], T]


def with_sources(
    index: Index, addresses: Sequence[str], work: Work[T], *, private_hosts: Sequence[str] = ()
) -> T:
    """Return what `work` makes of the sources at the addresses.

    The hosts that are named may be read, each also with and without `www.`, and no others; those
    inside the own network only where `private_hosts` names them with their ports. Work runs in a
    thread of its own where the web is needed, because reading it waits. Raises
    `InvalidRetrievalSettings` for what is no address, and as `source_for`.
    """
    pages = [_page(address) for address in addresses if _is_on_the_web(address)]
    if not pages:
        sources = tuple(source_for(address) for address in addresses)
        return work(Reading(sources=sources, check=_never))
    access = web_access(pages, private_hosts)
    return asyncio.run(_on_the_web(index, addresses, access, work))


async def _on_the_web(
    index: Index, addresses: Sequence[str], access: WebAccess, work: Work[T]
) -> T:
    with LoopFetch(access, asyncio.get_running_loop()) as fetch:
        patient = PatientFetch(fetch, sleep=fetch.sleep)

        def run() -> T:
            sources = tuple(_source(index, address, patient) for address in addresses)
            return work(Reading(sources=sources, check=lambda: fetch.sleep(0)))

        return await asyncio.to_thread(run)


def _source(index: Index, address: str, fetch: PatientFetch) -> Source:
    known = index.known_versions(source_name(address)) if _is_on_the_web(address) else {}
    return source_for(address, fetch, known=known)


def web_access(pages: Iterable[str], private_hosts: Sequence[str] = ()) -> WebAccess:
    """Return a door to the hosts of these pages, to their ports, and to nothing else."""
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
    """Return a host and its twin with or without `www.`; an address of numbers has none."""
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
    """Say whether the port, where one is written, is one."""
    try:
        return urlsplit(page).port != 0
    except ValueError:
        return False


def _is_on_the_web(address: str) -> bool:
    return address.lower().startswith(("https://", "http://"))


def _never() -> None:
    """Go on: on this machine, a signal stops the work where it is."""
