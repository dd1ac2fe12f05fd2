"""Pages of the web as items: asked about with the evidence of the last time, and loaded late."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from tether.core.errors import DocumentUnreadable, InputRefused
from tether.retrieval.source import SourceItem
from tether.retrieval.sources.evidence import Evidence
from tether.retrieval.sources.fetch import Fetch, Fetched, FetchRequest, bare_type
from tether.retrieval.sources.kinds import ending_of
from tether.retrieval.sources.page_names import page_name
from tether.retrieval.sources.patience import PatientFetch
from tether.retrieval.state import DocumentState, StateName

GONE = frozenset({404, 410})
"""What a server answers for a page that is not there, and not only out of reach."""

_KEPT_BYTES = 64_000_000


class Pages:
    """Makes items of addresses. `known` has the version of each page that an index holds.

    A page that is asked about is sent by the server at once, so its body is kept for `load`, the
    latest ones up to a bound; what fell out is asked for again.
    """

    __slots__ = ("_fetch", "_kept", "_kept_bytes", "_known", "_max_bytes")

    def __init__(self, fetch: Fetch, *, known: Mapping[str, str], max_bytes: int) -> None:
        self._fetch = fetch if isinstance(fetch, PatientFetch) else PatientFetch(fetch)
        self._known = known
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._kept_bytes = 0

    def fetch(self, url: str, most: int) -> Fetched:
        """Return an answer as it is; raises `InputRefused`."""
        return self._fetch(FetchRequest(url=url, max_bytes=most))

    def unasked(self, url: str, version: str) -> SourceItem:
        """Return a page whose version is known from elsewhere; its address says what it is.

        Without an ending that says so it is HTML. A page that turns out to be another thing when it
        is loaded is unreadable.
        """
        name = page_name(url, "") or page_name(url)
        load = partial(self._load, url, name)
        return SourceItem(key=url, name=name, version=version, load=load, url=url)

    def asked(
        self, url: str, *, key: str = "", human: str = "", title: str = ""
    ) -> SourceItem | DocumentState:
        """Ask for a page and return it, or the state in which it ended.

        A page that the server says is gone is skipped, not failed: an index keeps what failed, and
        this one is evidence of removal.
        """
        item = SourceItem(key=key or url, name="", version="", load=bytes, url=human, title=title)
        known = self._known.get(item.key, "")
        evidence = Evidence.read(known)
        try:
            answer = self._fetch(evidence.request(url, self._max_bytes))
        except InputRefused as refusal:
            return DocumentState(key=item.key, state="failed", reason=refusal.message)
        if answer.status == 304 and evidence.url:
            return self._found(url, evidence, replace(item, version=known))
        if answer.status != 200:
            state: StateName = "skipped" if answer.status in GONE else "failed"
            return DocumentState(key=item.key, state=state, reason=_refusal(answer.status))
        self._keep(url, answer.body)
        evidence = Evidence.of(answer)
        return self._found(url, evidence, replace(item, version=evidence.version(answer.body)))

    def _found(self, url: str, evidence: Evidence, item: SourceItem) -> SourceItem | DocumentState:
        kind = bare_type(evidence.content_type)
        name = page_name(evidence.url, kind)
        if not name:
            reason = f"no reader takes the type {kind[:100] or 'that is not named'}"
            return DocumentState(key=item.key, state="skipped", reason=reason)
        load = partial(self._load, url, name)
        return replace(
            item,
            name=name,
            load=load,
            url=item.url or evidence.url,
            content_type=evidence.content_type,
        )

    def _load(self, url: str, name: str) -> bytes:
        """Return a page's bytes, kept or asked for; raises `DocumentUnreadable`."""
        if url in self._kept:
            return self._kept[url]
        try:
            answer = self.fetch(url, self._max_bytes)
        except InputRefused as refusal:
            raise DocumentUnreadable(refusal.message, retryable=refusal.retryable) from refusal
        if answer.status != 200:
            raise DocumentUnreadable(_refusal(answer.status), retryable=answer.status >= 500)
        ending = ending_of(page_name(answer.url, answer.content_type))
        if ending != ending_of(name):
            raise DocumentUnreadable(f"it came as {answer.content_type[:100] or 'no named type'}")
        return answer.body

    def _keep(self, url: str, body: bytes) -> None:
        self._kept_bytes += len(body) - len(self._kept.pop(url, b""))
        self._kept[url] = body
        while self._kept_bytes > _KEPT_BYTES:
            self._kept_bytes -= len(self._kept.popitem(last=False)[1])


def _refusal(status: int) -> str:
    gone = "the page is gone: " if status in GONE else ""
    return f"{gone}the server answered with status {status}"
