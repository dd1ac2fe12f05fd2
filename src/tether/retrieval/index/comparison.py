"""The comparison of sources with the index, which reads as little as possible.

The evidence of a source (size and time, an ETag) decides first, then the hash of the bytes. Only
documents that a complete scan did not name are removed: a scan that fails raises, and there is no
plan.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from tether.core.clean_text import clean_text
from tether.core.plain_data import canonical_json
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.index.records import Outcome, content_hash
from tether.retrieval.source import DocumentState, SourceItem

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.retrieval.index.generation import Entry
    from tether.retrieval.index.parts import Parts
    from tether.retrieval.source import Source

KEPT_BYTES = 64_000_000
"""Of the bytes loaded for the comparison, this many are kept for the update."""

SETTLED = ("empty", "skipped", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRead:
    """A document to read. `data` is set if the comparison already had to load the bytes."""

    item: SourceItem
    source: str
    reading: str
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The content of the index, and the sources that this plan may change (`open`).

    `prefixes` has the prefix of the keys of each source; `again` retries documents that failed.
    """

    entries: dict[str, Entry]
    outcomes: dict[str, Outcome]
    prefixes: dict[str, str]
    open: frozenset[str]
    again: bool


def reading_of(parts: Parts, item: SourceItem) -> str:
    """Return the fingerprint of everything besides the bytes that the chunks depend on."""
    given = [item.name, item.url, item.content_type, item.title, item.anchors]
    facts = [parts.readers, parts.chunker.fingerprint, *given]
    return sha256(canonical_json(facts).encode()).hexdigest()[:32]


class Comparison:
    """Sorts the documents of the sources into added, changed, unchanged and left out."""

    def __init__(
        self,
        parts: Parts,
        known: Known,
        scanned: Callable[[int], None],
    ) -> None:
        self._parts = parts
        self._known = known
        self._scanned = scanned
        self._seen: set[str] = set()
        self._left: set[str] = set()
        self._kept = 0
        self.shut: list[str] = []
        self.added: list[PlannedRead] = []
        self.changed: list[PlannedRead] = []
        self.unchanged: list[str] = []
        self.outcomes: list[Outcome] = []

    def scan(self, source: Source) -> None:
        """Compare every document of a source; raises `SourceUnavailable`."""
        name = clean_text(source.name)
        before = self._known.prefixes[name]
        for found in source.scan():
            key = clean_text(found.key)
            key = key if "://" in key else before + key
            if self._is_foreign(key):
                self._twice(key, name)
            elif isinstance(found, DocumentState):
                self._leave_out(replace(found, key=key), name)
            elif key in self._seen:
                self._twice(key, name)
            else:
                self._seen.add(key)
                self._take(_cleaned(found, key), name)
            self._scanned(len(self._seen))

    def gone(self) -> list[str]:
        """Return the indexed documents that their source no longer has.

        Documents below a folder that could not be opened are not among them.
        """
        return [
            key
            for key, entry in self._known.entries.items()
            if key in self._left
            or (
                entry.source in self._known.open
                and key not in self._seen
                and not key.startswith(tuple(self.shut))
            )
        ]

    def _is_foreign(self, key: str) -> bool:
        """Return whether a key belongs to a document of a source outside this plan."""
        entry = self._known.entries.get(key)
        return entry is not None and entry.source not in self._known.open

    def _leave_out(self, state: DocumentState, source: str) -> None:
        """Record a document without an item: only a failure keeps the indexed version."""
        if state.state == "failed":
            self._seen.add(state.key)
            if state.key.endswith("/"):
                self.shut.append(state.key)
        self.outcomes.append(
            Outcome(
                key=state.key,
                source=source,
                state=state.state,
                reason=state.reason,
                notes=state.notes,
            )
        )

    def _twice(self, key: str, source: str) -> None:
        """Record the second document with a key as skipped."""
        again = f"{key} (again in {source})"
        reason = "a document with this key was named before"
        self.outcomes.append(Outcome(key=again, source=source, state="skipped", reason=reason))

    def _take(self, item: SourceItem, source: str) -> None:
        reading = reading_of(self._parts, item)
        entry = self._known.entries.get(item.key)
        known = self._known.outcomes.get(item.key)
        try:
            content, data = self._content(item, source, entry, known)
        except DocumentUnreadable as error:
            self.outcomes.append(
                Outcome(key=item.key, source=source, state="failed", reason=error.message)
            )
            return
        facts = (source, content, reading)
        if entry is not None and (entry.source, entry.content, entry.reading) == facts:
            self._same(item, source, entry, known)
        elif known is not None and self._is_settled(known, content, reading):
            self.outcomes.append(replace(known, source=source, evidence=item.version))
            if known.state != "failed":
                self._left.add(item.key)
        else:
            self._read(PlannedRead(item=item, source=source, reading=reading, data=data), entry)

    def _content(
        self, item: SourceItem, source: str, entry: Entry | None, known: Outcome | None
    ) -> tuple[str, bytes | None]:
        """Return the hash of the bytes, and the bytes if they had to be loaded for it.

        A document that must be read in any case is not loaded here, and its hash is "".
        """
        if known is not None and known.content and _is_evident(item, source, known):
            return known.content, None
        if entry is None and (known is None or not known.content):
            return "", None
        data = item.load()
        return content_hash(data), data

    def _same(self, item: SourceItem, source: str, entry: Entry, known: Outcome | None) -> None:
        self.unchanged.append(item.key)
        settled = Outcome(
            key=item.key,
            source=source,
            state="indexed",
            notes=known.notes if known else (),
            chunks=entry.chunks,
            content=entry.content,
            reading=entry.reading,
            evidence=item.version,
        )
        if settled != known:
            self.outcomes.append(settled)

    def _read(self, read: PlannedRead, entry: Entry | None) -> None:
        self._kept += len(read.data or b"")
        kept = read if self._kept <= KEPT_BYTES else replace(read, data=None)
        (self.added if entry is None else self.changed).append(kept)

    def _is_settled(self, known: Outcome, content: str, reading: str) -> bool:
        """Return whether reading the same bytes again would end in the same state."""
        same = (known.content, known.reading) == (content, reading)
        again = self._known.again and known.state == "failed"
        return bool(content) and known.state in SETTLED and same and not again


def _is_evident(item: SourceItem, source: str, known: Outcome) -> bool:
    """Return whether the evidence of the source shows that the document did not change."""
    return bool(item.version) and (source, item.version) == (known.source, known.evidence)


def _cleaned(item: SourceItem, key: str) -> SourceItem:
    """Return an item whose texts can be stored in a database."""
    return replace(
        item,
        key=key,
        name=clean_text(item.name),
        version=clean_text(item.version),
        url=clean_text(item.url),
        content_type=clean_text(item.content_type),
        title=clean_text(item.title),
    )
