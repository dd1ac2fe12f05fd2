"""The judgement of each statement of an answer: the quote that says it, or what is wrong with it.

A statement stands if it is a whole sentence of a document, or if the verifier finds that a quote
supports it, the exact checks find nothing changed, and no unit of any passage that is closer to it
disagrees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from typing import Literal

from tether.ask.citations.fidelity import fault_of, limits
from tether.ask.citations.passage import Sentence, Window
from tether.ask.citations.phrases import contradicts_opening, without_preamble
from tether.ask.citations.quotes import Candidate, Quotes
from tether.ask.citations.statements import Statement
from tether.ask.errors import VerifierFailed
from tether.ask.evidence import Evidence
from tether.ask.verification.port import Claim, Opinion, Verifier
from tether.text.markdown.marks import without_marks
from tether.text.sentences import is_ended

MOST_STATEMENTS = 60
"""How many statements of one answer are looked up; further ones do not stand."""

FEWEST_WORDS = 6
"""A shorter statement is read together with its question."""

_CLOSER = 0.05
_YES_OR_NO = re.compile(r"(?:yes|no)\b", re.IGNORECASE)

Standing = Literal["verbatim", "supported", "unsupported", "contradicted", "inexact"]
"""A whole sentence of a document; said by its quote in other words; by none; a closer unit
disagrees; a number, a name, a bound or a quotation was changed."""

NOT_SAID = "no passage says this"
OTHERWISE = "a passage says otherwise"
UNREAD = "no passage has this sentence"

_Pair = tuple[Candidate, Opinion]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A statement with its standing; `text` is what is shown of it if it stands.

    `window` is the quote that it rests on, or the closest one that was read. `probability` is the
    verifier's of support, 1 for a whole sentence of a document, 0 where it was not asked.
    """

    statement: Statement
    text: str
    standing: Standing
    window: Window | None = None
    probability: float = 0.0
    fault: str = ""
    moved: bool = False
    continues: bool = False
    """Whether it is a clause that goes on with the sentence of the one before it."""

    @property
    def stands(self) -> bool:
        """Whether it may be shown."""
        return self.standing in ("verbatim", "supported")


