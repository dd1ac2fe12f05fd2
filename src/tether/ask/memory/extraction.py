"""What a person says about themselves, found by rules. Few and precise: a doubt is a no."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal

from tether.ask.memory.own_words import own_statements

MOST_CANDIDATES = 5

CandidateKind = Literal["memory", "instruction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that may be worth keeping. An instruction is never more than a proposal."""

    kind: CandidateKind
    text: str
    confidence: float
    importance: float


@dataclass(frozen=True, slots=True)
class _Rule:
    """A form of words, and what is remembered where a sentence has it from end to end."""

    pattern: re.Pattern[str]
    told: str
    confidence: float
    importance: float


def _rule(pattern: str, told: str, confidence: float, importance: float) -> _Rule:
    return _Rule(re.compile(pattern, re.IGNORECASE), told, confidence, importance)


_NAME = r"(?P<name>\S+(?: \S+){0,3})"
_NAME_PART = re.compile(r"[^\W\d_]+(?:['.-][^\W\d_]+)*")
_TITLES = frozenset({"Dr", "Mr", "Mrs", "Ms", "Prof", "St", *ascii_uppercase})
"""What is left of a name that was cut behind its first full stop."""

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


def extract(text: str) -> tuple[Candidate, ...]:
    """Return what a message of a person offers to keep, at most five; never raises.

    Give it a person's own words only, never a document, an answer or the output of a tool. Facts
    are worded as said of "the user", so that no memory reads as if the assistant spoke.
    """
    found: dict[tuple[CandidateKind, str], Candidate] = {}
    for sentence in own_statements(text):
        for candidate in _candidates(sentence):
            found.setdefault((candidate.kind, candidate.text), candidate)
    return tuple(found.values())[:MOST_CANDIDATES]


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
    """Yield the facts at the beginning of a sentence: behind something else it may be reported."""
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
                text=rule.told.format(**said.groupdict()),
                confidence=rule.confidence,
                importance=rule.importance,
            )
    return None


def _is_standing(sentence: str) -> bool:
    """Say whether a sentence bids: `always` and `never` before a verb that is not a report."""
    said = _STANDING.fullmatch(sentence)
    if said is None:
        return False
    verb = said["next"].casefold()
    return verb in _ODD_VERBS or _NO_VERB.fullmatch(verb) is None


def _is_name(words: str) -> bool:
    """Say whether words are written as a name: `my name is wrong` names nobody."""
    parts = words.split()
    capitals = all(_NAME_PART.fullmatch(part) and not part[0].islower() for part in parts)
    return capitals and words not in _TITLES


def _instruction(text: str) -> Candidate:
    worded = text[:1].upper() + text[1:]
    return Candidate(kind="instruction", text=f"{worded}.", confidence=0.9, importance=0.9)
