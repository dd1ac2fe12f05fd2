"""The same question in other words, each of which is searched too."""

from __future__ import annotations

import re

from tether.ask.query.checks import complaint, unwrapped
from tether.ask.query.helper import ask_helper, spoken
from tether.batteries.models.extractive.terms import Vocabulary
from tether.runtime.abort import AbortSignal
from tether.runtime.loop import Executor

MOST_VARIANTS = 8
MOST_LINES = 40
"""How many lines of what a helper says are looked at."""

_NUMBERED = re.compile(r"^\s*(?:[-*+\u2022]|\(?\d{1,2}[.):])\s*")


async def variants(
    question: str, count: int, helper: Executor | None, *, abort_signal: AbortSignal | None
) -> tuple[str, ...]:
    """Return up to `count` (at most 8) different paraphrases; () where there is no helper.

    Different means: in other words than the question and than each other, order and small words
    aside. Raises `Aborted` where the signal goes on; cancellation passes.
    """
    wanted = min(count, MOST_VARIANTS)
    asked = spoken(question)
    if helper is None or wanted < 1 or not asked:
        return ()
    said = await ask_helper(helper, _prompt(wanted), asked, abort_signal=abort_signal)
    return _different(question, said)[:wanted]


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
