"""A follow-up question with what it leans on: by the helper model, by rules where that fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tether.ask.query.checks import complaint, unwrapped
from tether.ask.query.helper import ask_helper, spoken
from tether.ask.query.leaning import FARTHEST, Exchanged, leans, resolved
from tether.core.message import Message
from tether.runtime.abort import AbortSignal
from tether.runtime.loop import Executor

SHOWN_QUESTION, SHOWN_ANSWER = 400, 300
"""Characters of each earlier question and answer that the helper sees."""

PROMPT = (
    "You make search queries. Read the conversation, then write the last message again as three to"
    ' eight keywords that can be understood alone: put names in place of "it" and the like.'
    " Write the keywords on one line and stop. Do not answer."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What to search beside the question, and who wrote it.

    `by` is `none`, and `text` the question itself, where it stands alone or nothing was said
    before. `problem` says why the helper's words were not used, "" where it was not asked or they
    were.
    """

    text: str
    by: Literal["model", "rules", "none"]
    problem: str = ""


async def rewrite(
    question: str,
    history: Sequence[Message],
    helper: Executor | None,
    *,
    abort_signal: AbortSignal | None,
) -> Rewritten:
    """Return a follow-up question in words that can be searched, from the first follow-up on.

    `history` is the dialogue before the question, oldest first. The helper is asked only where the
    question leans on it. Raises `Aborted` where the signal goes on; cancellation passes; nothing
    else is raised.
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


def _exchanges(history: Sequence[Message]) -> list[Exchanged]:
    """Return the last questions with their answers; what was said before the first is left out."""
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
