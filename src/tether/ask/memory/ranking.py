"""Which memories a question recalls."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from tether.batteries.storage.records import MemoryRecord
from tether.retrieval.lexical.settings import WordSettings
from tether.retrieval.lexical.word_lane import WordAnalysis

HALF_LIFE_DAYS = 90.0
LONGEST_READ = 2_000
"""Characters of a question or a memory whose words are compared."""

_WORDS, _IMPORTANCE, _CONFIDENCE, _RECENCY = 0.6, 0.2, 0.1, 0.1
_LANGUAGE = "en"
"""Of texts too short to tell."""


def rank(
    records: Sequence[MemoryRecord], question: str, *, limit: int, now: datetime
) -> list[MemoryRecord]:
    """Return the memories to recall, the best first: always the same for the same input.

    The share of the question's words that a memory holds counts most, then importance, confidence
    and age. Only active and intact memories are recalled. What did not come from the person has to
    share a word with the question, and no source of that kind takes more than half of the places.
    Contradicting memories are not decided between: both are recalled.
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


def _shares(texts: Sequence[str], question: str) -> list[float]:
    """Return which share of the question's telling words each text holds, stemmed."""
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
