"""The last stage: it learns from the person's own words, by rules, after the answer is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal

from tether.ask.parts import Parts
from tether.ask.reporter import Reporter
from tether.ask.values import Asked
from tether.batteries.storage.errors import MemoryRefused, StoreFailed
from tether.batteries.storage.records import MemoryRecord
from tether.core.clean_text import clean_text
from tether.core.ids import new_id
from tether.core.memory import Memory


@dataclass(frozen=True, slots=True)
class Remember:
    """Keeps memories from the person's own words; a standing instruction is only proposed.

    A wrong memory costs a few tokens, a wrong instruction changes every later turn: that is why an
    instruction waits for a person. A turn that failed or was stopped teaches nothing, and nothing
    is learnt from documents, models or tools.
    """

    parts: Parts
    reporter: Reporter

    async def __call__(self, asked: Asked) -> None:
        """Learn from a question whose answer is stored; a failure is reported and stops nothing."""
        if not self.parts.settings.remember:
            return
        for candidate in extract(asked.question):
            try:
                await self._keep(asked, candidate)
            except (MemoryRefused, StoreFailed) as error:
                self.reporter.step("remember", "failed", error.message, text=candidate.text)

    async def _keep(self, asked: Asked, candidate: Candidate) -> None:
        report = self.reporter.step
        if candidate.kind == "instruction":
            proposed = await self.parts.store.propose_instruction(candidate.text, owner=asked.owner)
            report("propose", "done", proposed.text, id=proposed.id, text=proposed.text)
            return
        kept = await self.parts.store.remember(self._record(asked, candidate))
        report("remember", "done", candidate.text, id=kept.memory.id, text=candidate.text)

    def _record(self, asked: Asked, candidate: Candidate) -> MemoryRecord:
        return MemoryRecord(
            memory=Memory(
                id=new_id(),
                content=candidate.text,
                confidence=candidate.confidence,
                importance=candidate.importance,
                created_at=self.parts.clock.now(),
            ),
            owner=asked.owner,
            tier="first-party",
            origin="person",
            conversation=asked.conversation,
            turn=asked.id,
        )


LONGEST_MESSAGE = 1_500
"""Characters; nobody types more about themselves, so a longer message was pasted."""

LONGEST_SENTENCE = 300

MOST_CANDIDATES = 5

CandidateKind = Literal["memory", "instruction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A text that may be worth keeping. An instruction is never more than a proposal."""

    kind: CandidateKind
    text: str
    confidence: float
    importance: float


