"""The one door to the web: only hosts that the operator lists can be reached.

A model that may name URLs must not reach the machines behind the firewall, the cloud's metadata or
the machine it runs on. So a URL is parsed in one way only, its host must be listed, the host's
addresses are looked up once and all of them must be public, and the connection goes to exactly the
address that was checked. Each redirect passes the same checks again.
"""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tether.batteries.http.client import certificates
from tether.batteries.http.limits import PASSING, Patience
from tether.batteries.web.addresses import Resolver, checked_addresses, system_resolver
from tether.batteries.web.errors import InvalidWebAccess
from tether.batteries.web.response import TEXT_TYPES, Page, WebLimits, WebResponse, decoded, is_text
from tether.batteries.web.transport import Answer, Known, get
from tether.batteries.web.urls import SafeUrl, UrlRules, check_redirect, check_url
from tether.core.checks import Checks, in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

Approve = Callable[[str], Awaitable[bool]]
"""Decides whether a URL with a long query may be sent."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})

_FULL_ANSWER = 200


class WebAccess:
    """The part of the web that an agent may read, decided once by its operator.

    `hosts` lists names, addresses, and patterns such as `*.example.org`, which matches every name
    below example.org but not example.org itself. Never put the star before a suffix under which
    anyone can register a name (`*.co.uk`, `*.github.io`): it would admit everyone.

    `private_hosts` is dangerous. Each entry, such as `127.0.0.1:8080`, opens one port of one host
    in your own network to the model, and to every server that may redirect it. It is meant for
    tests and for services that are made for agents.

    A query longer than `max_query` characters could leak text that the model has read elsewhere.
    It is refused, unless `approve` is given and accepts the URL. A path, or the name for a star,
    can leak text too: list hosts whose owners may know everything that the model knows.

    `resolver` looks up addresses, `ssl_context` is for private certificate authorities. Proxies,
    password files and certificates from the environment are never used.

    Raises `InvalidWebAccess` naming every wrong setting, and `InputRefused` if the packages for the
    web are not installed.
    """

    __slots__ = ("_approve", "_limits", "_resolver", "_rules", "_ssl_context")

    def __init__(
        self,
        *,
        hosts: Iterable[str] = (),
        private_hosts: Iterable[str] = (),
        schemes: Iterable[str] = ("https",),
        ports: Iterable[int] = (80, 443),
        content_types: Iterable[str] = TEXT_TYPES,
        max_bytes: int = 5_000_000,
        max_query: int = 200,
        max_redirects: int = 5,
        connect_timeout: float = 10,
        total_timeout: float = 30,
        approve: Approve | None = None,
        resolver: Resolver = system_resolver,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        _require_packages()
        check = Checks()
        self._limits = WebLimits(
            max_bytes=max_bytes,
            max_query=max_query,
            max_redirects=max_redirects,
            connect_timeout=connect_timeout,
            total_timeout=total_timeout,
            content_types=check.instances("content_types", content_types, object, "types"),
        )
        self._limits.check(check)
        self._rules = UrlRules.of(
            check, hosts=hosts, private_hosts=private_hosts, schemes=schemes, ports=ports
        )
        self._approve = None if approve is None else check.function("approve", approve)
        self._resolver = check.function("resolver", resolver)
        self._ssl_context = certificates() if ssl_context is None else ssl_context
        _check_ssl_context(check, self._ssl_context)
        check.done(InvalidWebAccess)

    def check(self, url: str) -> SafeUrl:
        """Return a URL's parts if it may be read, without a lookup; raise `InputRefused`."""
        return check_url(url, self._rules)

    @asynccontextmanager
    async def open(
        self,
        url: str,
        *,
        approve: Approve | None = None,
        etag: str = "",
        last_modified: str = "",
    ) -> AsyncGenerator[WebResponse, None]:
        """Request a URL, follow its redirects, and yield the answer while the connection is open.

        `approve` replaces the one given to the constructor. Raises `InputRefused`, and
        `LimitExceeded` for content that is too long or takes too long; `retryable` says whether the
        same URL may succeed later. An answer with an error status is an answer.

        `etag` and `last_modified` describe a copy that the caller has: the server may answer with
        status 304 and no body, which means that the copy is still current.
        """
        known = Known(etag=etag, last_modified=last_modified)
        answer = await self._last_answer(url, approve or self._approve, known)
        try:
            yield WebResponse(answer, self._limits)
        finally:
            answer.close()

    async def fetch(self, url: str, *, approve: Approve | None = None) -> Page:
        """Read a whole page of text; raises as `open` does, and for content that is not text."""
        async with self.open(url, approve=approve) as response:
            if not is_text(response.content_type):
                what = f"{in_short(response.url)} is {response.content_type}"
                raise InputRefused(f"{what}, which is not text.")
            body = await response.read()
            return Page(
                url=response.url,
                status=response.status,
                content_type=response.content_type,
                text=await decoded(body, response.headers["content-type"]),
            )

    async def _last_answer(self, url: str, approve: Approve | None, known: Known) -> Answer:
        """Return the first answer that is not a redirect."""
        patience = Patience(self._limits.total_timeout)
        step = check_url(url, self._rules)
        seen = {step}
        for _ in range(self._limits.max_redirects + 1):
            await self._permit_query(step, approve)
            answer = await self._ask(step, patience, known)
            location = answer.headers.get("location")
            if answer.status not in REDIRECTS or location is None:
                return answer
            answer.close()
            step = check_redirect(step, location, self._rules)
            if step in seen:
                raise InputRefused(f"{step.host} redirects in a circle.", status=502)
            seen.add(step)
        most = self._limits.max_redirects
        raise LimitExceeded(f"{in_short(url)} redirects more than {most} times.")

    async def _permit_query(self, step: SafeUrl, approve: Approve | None) -> None:
        if len(step.query) <= self._limits.max_query:
            return
        if approve is None:
            raise LimitExceeded(
                f"the query of a URL may have {self._limits.max_query} characters; this one has "
                f"{len(step.query):,}. Ask for less, or for a page without a query."
            )
        if not await approve(str(step)):
            raise InputRefused(f"the URL with the long query on {step.host} was not approved.")

    async def _ask(self, step: SafeUrl, patience: Patience, known: Known) -> Answer:
        with patience.counting():
            addresses = await checked_addresses(
                step,
                self._resolver,
                may_be_private=self._rules.is_private(step.host, step.port),
                seconds=self._limits.connect_timeout,
                patience=patience,
            )
            return await get(
                step,
                addresses,
                limits=self._limits,
                ssl_context=self._ssl_context,
                patience=patience,
                known=known,
            )


