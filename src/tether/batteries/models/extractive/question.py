"""What a question asks for: its terms, and what kind of sentence would answer it."""

# No `from __future__ import annotations` here: see units.py.
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from tether.batteries.models.extractive.terms import terms_of

LONGEST_QUESTION = 2_000
"""In characters; what comes after is not read."""

Kind = Literal["when", "number", "who", "where", "why", "how", "definition", "other"]

_ASKS: Mapping[Kind, re.Pattern[str]] = {
    "when": re.compile(
        r"""\bwhen\ (?:did|was|were|is|are|does|will|has)\b
        |\b(?:what|which)\ (?:year|date|day|month|century|decade)\b
        |\b(?:wann|quand|когда)\b""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "number": re.compile(
        r"""\bhow\ (?:many|much|long|old|often|far|large|big|high|fast|tall)\b
        |\bwhat\ (?:percentage|percent|number|amount|population|size)\b
        |\bwhat\ is\ the\ (?:default\ )?(?:number|limit|maximum|minimum|size|port|timeout)\b
        |\b(?:wie\ ?viele?|combien|сколько)\b""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "who": re.compile(r"\b(?:who|whom|whose|wer|кто)\b|\bqui (?:a|est)\b", re.IGNORECASE),
    "where": re.compile(
        r"\bwhere (?:did|was|were|is|are|does|do)\b|^(?:wo|où|где)\b", re.IGNORECASE
    ),
    "why": re.compile(r"\b(?:why|warum|pourquoi|почему|зачем)\b", re.IGNORECASE),
    "how": re.compile(
        r"""\bhow\ (?:do|can|to|should|would|could|might)\b|\b(?:steps?|way)\ to\b
        |^\W*(?:wie\ (?:kann|wird|installiere)|comment|как)\b|如何|怎么""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "definition": re.compile(
        r"""^\W*(?:what(?:['\u2019]s|\ is|\ are|\ was|\ were)|what\ does\ .*\ (?:mean|do)|define
        |was\ (?:ist|sind)|qu['\u2019]est-ce|что\ такое)\b|是什么|什么是""",
        re.IGNORECASE | re.VERBOSE,
    ),
}
"""By which words a kind of question is known; the first that fits."""

_ANSWERS: Mapping[Kind, re.Pattern[str]] = {
    "when": re.compile(
        r"""\b(?:1\d|20)\d\d\b|\b\d{1,2}(?:st|nd|rd|th)?\ century\b|\b\d{3,4}\ ?(?:BC|AD)\b
        |\b(?:January|February|March|April|May|June|July|August|September|October|November
        |December)\b|\b(?:when|after|before|until|once|as\ soon\ as|during)\b""",
        re.VERBOSE,
    ),
    "number": re.compile(
        r"""\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred
        |thousand|million|billion|half|percent|once|twice|single|zero|never|always)\b""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "who": re.compile(r"\bby [A-Z]|(?<=[^.!?\s] )(?:[A-Z][\w'\u2019-]+ [A-Z]|[A-Z][a-z]{3,})"),
    "where": re.compile(
        r"""\b(?:in|at|on|near|from|to|under|inside)\ (?:the\ )?
        (?:[A-Z`/]|\w+\ (?:directory|file|folder))""",
        re.VERBOSE,
    ),
    "why": re.compile(
        r"""\b(?:because|since|due\ to|so\ that|in\ order\ to|therefore|reason|thus|as\ a\ result
        |allows?|avoids?|prevents?|ensures?|weil|damit|parce\ que|afin|потому)\b""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "how": re.compile(
        r"""^(?:To\ \w|(?:First|Then|Next|Finally|Now|Optionally),?\ |If\ you\ want
        |\W*(?:Add|Apply|Build|Call|Change|Check|Choose|Click|Configure|Copy|Create|Declare|Define
        |Delete|Deploy|Download|Edit|Enable|Enter|Follow|Go|Import|Include|Install|Make|Open|Pass
        |Provide|Put|Remove|Replace|Run|Save|Select|Set|Specify|Start|Type|Update|Use|Write)\b)
        |\b[Yy]ou\ (?:can|could|need\ to|have\ to|should|must)\b|\bby\ \w+ing\b
        |\b(?:use|run|set|call)\ (?:the\ )?`""",
        re.VERBOSE,
    ),
    "definition": re.compile(
        r"""\b(?:is|are|was|were)\ (?:an?|the|one\ of|essentially|used|when|how|defined
        |responsible|designed)\b|\b(?:refers?\ to|means|stands\ for|is\ called|represents|defines
        |describes)\b|\b(?:ist|sind)\ (?:ein|eine|der|die|das)\b|\best\ (?:un|une|le|la)\b
        |—\ это|是""",
        re.VERBOSE,
    ),
}
"""What a sentence has that answers such a question."""

_DEFINES = re.compile(
    r"\b(?:is|are|was|were|refers?|means?|ist|sind|est|sont|provides?|lets?|allows?|represents?"
    r"|stands|defines?|describes?)\b|— это|是"
)
SUBJECT_CHARACTERS = 60
SUBJECT_TERMS = 4


_NAME = re.compile(r"(?<=\S\s)[A-Z][\w-]*|\b\w*(?:\d|_|[a-z][A-Z])\w*")
"""A word with a capital letter that does not begin the question, a number, an identifier."""


class Question(NamedTuple):
    """The terms, each once and in order, those of them that name something, and the kind."""

    terms: tuple[str, ...]
    names: frozenset[str]
    kind: Kind

    def suits(self, sentence: str, terms: Sequence[str]) -> bool:
        """Say whether a sentence, with these terms, looks like an answer to this kind."""
        pattern = _ANSWERS.get(self.kind)
        if pattern is None or pattern.search(sentence) is None:
            return False
        return self.kind != "definition" or self._is_subject(sentence, terms)

    def _is_subject(self, sentence: str, terms: Sequence[str]) -> bool:
        """Say whether the sentence begins with what was asked about, and goes on to define it."""
        verb = _DEFINES.search(sentence, 0, SUBJECT_CHARACTERS)
        first = terms[:SUBJECT_TERMS]
        return verb is not None and any(term in first for term in self.terms)


def question_of(text: str, stems: dict[str, str]) -> Question:
    """Read a question; `stems` is as for `terms_of`."""
    text = " ".join(text[:LONGEST_QUESTION].split())
    terms = tuple(dict.fromkeys(terms_of(text, stems)))
    names = frozenset(terms_of(" ".join(_NAME.findall(text)), stems))
    kinds: list[Kind] = [kind for kind, asks in _ASKS.items() if asks.search(text)]
    return Question(terms, names, kinds[0] if kinds else "other")