class Bench:
    """Judges the statements of one answer to a question.

    `problem` says afterwards why the verifier has read nothing, "" where it was not needed or read.
    """

    def __init__(self, quotes: Quotes, question: str, verifier: Verifier | None) -> None:
        self._quotes = quotes
        self._question = question
        self._verifier = verifier
        self.problem = ""
        self._openings: dict[Claim, float] = {}
        self._supported_at = inf if verifier is None else verifier.supported_at
        self._contradicted_at = inf if verifier is None else verifier.contradicted_at

    def judge(self, statements: Sequence[Statement]) -> list[Judged]:
        """Return the statements in their order, each judged; a sentence may fall into clauses."""
        trials = [
            _Trial(one, self._versions(one), self._clauses(one))
            for one in islice(statements, MOST_STATEMENTS)
        ]
        self._read(one for trial in trials for one in (*trial.versions, *trial.clauses))
        judged = [one for trial in trials for one in self._decided(trial)]
        left = (_unsupported(one, one.text) for one in statements[MOST_STATEMENTS:])
        return [*judged, *left]

    def _versions(self, statement: Statement) -> list[_Version]:
        """Return the forms in which a statement may stand, the fullest first."""
        cited = {one.number for each in statement.cited for one in each}
        if statement.layout == "code":
            return [self._found(_Version(statement.text, "", cited, is_code=True))]
        bare = without_preamble(without_marks(statement.text) or statement.text)
        found = [_Version(bare, self._asked(bare), cited)]
        if statement.opening:
            full = f"{statement.opening.rstrip(' *_')} {bare}"
            found.insert(0, _Version(full, self._asked(full), cited, opening=statement.opening))
        return [self._found(version) for version in found]

    def _clauses(self, statement: Statement) -> list[_Version]:
        """Return the parts of a sentence that end with a citation each, where there are several."""
        return [
            self._found(_Version(text, text, {one.number for one in cited}))
            for text, cited in _parts(statement)
        ]

    def _found(self, version: _Version) -> _Version:
        """Return a version with where to read about it."""
        version.verbatim = self._verbatim(version)
        if version.verbatim is None and not version.is_code:
            version.candidates = self._quotes.candidates(version.asked, version.cited)
        return version

    def _verbatim(self, version: _Version) -> Sentence | None:
        """Return the sentence that a text is.

        Where the lead-in of its unit limits it, a sentence is not it, and words that are not a
        sentence are shown after the lead-in.
        """
        if version.opening:
            return None
        if version.is_code:
            return self._quotes.code(version.text, version.cited)
        found = self._quotes.verbatim(version.text, version.cited)
        if found is None or not limits(found.window.units[0].lead_text):
            return found
        is_sentence = is_ended(found.text)
        return None if is_sentence else Sentence(found.window.reading, found.window)

    def _asked(self, text: str) -> str:
        return after_question(text, self._question)

    def _read(self, versions: Iterable[_Version]) -> None:
        """Let the verifier read the nearest window of each statement, then others where it must."""
        listed = list(versions)
        self._verify([(one, each) for one in listed for each in one.candidates[:1]])
        self._verify([(one, each) for one in listed for each in self._unread(one)])

    def _verify(self, pending: Sequence[tuple[_Version, Candidate]]) -> None:
        """Let the verifier read everything at once; where it fails, it has read nothing."""
        claims = [Claim(one.asked, each.window.premise) for one, each in pending]
        if self._verifier is None or not claims or self.problem:
            return
        try:
            opinions = self._verifier.verify(claims)
        except VerifierFailed as error:
            self.problem = error.message
            return
        for (version, candidate), opinion in zip(pending, opinions, strict=True):
            version.read.append((candidate, opinion))

    def _unread(self, version: _Version) -> list[Candidate]:
        """Return the windows still to read: all, or those as close as one that supports."""
        rest = version.candidates[1:]
        chosen = next((one for one, _ in self._supporting(version)), None)
        if chosen is None or self._fault(version, chosen):
            return rest
        return [one for one in rest if one.covered >= chosen.covered - _CLOSER]

    def _decided(self, trial: _Trial) -> list[Judged]:
        outcomes = [self._outcome(trial.statement, one) for one in trial.versions]
        best = next((one for one in outcomes if one.stands), outcomes[-1])
        clauses = [self._outcome(trial.statement, one) for one in trial.clauses]
        whole = best.stands or not clauses or not all(one.stands for one in clauses)
        if whole:
            return [best]
        return [clauses[0], *(replace(one, continues=True) for one in clauses[1:])]

    def _outcome(self, statement: Statement, version: _Version) -> Judged:
        if version.verbatim is not None:
            return _verbatim(statement, version, version.verbatim)
        if not version.read:
            return _unsupported(statement, version.text, UNREAD)
        supporting = self._supporting(version)
        faults: list[str] = []
        for pair in supporting:
            faults.append(self._fault(version, pair[0]))
            if not faults[-1]:
                return self._upheld(statement, version, pair)
        if faults:
            return _failing(statement, version, supporting[0], ("inexact", faults[0]))
        nearest = max(version.read, key=lambda pair: pair[1].supports)
        is_denied = nearest[1].contradicts >= self._contradicted_at
        if is_denied:
            return _failing(statement, version, nearest, ("contradicted", OTHERWISE))
        return _failing(statement, version, nearest, ("unsupported", NOT_SAID))

    def _supporting(self, version: _Version) -> list[_Pair]:
        """Return the windows that support a statement, those of cited passages first."""
        found = [pair for pair in version.read if pair[1].supports >= self._supported_at]
        return sorted(
            found,
            key=lambda pair: (pair[0].window.number not in version.cited, -pair[1].supports),
        )

    def _upheld(self, statement: Statement, version: _Version, pair: _Pair) -> Judged:
        if self._is_denied(version, pair[0]):
            return _failing(statement, version, pair, ("contradicted", OTHERWISE))
        return _supported(statement, version, pair)

    def _fault(self, version: _Version, candidate: Candidate) -> str:
        quotes, language = self._quotes, candidate.window.passage.language
        said, quoted = quotes.said(version.text, language), quotes.said_in(candidate.window)
        if version.opening:
            asked = quotes.said(self._question, language)
            rest = quotes.said(version.text.removeprefix(version.opening), language)
            if contradicts_opening(version.opening, version.text, asked, rest):
                return "the opening contradicts the rest"
            if not self._is_opened(version.opening, candidate.window):
                return "the quote does not say this yes or no"
        return fault_of(version.text, said, candidate.window, quoted)

    def _is_opened(self, opening: str, window: Window) -> bool:
        """Say whether a quote supports a "Yes" or "No" to the question by itself."""
        claim = Claim(f"{self._question} {opening.strip(' *_,;:.!')}.", window.premise)
        if claim not in self._openings and self._verifier is not None:
            try:
                self._openings[claim] = self._verifier.verify([claim])[0].supports
            except VerifierFailed as error:
                self.problem = error.message
        return self._openings.get(claim, 0.0) >= self._supported_at

    def _is_denied(self, version: _Version, chosen: Candidate) -> bool:
        """Say whether a unit of any passage is at least as close to a statement, and disagrees."""
        own = {id(one) for one in chosen.window.units}
        return any(
            opinion.contradicts >= self._contradicted_at
            and candidate.covered >= chosen.covered - _CLOSER
            and not own & {id(one) for one in candidate.window.units}
            for candidate, opinion in version.read
        )


