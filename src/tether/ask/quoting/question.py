"""A question as its terms, and the kind of sentence that would answer it."""

# No `from __future__ import annotations` here: see tether/text/units/units.py.
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from tether.text.numbers import NUMBER_WORDS
from tether.text.terms import Vocabulary

LONGEST_QUESTION = 2_000
"""In characters; the rest is not read."""

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
"""The words that mark each kind of question; the first that fits decides."""

_ANSWERS: Mapping[Kind, re.Pattern[str]] = {
    "when": re.compile(
        r"""\b(?:1\d|20)\d\d\b|\b\d{1,2}(?:st|nd|rd|th)?\ century\b|\b\d{3,4}\ ?(?:BC|AD)\b
        |\b(?:January|February|March|April|May|June|July|August|September|October|November
        |December)\b|\b(?:when|after|before|until|once|as\ soon\ as|during)\b""",
        re.VERBOSE,
    ),
    "number": re.compile(
        rf"""\d|\b(?:{"|".join(sorted(NUMBER_WORDS - {"one"}))}|dozen|half|percent|once|twice
        |single|never|always)\b""",
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
}
"""The marks of a sentence that answers such a question."""

_DEFINES = re.compile(
    r"\b(?:is|are|was|were|refers?|means?|ist|sind|est|sont|provides?|lets?|allows?|represents?"
    r"|stands|defines?|describes?|ensures?|gives?|helps?|manages?|consists?)\b|— это|是|คือ| हैं?"
)
_PLAINLY = re.compile(
    r" (?:an?|the|one of|like|used|when|how|where|defined|responsible|designed|essentially|simply"
    r"|ein|eine|der|die|das|une?|le|la)\b"
)
_CLAUSE = re.compile(r"\b(?:that|which|who|because|if|when)\b", re.IGNORECASE)
_LEADS_IN = re.compile(r"^(?:In|On|With|For|By|At|When|If|While)\b[^,]{1,40}, ")
SUBJECT_CHARACTERS = 80
MOST_OTHER_TERMS = 2
"""How far into a sentence the defined subject may reach, and how many terms more than the question
the subject may have.
"""

_NAME = re.compile(r"(?<=\S\s)[A-Z][\w-]*|\b\w*(?:\d|_|[a-z][A-Z])\w*")
"""A word with a capital letter that does not begin the question, a number, an identifier."""


class Question(NamedTuple):
    """The terms, each once and in order, the names among them, and the kind.

    `words` counts the words that have terms: an identifier and its parts are one.
    """

    terms: tuple[str, ...]
    names: frozenset[str]
    kind: Kind
    words: int

    def suits(self, sentence: str) -> bool:
        """Say whether a sentence looks like an answer to this kind."""
        pattern = _ANSWERS.get(self.kind)
        return pattern is not None and pattern.search(sentence) is not None

    def is_defined_in(self, sentence: str, vocabulary: Vocabulary) -> float:
        """Say how surely a sentence defines the subject of the question: 0 no, 1 yes.

        It does if the subject, and little else, precedes the first verb that defines.
        """
        if self.kind != "definition":
            return 0.0
        start = lead.end() if (lead := _LEADS_IN.match(sentence)) else 0
        verb = _DEFINES.search(sentence, start, start + SUBJECT_CHARACTERS)
        if verb is None:
            return 0.0
        before = sentence[start : verb.start()]
        subject, asked = set(vocabulary.terms_of(before)), set(self.terms)
        others = len(subject - asked)
        if _CLAUSE.search(before) or others > MOST_OTHER_TERMS:
            return 0.0
        if not asked & subject:
            after = vocabulary.terms_of(sentence[verb.end() : verb.end() + SUBJECT_CHARACTERS])
            return 0.5 if len(asked) > 1 and asked <= set(after[: len(asked)]) else 0.0
        share = len(asked & subject) / len(asked) / (1 + others)
        return share if _PLAINLY.match(sentence, verb.end()) else share / 2


def question_of(text: str, vocabulary: Vocabulary) -> Question:
    """Read a question with the vocabulary that was made for it."""
    text = readable(text)
    terms = tuple(dict.fromkeys(vocabulary.terms_of(text)))
    names = frozenset(vocabulary.terms_of(" ".join(_NAME.findall(text))))
    kinds: list[Kind] = [kind for kind, asks in _ASKS.items() if asks.search(text)]
    words = sum(bool(vocabulary.terms_of(word)) for word in set(text.split()))
    return Question(terms, names, kinds[0] if kinds else "other", words)


def readable(text: str) -> str:
    """Return the part of a question that is read, in small letters if it was all in capitals."""
    text = " ".join(text[:LONGEST_QUESTION].split())
    return text.lower() if text.isupper() and " " in text else text
