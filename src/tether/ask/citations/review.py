"""The review of an answer before anybody sees it: the draft it becomes, or the failures to mend.

Every sentence that states something has to rest on a retrieved passage: by its own citation, by the
next one in its paragraph or list, or by the last one before it there. Exempt are sentences without
content words, headings and lead-ins of lists (unless they add numbers or names of code), and
sentences whose content words are all in the quotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tether.ask.citations.address import AddressCheck
from tether.ask.citations.draft import Draft, compose
from tether.ask.citations.judgement import Judge, Judged, Standing
from tether.ask.citations.markdown import Block
from tether.ask.citations.phrases import OPENING, leads_in
from tether.ask.citations.quotes import Quotes
from tether.ask.citations.resolver import Resolver
from tether.ask.citations.statements import Reading, read_answer
from tether.ask.evidence import Evidence
from tether.trust.visible import visible_text

FailureKind = Literal["empty", "code", "citation", "phantom", "quote", "unlinked", "address"]
"""The faults of an answer, the most severe first."""

_DIRECTIVES: dict[FailureKind, str] = {
    "empty": "Write an answer to the question.",
    "code": "Answer in plain sentences, without any code.",
    "citation": "End every sentence with the link of the passage it comes from, copied exactly.",
    "phantom": "Use only the links that stand in the passages, copied exactly.",
    "quote": "Say only what the linked passage says, in its own words.",
    "unlinked": 'Do not write "see the documentation"; put the link of the passage there.',
    "address": "Answer the question itself, with sentences of the passages that speak about it.",
}
_KEPT: frozenset[Standing] = frozenset({"found", "misattributed", "plain"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One fault of an answer: `message` for people and traces, `directive` for the model."""

    kind: FailureKind
    message: str
    directive: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRules:
    """The rules of a review: whether code is allowed, and the check of the quotes' address.

    Where `code` is allowed, it stays as the model wrote it: no quote vouches for it.
    """

    code: bool = False
    address: AddressCheck | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The result of a review.

    `draft` is the answer to show if it is accepted. `repaired` is the rest to show if no attempt is
    accepted: only statements with a found quote, without code; None where nothing cited is left or
    the quotes do not address the question. `notes` list the removals and corrections.
    """

    failures: tuple[Failure, ...]
    draft: Draft
    repaired: Draft | None
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the draft may be shown."""
        return not self.failures

    @property
    def directive(self) -> str:
        """The instruction for the model's next attempt; "" for an answer that passed."""
        return self.failures[0].directive if self.failures else ""


