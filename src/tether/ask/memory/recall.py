"""The stage that recalls memories: those that matter for the question, best first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from tether.ask.parts import Parts
from tether.ask.reporter import Reporter
from tether.ask.values import Gathered, Material
from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.storage.records import MemoryRecord
from tether.core.tokens import count_tokens
from tether.retrieval.lexical.bm25 import WordSettings
from tether.retrieval.lexical.lanes import WordAnalysis
from tether.runtime.pipeline import Abortable
from tether.text.numbers import counted

MEMORY_SHARE = 0.1
"""How much of the window memories may take: passages would have to give way to more."""

HALF_LIFE_DAYS = 90.0

LONGEST_READ = 2_000
"""Characters of a question or a memory whose words are compared."""

_WORDS, _IMPORTANCE, _CONFIDENCE, _RECENCY = 0.6, 0.2, 0.1, 0.1

_LANGUAGE = "en"
"""The language of texts that are too short to tell."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Adds the owner's memories that matter for the question, as many as fit their share."""

    parts: Parts
    reporter: Reporter

    async def __call__(self, gathered: Gathered, ctx: Abortable) -> Material:
        """Return the passages together with the memories."""
        parts, prepared = self.parts, gathered.found.prepared
        limit = parts.settings.memories
        if not limit:
            return Material(gathered=gathered, memories=())
        owner = prepared.talk.asked.owner
        records = await parts.store.memories(owner=owner, state="active")
        ranked = rank(records, prepared.resolved, limit=limit, now=parts.clock.now())
        found = _fitting(ranked, parts.model.profile)
        tiers = Counter(record.tier for record in found)
        self.reporter.step("memories", "done", counted(len(found), "memory"), tiers=dict(tiers))
        return Material(gathered=gathered, memories=tuple(found))


def rank(
    records: Sequence[MemoryRecord], question: str, *, limit: int, now: datetime
) -> list[MemoryRecord]:
    """Return the memories to recall, the best first: always the same for the same input.

    The share of the question's words that a memory contains counts most, then importance,
    confidence and age. Only active and intact memories are recalled. A memory from another source
    than the person has to share a word with the question, and no such source takes more than half
    of the places. Of two contradicting memories both are recalled.
    """
    usable = [record for record in records if record.state == "active" and record.intact]
    shares = _shares([str(record.memory.content)[:LONGEST_READ] for record in usable], question)
    scored = [
        (_score(record, share, now), record)
        for record, share in zip(usable, shares, strict=True)
        if share or _is_own(record)
    ]
    scored.sort(key=lambda pair: (-pair[0], -pair[1].memory.updated_at.timestamp(), _key(pair[1])))
    return _capped([record for _, record in scored], limit)


def _fitting(ranked: Sequence[MemoryRecord], profile: ModelProfile) -> list[MemoryRecord]:
    """Return the memories that fit their share, the best first; one that is too long is skipped."""
    room, kept = int(MEMORY_SHARE * profile.window), list[MemoryRecord]()
    for record in ranked:
        cost = count_tokens(str(record.memory.content), profile.encoding)
        if cost <= room:
            room -= cost
            kept.append(record)
    return kept


def _shares(texts: Sequence[str], question: str) -> list[float]:
    """Return the share of the question's content words, stemmed, that each text contains."""
    analysis = WordAnalysis(WordSettings())
    read = [analysis.words(text) for text in texts]
    languages = [analysis.language("", words) or _LANGUAGE for words in read]
    forms = analysis.question(question[:LONGEST_READ], tuple(dict.fromkeys(languages)))
    terms_of = cache(analysis.terms)
    shares: list[float] = []
    for words, language in zip(read, languages, strict=True):
        terms = {term for word in words for term in terms_of(word, language)}
        found = sum(not terms.isdisjoint(form) for form in forms)
        shares.append(found / len(forms) if forms else 0.0)
    return shares


def _score(record: MemoryRecord, share: float, now: datetime) -> float:
    memory = record.memory
    days = max((now - memory.updated_at).total_seconds() / 86_400, 0.0)
    recency = math.pow(0.5, days / HALF_LIFE_DAYS)
    weighed = _IMPORTANCE * memory.importance + _CONFIDENCE * memory.confidence
    return _WORDS * share + weighed + _RECENCY * recency


def _capped(ranked: Sequence[MemoryRecord], limit: int) -> list[MemoryRecord]:
    taken: Counter[str] = Counter()
    recalled: list[MemoryRecord] = []
    for record in ranked:
        if len(recalled) >= limit:
            break
        if not _is_own(record):
            source = record.source.partition("#")[0] or record.source
            if taken[source] >= limit // 2:
                continue
            taken[source] += 1
        recalled.append(record)
    return recalled


def _is_own(record: MemoryRecord) -> bool:
    return record.origin == "person"


def _key(record: MemoryRecord) -> tuple[str, str]:
    return record.owner, record.memory.id
