"""What the gate makes of statements that are known to be true or false."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Any

from tether.ask.citations.review import Review, ReviewRules, review
from tether.ask.errors import VerifierFailed
from tether.ask.evaluation.truth_set import TRUE, Trial, TruthCase, TruthSet
from tether.retrieval.measures import Interval, wilson

if TYPE_CHECKING:
    from tether.ask.citations.draft import Draft
    from tether.ask.citations.judgement import Judged
    from tether.ask.evidence import Evidence
    from tether.ask.verification.port import Claim, Opinion, Verifier

EXACT = frozenset({"number", "unit", "negation", "comparator"})
"""The kinds of false statements that exact checks should find."""

TRUE_KEPT, TRUE_QUOTED = "true kept", "true not kept, quoted instead"
FALSE_SHOWN, FALSE_QUOTED = "false shown", "false not shown, quoted instead"
FALSE_EXACT = "false shown, numbers, units, negations and comparators"
"""The names of the counts."""


_MARKS = re.compile(r"[`*]+|[.\s]+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """One statement, and what a turn would show of it.

    `shown` is whether it is shown as it was made: of a true statement every sentence, of a false
    one any. `quoted` is whether words of its quote are shown instead. `standing`, `probability`,
    `fault` and `reading` are of the sentence that decides, `reading` being what it was read beside.
    `review_ms` and `verifier_ms` are CPU time, apart.
    """

    id: str
    kind: str
    text: str
    question: str
    shown: bool
    quoted: bool
    standing: str
    probability: float
    fault: str
    reading: str
    claims: int
    review_ms: float
    verifier_ms: float

    @property
    def is_true(self) -> bool:
        """Whether the statement follows from its quote."""
        return self.kind == TRUE

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


class Metered:
    """A verifier that counts claims and CPU time, and keeps the failure that a review forgives."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier
        self.claims = 0
        self.spent = 0.0
        self.failure: VerifierFailed | None = None

    @property
    def fingerprint(self) -> str:
        """That of the verifier."""
        return self._verifier.fingerprint

    @property
    def supported_at(self) -> float:
        """That of the verifier."""
        return self._verifier.supported_at

    @property
    def contradicted_at(self) -> float:
        """That of the verifier."""
        return self._verifier.contradicted_at

    def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
        """Return the verifier's opinions; raises `VerifierFailed`."""
        started = thread_time()
        self.claims += len(claims)
        try:
            return self._verifier.verify(claims)
        except VerifierFailed as error:
            self.failure = error
            raise
        finally:
            self.spent += thread_time() - started


def weigh_all(
    sets: Sequence[TruthSet],
    verifier: Verifier | None,
    *,
    others: int = 5,
    seed: int = 0,
    workers: int = 1,
) -> Iterator[Weighed]:
    """Yield every statement, judged as the gate would in a turn with `others` more passages.

    The verifier should work in the thread that calls it, or its CPU time is not counted. Raises
    `VerifierFailed`.
    """
    pool = ThreadPoolExecutor(workers, thread_name_prefix="tether-truth")
    try:
        for one in sets:
            weigh = partial(_weighed, one, verifier, others, seed)
            for found in pool.map(weigh, one.cases):
                yield from found
    finally:
        pool.shutdown(cancel_futures=True)


def _weighed(
    of: TruthSet, verifier: Verifier | None, others: int, seed: int, case: TruthCase
) -> list[Weighed]:
    passages = of.passages(case, others, seed)
    return [_weigh(case, trial, passages, verifier) for trial in case.trials]


def _weigh(
    case: TruthCase, trial: Trial, passages: Sequence[Evidence], verifier: Verifier | None
) -> Weighed:
    """Review a statement as a model would write it: with the mark of its passage."""
    metered = None if verifier is None else Metered(verifier)
    started = thread_time()
    found = review(f"{trial.text} [1]", passages, case.question, ReviewRules(verifier=metered))
    spent = thread_time() - started
    if metered is not None and metered.failure is not None:
        raise metered.failure
    read = 0.0 if metered is None else metered.spent
    standing = [one for one in found.judged if one.stands and _says(one, trial)]
    failing = [one for one in found.judged if one not in standing]
    shown = bool(standing) and (trial.kind != TRUE or not failing)
    told = next(iter(standing if shown else failing), None)
    return Weighed(
        id=case.id,
        kind=trial.kind,
        text=trial.text,
        question=case.question,
        shown=shown,
        quoted=not shown and _quotes(found, case),
        standing="unstated" if told is None else told.standing,
        probability=0.0 if told is None else round(told.probability, 4),
        fault="" if told is None else told.fault,
        reading="" if told is None or told.window is None else told.window.premise,
        claims=0 if metered is None else metered.claims,
        review_ms=round((spent - read) * 1000, 3),
        verifier_ms=round(read * 1000, 3),
    )


def _says(one: Judged, trial: Trial) -> bool:
    """Say whether a statement that stands is shown as it was made: a document may correct it."""
    is_own = one.standing == "supported" or _plain(one.text) in _plain(trial.text)
    return trial.kind == TRUE or is_own


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split()).casefold()


def _quotes(found: Review, case: TruthCase) -> bool:
    """Say whether the answer at the end has words of the quote."""
    draft: Draft | None = found.repaired
    start, end = case.place
    return draft is not None and any(
        one.chunk == case.id and one.start < end and start < one.end for one in draft.citations
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many of some statements something holds for, with Wilson's interval of 95 %."""

    name: str
    count: int
    total: int
    interval: Interval

    @classmethod
    def of(cls, name: str, holds: Sequence[bool]) -> Tally:
        """Count; there is one statement at least."""
        count = sum(holds)
        return cls(name=name, count=count, total=len(holds), interval=wilson(count, len(holds)))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


def tallies(weighed: Sequence[Weighed]) -> list[Tally]:
    """Return the counts in the order of a report; those of no statement are left out."""
    true = [one for one in weighed if one.is_true]
    false = [one for one in weighed if not one.is_true]
    counted = [
        (TRUE_KEPT, [one.shown for one in true]),
        (TRUE_QUOTED, [one.quoted for one in true if not one.shown]),
        (FALSE_SHOWN, [one.shown for one in false]),
        (FALSE_EXACT, [one.shown for one in false if one.kind in EXACT]),
        (FALSE_QUOTED, [one.quoted for one in false if not one.shown]),
    ]
    return [Tally.of(name, holds) for name, holds in counted if holds]


def tallies_by_kind(weighed: Sequence[Weighed]) -> list[Tally]:
    """Return the false statements shown of each kind, the largest share first."""
    kinds = dict.fromkeys(one.kind for one in weighed if not one.is_true)
    found = [Tally.of(kind, [one.shown for one in weighed if one.kind == kind]) for kind in kinds]
    return sorted(found, key=lambda one: -one.interval.value)