def review(text: str, evidence: Sequence[Evidence], question: str, rules: ReviewRules) -> Review:
    """Check a model's answer against the passages of its turn. Pure; linear in the answer."""
    visible = visible_text(text.replace("\r\n", "\n").replace("\r", "\n"))
    resolver, quotes = Resolver(evidence), Quotes(evidence)
    reading = read_answer(visible.text, resolver)
    judged = Judge(evidence, quotes, question).judge(reading.statements)
    examined = _Examined(
        reading=reading,
        judged=judged,
        evidence=evidence,
        rules=rules,
        question=question,
        hidden=visible.hidden,
    )
    return examined.review()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Examined:
    """An answer with its judged statements."""

    reading: Reading
    judged: list[Judged]
    evidence: Sequence[Evidence]
    rules: ReviewRules
    question: str
    hidden: int

    def review(self) -> Review:
        draft = compose(self._parts(self.judged, with_code=self.rules.code))
        failures = self._failures()
        kept = self._kept()
        repaired = compose(self._parts(kept, with_code=False))
        addressed = self._addressed(draft if not failures else repaired)
        if not addressed and not failures:
            failures = [_failure("address", "the quotes do not address the question")]
        usable = addressed and bool(repaired.citations)
        return Review(
            failures=tuple(failures),
            draft=draft,
            repaired=repaired if usable else None,
            notes=tuple(self._notes(len(self.judged) - len(kept), bool(failures))),
        )

    def _parts(self, judged: Sequence[Judged], *, with_code: bool) -> list[Judged | Block]:
        """Return the statements, with the code between them where it was."""
        if not with_code:
            return list(judged)
        places = {id(part): at for at, part in enumerate(self.reading.parts)}
        blocks = [part for part in self.reading.parts if isinstance(part, Block)]
        parts: list[Judged | Block] = [*judged, *blocks]
        return sorted(parts, key=lambda part: places[id(_original(part))])

    def _kept(self) -> list[Judged]:
        """Return the statements that may stay, without lead-ins and a "Yes" to removed ones."""
        stays = [one.standing in _KEPT and not self._code_of(one) for one in self.judged]
        for at, one in enumerate(self.judged[:-1]):
            stays[at] = stays[at] and (stays[at + 1] or OPENING.fullmatch(one.text) is None)
        kept = [one for one, stay in zip(self.judged, stays, strict=True) if stay]
        sections = {one.statement.block.section for one in kept if one.found}
        bare = [one for one in kept if _is_heading(one) or one.statement.block.section in sections]
        return [one for at, one in enumerate(bare) if one.found or not _is_stranded(bare, at)]

    def _code_of(self, judged: Judged) -> list[str]:
        """Return the code in a statement that is neither in its quotes nor a name in a passage."""
        if self.rules.code:
            return []
        texts = [one.chunk.text for one in self.evidence]
        quotes = [" ".join(found.quote.split()) for found in judged.found]
        return [
            code
            for code in judged.statement.codes
            if not any(code in text for text in (texts if len(code.split()) == 1 else quotes))
        ]

    def _failures(self) -> list[Failure]:
        blocks = [part for part in self.reading.parts if isinstance(part, Block)]
        if not self.reading.parts:
            return [_failure("empty", "the answer is empty")]
        failures: list[Failure] = []
        spans = sum(len(self._code_of(one)) for one in self.judged)
        if not self.rules.code and (blocks or spans):
            failures.append(_failure("code", f"{len(blocks) + spans} pieces of code"))
        uncited = self._count("uncited")
        if not any(one.found for one in self.judged) and not self._count("not_found"):
            failures.append(_failure("citation", "no passage is cited"))
        elif uncited:
            failures.append(_failure("citation", f"{uncited} statements without a source"))
        failures += self._later_failures()
        return failures

    def _later_failures(self) -> list[Failure]:
        failures: list[Failure] = []
        phantoms = len(self.reading.phantoms) + self.reading.images
        if phantoms:
            failures.append(_failure("phantom", f"{phantoms} links that name no passage"))
        if missing := self._count("not_found"):
            message = f"{missing} statements that their passage does not make"
            failures.append(_failure("quote", message))
        if unlinked := self._count("unlinked"):
            message = f"{unlinked} sentences that name a source without a link"
            failures.append(_failure("unlinked", message))
        return failures

    def _count(self, standing: Standing) -> int:
        return sum(one.standing == standing for one in self.judged)

    def _addressed(self, draft: Draft) -> bool:
        check = self.rules.address
        if check is None or not draft.citations:
            return True
        chunks = {(one.chunk.document, one.chunk.id): one.chunk for one in self.evidence}
        headings = [chunks[one.document, one.chunk].heading for one in draft.citations]
        return check.addresses(self.question, [one.quote for one in draft.citations], headings).ok

    def _notes(self, dropped: int, failed: bool) -> list[str]:
        reading = self.reading
        blocks = sum(isinstance(part, Block) for part in reading.parts)
        counted = [
            (self._count("misattributed"), "{} citations were moved to the passage that says it"),
            (len(reading.phantoms), "{} links to pages that were not retrieved were removed"),
            (reading.images, "{} images were removed"),
            (reading.definitions, "{} link definitions were removed"),
            (self.hidden, "{} hidden characters were removed"),
            (blocks if not self.rules.code else 0, "{} blocks of code were removed"),
            (dropped if failed else 0, "{} statements without a found quote were removed"),
        ]
        return [text.format(count) for count, text in counted if count]


def _original(part: Judged | Block) -> object:
    return part.statement if isinstance(part, Judged) else part


def _is_stranded(kept: Sequence[Judged], at: int) -> bool:
    """Say whether a statement leads into something that was removed."""
    one = kept[at]
    following = kept[at + 1] if at + 1 < len(kept) else None
    if _is_heading(one):
        return following is None or _is_heading(following)
    same = following is not None and following.statement.block is one.statement.block
    return leads_in(one.text) and (following is None or same)


def _is_heading(judged: Judged) -> bool:
    return judged.statement.block.kind == "heading"


def _failure(kind: FailureKind, message: str) -> Failure:
    return Failure(kind=kind, message=message, directive=_DIRECTIVES[kind])