def extract(text: str) -> tuple[Candidate, ...]:
    """Return the candidates in a message of a person, at most five; never raises.

    Give it a person's own words only, never a document, an answer or the output of a tool. Facts
    are worded as said of "the user", so that no memory reads as if the assistant spoke.
    """
    found: dict[tuple[CandidateKind, str], Candidate] = {}
    for sentence in _own_statements(text):
        for candidate in _candidates(sentence):
            found.setdefault((candidate.kind, candidate.text), candidate)
    return tuple(found.values())[:MOST_CANDIDATES]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A form of words, and the memory made of a sentence that has it from end to end."""

    pattern: re.Pattern[str]
    memory: str
    confidence: float
    importance: float


def _rule(pattern: str, memory: str, confidence: float, importance: float) -> _Rule:
    return _Rule(re.compile(pattern, re.IGNORECASE), memory, confidence, importance)


_NAME = r"(?P<name>\S+(?: \S+){0,3})"

_NAME_PART = re.compile(r"[^\W\d_]+(?:['.-][^\W\d_]+)*")

_TITLES = frozenset({"Dr", "Mr", "Mrs", "Ms", "Prof", "St", *ascii_uppercase})
"""The rest of a name that was cut after its first full stop."""

_VAGUE = (
    r"(?!(?:it|this|that|these|those|them|him|her|you|your|the (?:first|second|third|last|other|"
    r"latter|former|same|previous|next|one)|both|neither|to|not|what|nothing|something)\b)"
)

_THING = rf"{_VAGUE}(?P<what>\S+(?: \S+){{0,9}})"

_PASSING = (
    r"(?!(?:\w+ing|down|up|broken|slow|slower|fast|stuck|missing|wrong|bad|good|great|fine|ok|"
    r"okay|empty|full|late|too|very|so|currently|now|still|just|also|always|never|about|already|"
    r"unable|out|off|over|under|a mess|a problem|that|what|how|why|where|when)\b)"
)

_MINE = r"time ?zone|(?:native |first )?language|role|job title|team|company|editor|shell|pronouns"

_RULES = (
    _rule(rf"my name(?: is|'s) {_NAME}", "The user's name is {name}.", 0.95, 0.9),
    _rule(rf"(?:you can )?call me {_NAME}", "The user wants to be called {name}.", 0.95, 0.9),
    _rule(rf"I use {_THING}", "The user uses {what}.", 0.8, 0.5),
    _rule(rf"I prefer {_THING}", "The user prefers {what}.", 0.85, 0.7),
    _rule(rf"I work with {_THING}", "The user works with {what}.", 0.8, 0.5),
    _rule(
        rf"my (?P<of>{_MINE}|operating system|OS) (?:is|are) {_PASSING}{_THING}",
        "The user's {of}: {what}.",
        0.85,
        0.6,
    ),
    _rule(
        rf"our (?P<of>[\w-]+(?: [\w-]+){{0,3}}?) (?:is|are) {_PASSING}{_THING}",
        "The user's {of}: {what}.",
        0.8,
        0.6,
    ),
)

_DOUBT = re.compile(
    r"\b(?:if|unless|when|whenever|suppose|assuming|imagine|would|could|should|might|may|maybe|"
    r"perhaps|probably|not|no|never|cannot|but|because|instead|however|although|think|guess|said|"
    r"says|told|fails?|failed|failing|errors?|gets?|getting|got|to)\b|n't\b|[:;<>{}]",
    re.IGNORECASE,
)

_ANOTHER = re.compile(r",? and (?=(?:I|my|our|you can call me|call me)\b)", re.IGNORECASE)

_REMEMBER = re.compile(
    r"remember(?: this)?,? that (?!(?:time|day|night|one|if|unless|when|suppose)\b)(?P<what>.+)",
    re.IGNORECASE,
)

_BIDDING = re.compile(
    r"(?:always|never|from now on,?|you (?:must|should|have to|need to|may|can|are|will|shall))\b",
    re.IGNORECASE,
)

_STANDING = re.compile(
    r"(?P<since>from now on,?|always|never) (?P<next>\w[\w'-]*)(?: \S+)+", re.IGNORECASE
)

_NO_VERB = re.compile(
    r"mind|again|ever|been|had|was|were|is|are|the|a|an|my|our|your|his|her|its|their|it|he|she|"
    r"they|we|i|you|this|that|these|those|there|same|in|on|at|with|for|from|of|since|when|if|only|"
    r"just|more|less|so|too|before|heard|seen|done|gone|knew|thought|said|got|felt|and|or|but|"
    r"\w+ed|\w+ing|\w*[^s]s"
)

_ODD_VERBS = frozenset({"need", "feed", "embed", "proceed", "speed", "bring", "ping", "focus"})

_APOSTROPHES = str.maketrans("\u2019\u02bc", "''")

_QUOTED = re.compile(
    '["`\u2018\u201a-\u201f\u2039\u203a\u00ab\u00bb\u300c-\u300f]'
    r"|(?<!\w)'|'(?!\w)"  # quotation marks, but no apostrophes
    "|^[ \t]*[>|#<]|^[ \t]*(?:[-*\u2022\u2013\u2014]|[0-9]+[.)])[ \t]"  # quotes, tables, lists
    "|:[ \t]*$",  # "The page says:"
    re.MULTILINE,
)

_BOUNDARY = re.compile(r"(?<=[.!?\u2026\u3002\uff01\uff1f])\s+|\n+")
"""Every stop is one, also where prose may have an initial: "I prefer R. Show me how."."""

_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|ok|okay|well|so|also|btw|by the way|and|thanks|thank you|please|fyi)"
    r"(?:\s+there)?[,!]?\s+){0,3}",
    re.IGNORECASE,
)

_ASKING = re.compile(
    r"(?:what|who|whom|whose|which|how|why|where|when|do|does|did|is|are|was|were|am|can|could|"
    r"would|should|shall|will|have|has|had|may|might)\b",
    re.IGNORECASE,
)


def _candidates(sentence: str) -> Iterator[Candidate]:
    asked = _REMEMBER.fullmatch(sentence)
    if asked is not None and _BIDDING.match(asked["what"]):
        yield _instruction(asked["what"])
    elif asked is not None:
        yield Candidate(
            kind="memory", text=f"The user said: {asked['what']}.", confidence=0.9, importance=0.8
        )
    elif _is_standing(sentence):
        yield _instruction(sentence)
    else:
        yield from _facts(sentence)


def _facts(sentence: str) -> Iterator[Candidate]:
    """Yield the facts at the beginning of a sentence: later in it they may be reported speech."""
    if _DOUBT.search(sentence):
        return
    for clause in _ANOTHER.split(sentence):
        fact = _fact(clause)
        if fact is None:
            return
        yield fact


def _fact(clause: str) -> Candidate | None:
    for rule in _RULES:
        said = rule.pattern.fullmatch(clause)
        if said is not None and _is_name(said.groupdict().get("name", "Somebody")):
            return Candidate(
                kind="memory",
                text=rule.memory.format(**said.groupdict()),
                confidence=rule.confidence,
                importance=rule.importance,
            )
    return None


def _is_standing(sentence: str) -> bool:
    """Say whether a sentence instructs: `always` or `never` before a verb in the imperative."""
    said = _STANDING.fullmatch(sentence)
    if said is None:
        return False
    verb = said["next"].casefold()
    return verb in _ODD_VERBS or _NO_VERB.fullmatch(verb) is None


def _is_name(words: str) -> bool:
    """Say whether words are written as a name: `my name is wrong` does not give one."""
    parts = words.split()
    capitals = all(_NAME_PART.fullmatch(part) and not part[0].islower() for part in parts)
    return capitals and words not in _TITLES


def _instruction(text: str) -> Candidate:
    worded = text[:1].upper() + text[1:]
    return Candidate(kind="instruction", text=f"{worded}.", confidence=0.9, importance=0.9)


def _own_statements(text: str) -> list[str]:
    """Return the sentences that a person states in their own words, without greeting and full stop.

    Everything from the first quotation on is left out: a quotation mark, a quoted or tabled line, a
    list, code, or a line that announces one with a colon. So are questions, and messages or
    sentences so long that they were hardly typed.
    """
    cleaned = clean_text(text).translate(_APOSTROPHES)
    if len(cleaned) > LONGEST_MESSAGE:
        return []
    quoted = _QUOTED.search(cleaned)
    sentences = _BOUNDARY.split(cleaned if quoted is None else cleaned[: quoted.start()])
    if quoted is not None:
        sentences.pop()  # it leads up to the quotation
    return [stated for sentence in sentences if (stated := _stated(sentence))]


def _stated(sentence: str) -> str:
    """Return a sentence without its greeting, "" where it states nothing."""
    spaced = " ".join(sentence.split())
    if len(spaced) > LONGEST_SENTENCE or spaced.endswith(("?", "\uff1f")):
        return ""
    greeting = _GREETING.match(spaced)
    stated = spaced[greeting.end() if greeting else 0 :].rstrip(".!\u2026\u3002\uff01 ")
    return "" if _ASKING.match(stated) else stated
