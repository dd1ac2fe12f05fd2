"""Passages from a web search, of hosts that the operator named."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from tether.core.cleaning import clean_text
from tether.retrieval.hit import LeftOut
from tether.retrieval.passage import Passage
from tether.retrieval.providers.hosts import AllowedHosts
from tether.retrieval.providers.provider import Supply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.retrieval.providers.web_result import WebResult, WebSearch
    from tether.retrieval.query import Query


class WebProvider:
    """Supplies what a web search finds on allowed hosts, as text of the open web.

    Results from elsewhere are dropped, and how many is said: the endpoint decides what it returns,
    the operator what is shown. Raises `InvalidRetrievalSettings` for hosts that are none.
    """

    def __init__(self, search: WebSearch, *, hosts: Iterable[str], name: str = "web") -> None:
        self.name = name
        self._search = search
        self._hosts = AllowedHosts(hosts)

    def passages(self, query: Query, limit: int) -> Supply:
        """Return the results of the question, or of its rewrite where there is one."""
        results = self._search(query.rewrite.strip() or query.question, limit)
        allowed = [result for result in results if self._hosts.allow(result.url)]
        found = {result.url: result for result in reversed(allowed) if result.text.strip()}
        kept = list(reversed(found.values()))[:limit]
        supplied = tuple(self._passage(result, place) for place, result in enumerate(kept, 1))
        return Supply(passages=supplied, left_out=self._left_out(len(results) - len(allowed)))

    def _left_out(self, outside: int) -> tuple[LeftOut, ...]:
        reason = f"{outside} results were on hosts that are not allowed"
        return (LeftOut(part=self.name, reason=reason),) if outside else ()

    def _passage(self, result: WebResult, place: int) -> Passage:
        digest = sha256(result.url.encode("utf-8", "surrogatepass")).hexdigest()
        return Passage(
            id=f"web-{digest[:16]}",
            text=clean_text(result.text),
            label=clean_text(result.title).strip() or result.url,
            identifier=result.url,
            provider=self.name,
            trust_tier="third-party-public",
            score=1 / place,
        )
