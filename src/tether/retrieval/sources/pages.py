"""Web pages as items: requested with the evidence of the last time, and loaded late."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from urllib.parse import unquote_to_bytes, urlsplit

from tether.core.errors import InputRefused
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.source import DocumentState, SourceItem, StateName
from tether.retrieval.sources.fetch import Fetch, Fetched, FetchRequest, PatientFetch, bare_type
from tether.retrieval.sources.folder_settings import ENDINGS
from tether.retrieval.sources.names import ending_of, readable

GONE = frozenset({404, 410})
"""The status of a page that does not exist, as opposed to one that cannot be reached."""

_KEPT_BYTES = 64_000_000

_LONGEST_TYPE = 200
_ENDING_OF_TYPE = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/x-rst": ".rst",
    "text/prs.fallenstein.rst": ".rst",
    "application/pdf": ".pdf",
    "application/x-ipynb+json": ".ipynb",
}
_SAYS_LITTLE = frozenset({"", "text/plain", "application/octet-stream", "application/json"})
"""Types that servers give to all kinds of text; the URL says more."""


class Pages:
    """Turns URLs into items. `known` has the version of each page that an index holds.

    The server sends a changed page with its answer, so the body is kept for `load`. The latest
    bodies are kept up to a limit; other pages are requested again.
    """

    __slots__ = ("_fetch", "_kept", "_kept_bytes", "_known", "_max_bytes")

    def __init__(self, fetch: Fetch, *, known: Mapping[str, str], max_bytes: int) -> None:
        self._fetch = fetch if isinstance(fetch, PatientFetch) else PatientFetch(fetch)
        self._known = known
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._kept_bytes = 0

    def fetch(self, url: str, most: int) -> Fetched:
        """Return the answer for a URL; raises `InputRefused`."""
        return self._fetch(FetchRequest(url=url, max_bytes=most))

    def unrequested(self, url: str, version: str) -> SourceItem:
        """Return a page whose version is known from elsewhere, without requesting it.

        The ending of the URL decides its type, HTML without a known one. A page that has another
        type when it is loaded is unreadable.
        """
        name = page_name(url, "") or page_name(url)
        load = partial(self._load, url, name)
        return SourceItem(key=url, name=name, version=version, load=load, url=url)

    def requested(
        self, url: str, *, key: str = "", human: str = "", title: str = ""
    ) -> SourceItem | DocumentState:
        """Request a page and return it, or the state in which it ended.

        A page that is gone is skipped, not failed: an index keeps documents that failed, but
        removes this one.
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
            reason = f"no reader takes the type {kind[:100] or '(none given)'}"
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
        """Return the bytes of a page, kept or requested; raises `DocumentUnreadable`."""
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
            raise DocumentUnreadable(
                f"it was sent as {answer.content_type[:100] or 'a page without a type'}"
            )
        return answer.body

    def _keep(self, url: str, body: bytes) -> None:
        self._kept_bytes += len(body) - len(self._kept.pop(url, b""))
        self._kept[url] = body
        while self._kept_bytes > _KEPT_BYTES:
            self._kept_bytes -= len(self._kept.popitem(last=False)[1])


def _refusal(status: int) -> str:
    gone = "the page is gone: " if status in GONE else ""
    return f"{gone}the server answered with status {status}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The validators of one version of a page (`etag`, `last_modified`), its type and final URL.

    A "not modified" answer has neither type nor final URL, and an item needs both: so they are
    stored with the validators. `content_type` is the whole header, with the character set.
    """

    etag: str = ""
    last_modified: str = ""
    content_type: str = ""
    url: str = ""

    @classmethod
    def of(cls, answer: Fetched) -> Evidence:
        """Return the evidence in an answer."""
        return cls(
            etag=answer.headers.get("etag", ""),
            last_modified=answer.headers.get("last-modified", ""),
            content_type=answer.headers.get("content-type", "").strip()[:_LONGEST_TYPE],
            url=answer.url,
        )

    @classmethod
    def read(cls, version: str) -> Evidence:
        """Return the evidence in a version; empty for any other text."""
        try:
            found = json.loads(version)
        except ValueError:
            return cls()
        texts = isinstance(found, list) and all(isinstance(text, str) for text in found)
        if not texts or len(found) != 4:
            return cls()
        etag, modified, content_type, url = found
        return cls(etag=etag, last_modified=modified, content_type=content_type, url=url)

    def request(self, url: str, most: int) -> FetchRequest:
        """Return the request for a page unless it is still this version."""
        return FetchRequest(
            url=url, etag=self.etag, last_modified=self.last_modified, max_bytes=most
        )

    def version(self, body: bytes) -> str:
        """Return the evidence as text, for a page without validators the hash of its body."""
        if not self.etag and not self.last_modified:
            return f"sha256 {sha256(body).hexdigest()}"
        return json.dumps([self.etag, self.last_modified, self.content_type, self.url])


def page_name(url: str, content_type: str = "text/html") -> str:
    """Return a name for a page, whose ending selects the reader; "" if no reader takes its type."""
    last = readable(unquote_to_bytes(urlsplit(url).path.rpartition("/")[2])) or "index"
    own = ending_of(last)
    if content_type in _SAYS_LITTLE:
        if own in ENDINGS:
            return last
        return f"{last}.txt" if content_type == "text/plain" else ""
    ending = _ENDING_OF_TYPE.get(content_type, "")
    if not ending:
        return last if own in ENDINGS and content_type.startswith("text/") else ""
    return last if own == ending else f"{last}{ending}"
