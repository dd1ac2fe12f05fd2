"""The one door to the web: what the operator lists can be read, and nothing else can be reached.

A model that may name URLs must not reach the machines behind the firewall, the cloud's metadata or
the machine it runs on. So a URL is read in one way only, its host must be listed, the host's
addresses are looked up once and all of them must be public, and the connection goes to the very
address that was checked. Each redirect passes the same checks again.
"""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tether.batteries.web.limits import TEXT_TYPES, Patience, WebLimits, is_text
from tether.batteries.web.page import Page, decoded
from tether.batteries.web.resolving import Resolver, checked_addresses, system_resolver
from tether.batteries.web.response import WebResponse
from tether.batteries.web.rules import UrlRules
from tether.batteries.web.transport import Answer, Known, get
from tether.batteries.web.urls import SafeUrl, check_redirect, check_url
from tether.core.checks import Checks, in_short
from tether.core.errors import InputRefused, InvalidWebAccess, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

Approve = Callable[[str], Awaitable[bool]]
"""Decides whether a URL with a long query may be sent."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})


class WebAccess:
    """What an agent may read of the web, decided once by its operator.

    `hosts` lists names, addresses, and patterns such as `*.example.org`, which stands for every
    name below example.org but not for that name itself. Never put the star before a suffix under
    which anybody can have a name (`*.co.uk`, `*.github.io`): it would admit everybody.

    `private_hosts` is dangerous. Each entry, such as `127.0.0.1:8080`, opens one port of one host
    to the model, and to whoever may redirect it, although the host is inside the own network. It is
    meant for tests and for services that are made to be read by agents.

    A query longer than `max_query` characters could carry away what the model has read elsewhere.
    It is refused, unless `approve` is given and says yes to the URL. A path, or a name in place of
    a star, can carry something too: list hosts whose owners may know what the model knows.

    `resolver` looks up addresses, `ssl_context` is for private certificate authorities. Proxies,
    password files and certificates that the environment names are never used.

    Raises `InvalidWebAccess` naming every setting that is wrong, and `InputRefused` where the
    packages for the web are not installed.
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
        self._ssl_context = _system_ssl_context() if ssl_context is None else ssl_context
        _check_ssl_context(check, self._ssl_context)
        check.done(InvalidWebAccess)

    def check(self, url: str) -> SafeUrl:
        """Return a URL's parts if it may be read; raise `InputRefused`. Nothing is looked up."""
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
        """Ask for a URL, follow its redirects, and give the answer while the connection is open.

        `approve` takes the place of the one given to the constructor. Raises `InputRefused`, and
        `LimitExceeded` for what is too long or takes too long; `retryable` says whether the same
        URL may succeed later. An answer with an error status is an answer.

        `etag` and `last_modified` are what a server said of a copy that is already here: it may
        answer with status 304 and no body, which says that the copy is still good.
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
            async with aclosing(response.stream()) as pieces:
                body = b"".join([piece async for piece in pieces])
            return Page(
                url=response.url,
                status=response.status,
                content_type=response.content_type,
                text=await decoded(body, response.headers["content-type"]),
            )

    async def _last_answer(self, url: str, approve: Approve | None, known: Known) -> Answer:
        """Return the first answer that is no redirect."""
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


def _system_ssl_context() -> ssl.SSLContext:
    """Return a context that trusts what the system trusts, whatever the environment says."""
    import httpx2  # noqa: PLC0415

    return httpx2.create_ssl_context(trust_env=False)


def _check_ssl_context(check: Checks, context: ssl.SSLContext) -> None:
    if not isinstance(context, ssl.SSLContext):
        check.refuse("ssl_context", context, "an ssl.SSLContext")
    elif not context.check_hostname or context.verify_mode != ssl.CERT_REQUIRED:
        check.fail("ssl_context", "must verify certificates and the names in them")
