"""A made-up passage that would answer the question: nearer to the real one than the question is.

Only the dense lane sees it, so it can add passages and displace none; nobody ever reads it.
"""

from __future__ import annotations

import re

from tether.ask.query.helper import ask_helper, spoken
from tether.batteries.languages.texts.sentences import sentences_of
from tether.runtime.abort import AbortSignal
from tether.runtime.loop import Executor
from tether.trust.visible import visible_text

MOST_SENTENCES, MOST_CHARACTERS = 4, 1000
LEAST_WORDS = 5

PROMPT = (
    "You write documentation. Write the two to four sentences that a manual would have in the place"
    " where this question is answered. State facts in the manual's own terms. Sentences only: no"
    " code, no headings, no remarks."
)

_REFUSES = re.compile(
    r"^(?:i|i'm|i\u2019m|we|sorry|unfortunately|as an)\b|\b(?:i (?:do not|don't|cannot|can't))\b",
    re.IGNORECASE,
)


async def hypothesis(
    question: str, helper: Executor | None, *, abort_signal: AbortSignal | None
) -> str:
    """Return up to four sentences on one line, "" where there is no helper or nothing usable.

    Raises `Aborted` where the signal goes on; cancellation passes.
    """
    asked = spoken(question)
    if helper is None or not asked:
        return ""
    said = await ask_helper(helper, PROMPT, asked, abort_signal=abort_signal)
    return _usable(said)


def _usable(said: str) -> str:
    """Return the beginning of what was said; "" where it is a refusal, or broken off at once."""
    text = " ".join(visible_text(said.partition("```")[0]).text.split())
    if _REFUSES.search(text) or len(text.split()) < LEAST_WORDS:
        return ""
    kept = "".join(sentences_of(text)[:MOST_SENTENCES]).strip()
    if len(kept) <= MOST_CHARACTERS:
        return kept
    return kept[:MOST_CHARACTERS].rpartition(" ")[0]
