"""Query expansion by the helper model: an imagined passage, and the question in other words.

An imagined passage that would answer the question is nearer to the real one than the question is.
Only the dense lane searches for it, so it can add passages and displace none; nobody ever reads it.
The other forms of the question are searched in all lanes.
"""

from __future__ import annotations

import re

from tether.ask.query.helper import ask_helper, complaint, spoken, unwrapped
from tether.runtime.abort import AbortSignal
from tether.runtime.loop import Executor
from tether.text.sentences import sentences_of
from tether.text.terms import Vocabulary
from tether.trust.visible import visible_text

MOST_SENTENCES, MOST_CHARACTERS = 4, 1000

LEAST_WORDS = 5

MOST_VARIANTS = 8

MOST_LINES = 40
"""How many lines of a reply are read."""

PROMPT = (
    "You write documentation. Write the two to four sentences that a manual would have in the place"
    " where this question is answered. State facts in the manual's own terms. Sentences only: no"
    " code, no headings, no remarks."
)

_REFUSES = re.compile(
    r"^(?:i|i'm|i\u2019m|we|sorry|unfortunately|as an)\b|\b(?:i (?:do not|don't|cannot|can't))\b",
    re.IGNORECASE,
)

_NUMBERED = re.compile(r"^\s*(?:[-*+\u2022]|\(?\d{1,2}[.):])\s*")


async def hypothesis(
    question: str, helper: Executor | None, *, abort_signal: AbortSignal | None
) -> str:
    """Return up to four imagined sentences on one line; "" without a helper or a usable reply.

    Raises `Aborted` where the signal goes on; cancellation passes.
    """
    asked = spoken(question)
    if helper is None or not asked:
        return ""
    said = await ask_helper(helper, PROMPT, asked, abort_signal=abort_signal)
    return _usable(said)


async def variants(
    question: str, count: int, helper: Executor | None, *, abort_signal: AbortSignal | None
) -> tuple[str, ...]:
    """Return up to `count` (at most 8) different paraphrases; () without a helper.

    Different means: in other words than the question and each other, apart from order and stop
    words. Raises `Aborted` where the signal goes on; cancellation passes.
    """
    wanted = min(count, MOST_VARIANTS)
    asked = spoken(question)
    if helper is None or wanted < 1 or not asked:
        return ()
    said = await ask_helper(helper, _prompt(wanted), asked, abort_signal=abort_signal)
    return _different(question, said)[:wanted]


def _usable(said: str) -> str:
    """Return the beginning of a reply; "" where it is a refusal, or broke off at once."""
    text = " ".join(visible_text(said.partition("```")[0]).text.split())
    if _REFUSES.search(text) or len(text.split()) < LEAST_WORDS:
        return ""
    kept = "".join(sentences_of(text)[:MOST_SENTENCES]).strip()
    if len(kept) <= MOST_CHARACTERS:
        return kept
    return kept[:MOST_CHARACTERS].rpartition(" ")[0]


def _prompt(count: int) -> str:
    return (
        f"Say the user's question in {count} other ways, with other words for the same things."
        " One to a line, nothing else. Do not answer it."
    )


def _different(question: str, said: str) -> tuple[str, ...]:
    vocabulary = Vocabulary(question)
    seen = {frozenset(vocabulary.terms_of(question))}
    kept: list[str] = []
    for line in said.splitlines()[:MOST_LINES]:
        text = unwrapped(_NUMBERED.sub("", line))
        terms = frozenset(vocabulary.terms_of(text))
        if terms and terms not in seen and not complaint(text, [question]):
            seen.add(terms)
            kept.append(text)
    return tuple(kept)