@dataclass(slots=True)
class _Version:
    """One form of a statement, with the windows that were read for it."""

    text: str
    asked: str
    cited: set[int]
    opening: str = ""
    is_code: bool = False
    verbatim: Sentence | None = None
    candidates: list[Candidate] = field(default_factory=list[Candidate])
    read: list[_Pair] = field(default_factory=list[tuple[Candidate, Opinion]])


@dataclass(slots=True)
class _Trial:
    statement: Statement
    versions: list[_Version]
    clauses: list[_Version]


def _parts(statement: Statement) -> list[tuple[str, tuple[Evidence, ...]]]:
    """Return the clauses of a statement with their passages; the end joins the last one."""
    texts = statement.clauses
    if len(statement.cited) < 2 or len(texts) != len(statement.cited) + 1:
        return []
    parts = [(text, cited) for text, cited in zip(texts, statement.cited, strict=False) if text]
    if len(parts) < 2:
        return []
    last, cited = parts[-1]
    joint = "" if texts[-1][:1] in ".!?" else " "
    return [*parts[:-1], (f"{last}{joint}{texts[-1]}".rstrip(), cited)]


def _verbatim(statement: Statement, version: _Version, found: Sentence) -> Judged:
    """Return a statement that is a whole sentence of a document, in the document's spelling."""
    return Judged(
        statement=statement,
        text=found.text,
        standing="verbatim",
        window=found.window,
        probability=1.0,
        moved=_is_moved(version, found.window),
    )


def _supported(statement: Statement, version: _Version, pair: _Pair) -> Judged:
    candidate, opinion = pair
    is_opened = bool(statement.opening) and not version.opening
    text = version.text
    return Judged(
        statement=statement,
        text=text[:1].upper() + text[1:] if is_opened else text,
        standing="supported",
        window=candidate.window,
        probability=opinion.supports,
        moved=_is_moved(version, candidate.window),
    )


def _is_moved(version: _Version, window: Window) -> bool:
    return bool(version.cited) and window.number not in version.cited


def _failing(
    statement: Statement, version: _Version, pair: _Pair, verdict: tuple[Standing, str]
) -> Judged:
    candidate, opinion = pair
    standing, fault = verdict
    return Judged(
        statement=statement,
        text=version.text,
        standing=standing,
        window=candidate.window,
        probability=opinion.supports,
        fault=fault,
    )


def after_question(text: str, question: str) -> str:
    """Return a terse statement, or a "Yes" or "No", after the question that it answers."""
    is_terse = len(text.split()) < FEWEST_WORDS or _YES_OR_NO.match(text)
    return f"{question} {text}" if is_terse and question else text


def _unsupported(statement: Statement, text: str, fault: str = NOT_SAID) -> Judged:
    return Judged(statement=statement, text=text, standing="unsupported", fault=fault)