def _require_packages() -> None:
    if find_spec("httpx2") is None:
        raise InputRefused("reading the web needs more packages: pip install 'tether[tools]'")


def _check_ssl_context(check: Checks, context: ssl.SSLContext) -> None:
    if not isinstance(context, ssl.SSLContext):
        check.refuse("ssl_context", context, "an ssl.SSLContext")
    elif not context.check_hostname or context.verify_mode != ssl.CERT_REQUIRED:
        check.fail("ssl_context", "must verify certificates and the names in them")


class HttpReader:
    """A media reader over a URL; nothing is requested before the first read.

    Each read opens the URL again, so the bytes are the same as long as the server sends the same.
    The access must list the types of the media, for instance `content_types=["image/*"]`. Raises
    `InputRefused` at once for a URL that the access would refuse.
    """

    __slots__ = ("_access", "url")

    def __init__(self, url: str, access: WebAccess) -> None:
        self.url = str(access.check(url))
        self._access = access

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """Yield the bytes; raises as `WebAccess.open` does, and for every status but 200."""
        async with self._access.open(self.url) as response:
            if response.status != _FULL_ANSWER:
                raise InputRefused(
                    f"{in_short(self.url)} answered with status {response.status}, not its bytes.",
                    status=502,
                    retryable=response.status in PASSING,
                )
            async with aclosing(response.stream()) as pieces:
                async for piece in pieces:
                    yield piece
