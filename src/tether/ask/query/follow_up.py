"""Follow-up questions: whether one leans on the conversation, and its words without it.

The helper model rewrites a question that leans; where it fails or is missing, rules do. The rules
give the same words every time, and err on the side of leaning, because the question as it was asked
is searched beside the rewrite.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tether.ask.query.helper import ask_helper, complaint, spoken, unwrapped
from tether.ask.quoting.question import question_of, readable
from tether.core.message import Message
from tether.runtime.abort import AbortSignal
from tether.runtime.loop import Executor
from tether.text.sentences import sentences_of
from tether.text.terms import Vocabulary

SHOWN_QUESTION, SHOWN_ANSWER = 400, 300
"""Characters of each earlier question and answer that the helper sees."""

FARTHEST = 4
"""How many questions back the thread is followed."""

MOST_WORDS = 12
"""How many words are taken over."""

MOST_NAMED = 2
"""How many identifiers of the last answer are taken over."""

PROMPT = (
    "You make search queries. Read the conversation, then write the last message again as three to"
    ' eight keywords that can be understood alone: put names in place of "it" and the like.'
    " Write the keywords on one line and stop. Do not answer."
)

_OWN_SUBJECT = 3
"""With so many content words before it, a pronoun stands for those."""

_LONGEST_FRAGMENT = 6

_PRONOUNS = re.compile(
    r"""\b(?:its?|itself|they|them|their|theirs|he|him|his|she|hers?|those|these|both)\b
    |\b(?:this|the\ same|the\ (?:former|latter|first|second|third|last|other|others|rest)(?:\ one)?
    |(?:this|that|another|which|each|other)\ ones?|such\ (?:an?|one)|the\ (?:above|previous))\b
    |\b(?:is|does|do|did|was|can|would|will|of|about|for|with|like|to|than|from|use|in|on|after
    |before|without|mean|by)\ that\b(?!\ (?:the|an?|my|your|we|you|i|is|are|has|can|it|they)\b)
    |\bthat[?.!]*$|^(?:so\ |and\ |but\ )?that\b(?!\ is)|\bthe\ \w+\ ones?\b
    |\b(?:add|create|delete|find|get|have|make|need|open|put|remove|set|start|stop|turn|use)\ one\b
    (?=\W*$|\ (?:back|again|up|down|off|on|for|in|with|without|from|to)\b)
    |\b(?:dies(?:e[rmns]?)?|davon|dafür|damit|dazu|celui|celle|cela|ça|esto|eso|esta|ese)\b""",
    re.IGNORECASE | re.VERBOSE,
)

_EMPTY_IT = re.compile(
    r"\b(?:is|was|be) it (?:possible|better|safe|ok|okay|necessary|required|allowed|normal|true)\b"
    r"|\bdoes it (?:take|matter|cost|make sense) (?:to|if|when|that|how|for)\b"
    r"|\bit (?:is|was|would be) (?:possible|better|safe|necessary)\b|\bhow (?:is|does) it that\b",
    re.IGNORECASE,
)

_GOES_ON = re.compile(
    r"""^\W*(?:and|but|or|so|then|also|ok(?:ay)?|well|right|yes|no|yeah|hm+)?[\s,]*
    (?:what|how)\ about\b
    |^\W*(?:what|and)\ (?:else|more|other)\b|^\W*(?:anything|something|someone|where)\ else\b
    |^\W*(?:same|similarly|likewise|und|et|y|now)\b|^\W*no,?\ (?:i|but|not|it|that|the)\b
    |\b(?:instead|as\ well|again|either|there)[?.!]*$""",
    re.IGNORECASE | re.VERBOSE,
)

_JOINED = re.compile(r"^\W*(?:and|but|or|so|then|also|plus)\b", re.IGNORECASE)

_PREPOSITION = re.compile(
    r"^\W*(?:(?:and|but|or|so|also|only|even|not)\s+)?"
    r"(?:for|in|on|with|without|under|from|at|using|via|by|if|when|as|between|für|unter|pour|sous"
    r"|para|con)\b",
    re.IGNORECASE,
)

_NAMES_ITS_SUBJECT = re.compile(
    r"""^\W*(?:what(?:['\u2019]s|\ is|\ are|\ was|\ were)\ (?!the\ )|define\b|explain\b|describe\b
    |how\ (?:do|does)\ .*\bworks?\b|what\ does\ (?!the\ ).*\b(?:mean|do)\b|tell\ me\ about\b
    |was\ (?:ist|sind)\b|qu['\u2019]est-ce\b)""",
    re.IGNORECASE | re.VERBOSE,
)

_ASKS = re.compile(
    r"\b(?:what|how|why|when|where|who|which|can|could|do|does|did|is|are|should|will|would)\b",
    re.IGNORECASE,
)

_AGREES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|sure|please|ok(?:ay)?|of course|go (?:ahead|on)|do (?:it|that|so)"
    r"|sounds good|continue|ja|oui|s[ií])\b",
    re.IGNORECASE,
)

_CLOSES = re.compile(
    r"^\W*(?:no|nope|nothing|thanks?|thank you|thx|great|cool|perfect|bye|goodbye|hello|hi|hey"
    r"|got it|never ?mind|danke|merci|gracias)\b",
    re.IGNORECASE,
)

_WORD = re.compile(r"`[^`]+`|[^\W_](?:[\w.+#/:\-'\u2019]*[\w+#])?")

_LINK = re.compile(r"\[([^\[\]\n]{2,120})\]\(")

_CODE = re.compile(r"`([^`\n]{2,60})`")

_IDENTIFIER = re.compile(r"\b[A-Z][a-z]+-[A-Z]\w+|\b\w+_\w+|\b[a-z]+[A-Z]\w+|(?<=`)[\w.-]+(?=`)")

_NAME = re.compile(r"(?<=\S\s)[A-Z][\w-]+|\b\w*(?:_|[a-z][A-Z])\w*")

_CHATTER = re.compile(
    r"show|say|detail(?:s|ed)?|elaborate|continue|ok|okay|yeah|yep|sure|thanks?|hi|hey|hello|great"
    r"|else|instead|again|what['\u2019]s|how['\u2019]s|more|cool|bit|lot|ja|oui|same|former|latter"
    r"|geht|und|unter|für|pour|para",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """The words to search beside the question, and who wrote them.

    `by` is `none`, and `text` the question itself, where it stands alone or begins the
    conversation. `problem` says why the helper's words were not used; it is "" where they were, or
    where the helper was not called.
    """

    text: str
    by: Literal["model", "rules", "none"]
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """An earlier question and its answer ("" where there was none)."""

    question: str
    answer: str


async def rewrite(
    question: str,
    history: Sequence[Message],
    helper: Executor | None,
    *,
    abort_signal: AbortSignal | None,
) -> Rewritten:
    """Return a follow-up question in words that can be searched, from the first follow-up on.

    `history` is the dialogue before the question, oldest first. The helper is called only for a
    question that leans on it. Raises `Aborted` where the signal goes on; cancellation passes, and
    nothing else is raised.
    """
    before = _exchanges(history)
    if not before or not leans(question):
        return Rewritten(text=question, by="none")
    problem = ""
    if helper is not None:
        asked = spoken(_shown(question, before))
        said = unwrapped(await ask_helper(helper, PROMPT, asked, abort_signal=abort_signal))
        known = [question, *(text for it in before for text in (it.question, it.answer))]
        problem = complaint(said, known)
        if not problem:
            return Rewritten(text=said, by="model")
    text = resolved(question, before)
    if not text:
        return Rewritten(text=question, by="none", problem=problem)
    return Rewritten(text=text, by="rules", problem=problem)


def leans(question: str) -> bool:
    """Say whether a question cannot be searched for by itself."""
    text = readable(question)
    words = _content(text, Vocabulary(text))
    if not words:
        return bool(text) and _CLOSES.match(text) is None
    if _GOES_ON.search(text) or _has_open_pronoun(text):
        return True
    if _JOINED.match(text) and len(words) <= _OWN_SUBJECT:
        return True
    return _is_fragment(text) or _is_bare(text, words)


def points(question: str) -> bool:
    """Say whether a question has no subject of its own, or only a pronoun for it."""
    text = readable(question)
    vocabulary = Vocabulary(text)
    return not _strong(_content(text, vocabulary), vocabulary) or _has_open_pronoun(text)


def resolved(question: str, before: Sequence[Exchanged]) -> str:
    """Return the question as search words, with those that it leans on first.

    `before` is oldest first. Returns "" where the conversation has no content word either.
    """
    text = readable(question)
    vocabulary = Vocabulary(text)
    own = _content(text, vocabulary)
    offered = _offer(before[-1].answer) if before and _AGREES.match(text) else []
    taken = [*offered, *_thread(before)]
    if before and not offered:
        taken += _IDENTIFIER.findall(before[-1].answer[:600])[:MOST_NAMED]
    if before and not _strong(taken, vocabulary):
        taken += _subjects(before[-1].answer)
    if not taken:
        return ""
    asks = [] if own or offered else re.findall(r"\b(?:why|how|when|where|who)\b", text.lower())
    kept = _once_each([*asks[:1], *taken], vocabulary)[:MOST_WORDS]
    return " ".join(_once_each([*kept, *own], vocabulary))


def _exchanges(history: Sequence[Message]) -> list[Exchanged]:
    """Return the last questions with their answers; messages before the first are left out."""
    found: list[Exchanged] = []
    for message in history:
        text = "" if message.content is None else str(message.content)
        if message.role == "user":
            found.append(Exchanged(question=text, answer=""))
        elif found:
            found[-1] = Exchanged(question=found[-1].question, answer=text)
    return found[-FARTHEST:]


def _shown(question: str, before: Sequence[Exchanged]) -> str:
    """Return the conversation as one text: as a dialogue, a small model would carry it on."""
    lines = [
        line
        for it in before
        for line in (
            f"Person: {_short(it.question, SHOWN_QUESTION)}",
            f"Manual: {_short(it.answer, SHOWN_ANSWER)}",
        )
    ]
    last = f"Last message: {_short(question, SHOWN_QUESTION)}"
    return "\n".join([*lines, "", last, "Keywords:"])


def _short(text: str, most: int) -> str:
    return " ".join(text[:most].split())


def _has_open_pronoun(text: str) -> bool:
    """Say whether there is a pronoun with too few words before it for it to stand for them."""
    plain = _EMPTY_IT.sub(lambda match: " " * len(match[0]), text)
    found = _PRONOUNS.search(plain)
    if found is None:
        return False
    return len(_content(text[: found.start()], Vocabulary(text))) < _OWN_SUBJECT


def _is_fragment(text: str) -> bool:
    """Say whether it is a few words that begin in the middle, or a word or two with a mark."""
    words = text.split()
    if _PREPOSITION.match(text):
        return len(words) <= _LONGEST_FRAGMENT
    return len(words) <= 3 and text.endswith("?") and _ASKS.search(text) is None


def _is_bare(text: str, words: Sequence[str]) -> bool:
    """Say whether it names hardly anything: one common word, and no subject to search for."""
    vocabulary = Vocabulary(text)
    names = question_of(text, vocabulary).names
    terms = {term for word in words for term in vocabulary.terms_of(word)}
    if terms & names:
        return False
    strong = _strong(words, vocabulary)
    if not strong:
        return True
    return len(strong) == 1 and len(text.split()) > 1 and not _NAMES_ITS_SUBJECT.match(text)


def _thread(before: Sequence[Exchanged]) -> list[str]:
    """Return the words of the last question, and of those that it leans on itself."""
    taken: list[str] = []
    for exchanged in before[: -FARTHEST - 1 : -1]:
        text = readable(exchanged.question)
        taken = [*_content(text, Vocabulary(text)), *taken]
        if taken and not leans(text):
            break
    return taken


def _offer(answer: str) -> list[str]:
    """Return the words of an offer at the end of an answer: "Shall I show how to …?"."""
    ending = answer.strip()[-500:]
    last = sentences_of(ending)[-1] if ending else ""
    return _content(last, Vocabulary(last)) if last.rstrip().endswith("?") else []


def _subjects(answer: str) -> list[str]:
    """Return the subjects of an answer: the titles that it links, its code, its names."""
    beginning = answer[:2000]
    titles = [title for title in _LINK.findall(beginning) if not title.isdigit()]
    found = titles or _CODE.findall(beginning) or _NAME.findall(beginning)
    vocabulary = Vocabulary(" ".join(found))
    return [word for text in found[:3] for word in _content(text, vocabulary)]


def _content(text: str, vocabulary: Vocabulary) -> list[str]:
    """Return the words that carry content, as they are written."""
    words = (match[0].strip("`") for match in _WORD.finditer(text))
    return [word for word in words if vocabulary.terms_of(word) and not _CHATTER.fullmatch(word)]


def _strong(words: Sequence[str], vocabulary: Vocabulary) -> list[str]:
    """Return the words that name more than they ask."""
    return [word for word in words if not vocabulary.faint.issuperset(vocabulary.terms_of(word))]


def _once_each(words: Sequence[str], vocabulary: Vocabulary) -> list[str]:
    """Return the words without those that repeat an earlier one."""
    kept: dict[frozenset[str], str] = {}
    for word in words:
        kept.setdefault(frozenset(vocabulary.terms_of(word)) or frozenset({word}), word)
    return list(kept.values())
