"""Comparing sources with the index, reading as little as possible.

A source's own evidence (size and time, an ETag) decides first, then the hash of the bytes. Only
what a completed scan did not name is removed: a scan that fails raises, and nothing is planned.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from tether.core.canonical import canonical_json
from tether.core.cleaning import clean_text
from tether.core.errors import DocumentUnreadable
from tether.retrieval.index.plan import Plan, PlannedRead
from tether.retrieval.index.records import content_hash
from tether.retrieval.index.rows import Outcome
from tether.retrieval.source import SourceItem
from tether.retrieval.state import DocumentState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tether.retrieval.index.generation import Entry
    from tether.retrieval.index.parts import Parts
    from tether.retrieval.index.rows import Rows
    from tether.retrieval.source import Source

KEPT_BYTES = 64_000_000
"""So many bytes that were loaded for comparing are kept for applying; the rest is loaded again."""

SETTLED = ("empty", "skipped", "failed")


def make_plan(
    rows: Rows,
    parts: Parts,
    sources: Sequence[Source],
    *,
    forget: Sequence[str] = (),
    rebuild: bool = False,
    scanned: Callable[[int], None],
) -> Plan:
    """Return what is to be done so that the index holds what the sources hold."""
    with rows.together():
        generation = rows.current() if rows.heads() else None
        entries = {entry.key: entry for entry in rows.entries_of(generation)} if generation else {}
        outcomes = rows.outcomes()
        names = set(rows.sources()) | {source.name for source in sources}
    comparison = Comparison(parts, entries, outcomes, prefixes(names - set(forget)), scanned)
    for source in sources:
        comparison.scan(source)
    built = generation.lanes if generation else {}
    wanted = {name: lane.fingerprint for name, lane in parts.lanes.items()}
    return Plan(
        base=generation.number if generation else None,
        sources=tuple(source.name for source in sources),
        added=tuple(comparison.added),
        changed=tuple(comparison.changed),
        unchanged=tuple(comparison.unchanged),
        removed=tuple(comparison.gone({source.name for source in sources} | set(forget))),
        outcomes=tuple(comparison.outcomes),
        lanes=tuple(name for name in wanted if rebuild or (built and built[name] != wanted[name])),
        forget=tuple(forget),
    )


def prefixes(names: Iterable[str]) -> dict[str, str]:
    """Return what is put before the keys of each source, so that no two sources share a key.

    Nothing where there is one source. Otherwise the last part of its name, as a folder, counted
    where two end alike. Keys that are addresses are unique already and stay as they are.
    """
    ordered = sorted(names)
    if len(ordered) == 1:
        return {ordered[0]: ""}
    taken: dict[str, int] = {}
    found: dict[str, str] = {}
    for name in ordered:
        label = name.rstrip("/").rpartition("/")[2] or "source"
        taken[label] = taken.get(label, 0) + 1
        found[name] = f"{label}/" if taken[label] == 1 else f"{label}~{taken[label]}/"
    return found


def reading_of(parts: Parts, item: SourceItem) -> str:
    """Return the fingerprint of everything but the bytes that an item's chunks depend on."""
    given = [clean_text(fact) for fact in (item.name, item.url, item.content_type)]
    facts = [parts.readers, parts.chunker.fingerprint, *given]
    return sha256(canonical_json(facts).encode()).hexdigest()[:32]


class Comparison:
    """Sorts what the sources name into what is new, changed, the same, and left out."""

    def __init__(
        self,
        parts: Parts,
        entries: dict[str, Entry],
        known: dict[str, Outcome],
        before: dict[str, str],
        scanned: Callable[[int], None],
    ) -> None:
        self._parts = parts
        self._entries = entries
        self._known = known
        self._before = before
        self._scanned = scanned
        self._seen: set[str] = set()
        self._kept = 0
        self.added: list[PlannedRead] = []
        self.changed: list[PlannedRead] = []
        self.unchanged: list[str] = []
        self.outcomes: list[Outcome] = []

    def scan(self, source: Source) -> None:
        """Take in everything that a source names; raises `SourceUnavailable`."""
        for found in source.scan():
            before = "" if "://" in found.key else self._before[source.name]
            known = replace(found, key=before + found.key)
            if isinstance(known, DocumentState):
                self._leave_out(known, source.name)
            elif known.key in self._seen:
                self._twice(known, source.name)
            else:
                self._seen.add(known.key)
                self._take(known, source.name)
            self._scanned(len(self._seen))

    def gone(self, sources: set[str]) -> list[str]:
        """Return the indexed documents of completely scanned sources that none of them named."""
        return [
            key
            for key, entry in self._entries.items()
            if entry.source in sources and key not in self._seen
        ]

    def _leave_out(self, state: DocumentState, source: str) -> None:
        """A failure keeps what was indexed before; a rule that leaves a document out does not."""
        if state.state == "failed":
            self._seen.add(state.key)
        self.outcomes.append(
            Outcome(
                key=state.key,
                source=source,
                state=state.state,
                reason=state.reason,
                notes=state.notes,
            )
        )

    def _twice(self, item: SourceItem, source: str) -> None:
        """Two things under one key: the first one counts, and the other is not passed over."""
        key = f"{item.key} (again in {source})"
        reason = "a document with this key was named before"
        self.outcomes.append(Outcome(key=key, source=source, state="skipped", reason=reason))

    def _take(self, item: SourceItem, source: str) -> None:
        reading = reading_of(self._parts, item)
        entry = self._entries.get(item.key)
        known = self._known.get(item.key)
        try:
            content, data = self._content(item, entry, known)
        except DocumentUnreadable as error:
            self.outcomes.append(
                Outcome(key=item.key, source=source, state="failed", reason=error.message)
            )
            return
        if entry is not None and (entry.content, entry.reading) == (content, reading):
            self._same(item, source, entry, known)
        elif known is not None and _is_settled(known, content, reading):
            self.outcomes.append(replace(known, source=source, evidence=item.version))
        else:
            self._read(PlannedRead(item=item, source=source, reading=reading, data=data), entry)

    def _content(
        self, item: SourceItem, entry: Entry | None, known: Outcome | None
    ) -> tuple[str, bytes | None]:
        """Return the hash of the bytes, and the bytes where they had to be loaded for it.

        Nothing is loaded for a document that must be read in any case.
        """
        if known is not None and known.content and item.version == known.evidence != "":
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


def _is_settled(known: Outcome, content: str, reading: str) -> bool:
    """Return whether reading the same bytes again would end in the same state."""
    same = (known.content, known.reading) == (content, reading)
    return bool(content) and known.state in SETTLED and same
