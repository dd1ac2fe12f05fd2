"""The same model and the same passages without the leash: the baseline that the agent has to beat.

One plain prompt, one reply, shown as it is: no rewrite, no floor, no gate, no retry. Whether it
refused is read from its words, by a list of the ways in which models say so.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tether.ask.answer import Answer, Consulted
from tether.core.errors import TetherError
from tether.core.ids import new_id
from tether.core.message import Message
from tether.retrieval.query import Query
from tether.runtime.dispatch import DispatchRunner
from tether.runtime.raw_dispatch import RawDispatch
from tether.runtime.storage import NoopStorage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.ask.library import Library
    from tether.ask.model import AskModel
    from tether.core.events import MessageChunk
    from tether.retrieval.hit import Hit
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.pipeline import CallNext

PROMPT = (
    "You answer questions about a documentation. Use the passages below. Cite the page you used as"
    " a Markdown link. If the passages do not answer the question, say that they do not."
)
REFUSES = re.compile(
    r"(?:do(?:es)?(?:n't| not)|cannot|can't|could not|unable to|no)\b[^.]{0,60}"
    r"\b(?:answer|mention|contain|cover|provide|specif|say|find|information|state|address|include)"
    r"|not (?:mentioned|covered|provided|specified|stated|found|included|addressed)"
    r"|i(?:'m| am) (?:not sure|sorry)|i don't know",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Naked:
    """A model with passages in its prompt, and nothing else."""

    model: AskModel
    library: Library
    passages: int = 8
    _said: dict[str, list[Message]] = field(default_factory=dict[str, list[Message]])

    async def ask(self, question: str, *, conversation: str = "") -> Answer:
        """Answer in a conversation; "" begins a new one."""
        conversation = conversation or new_id()
        history = self._said.setdefault(conversation, [])
        query = Query(question=question)
        findings = await asyncio.to_thread(self.library.search, query, self.passages)
        history.append(Message.user(question))
        text, problem = await self._reply(_prompt(findings.hits), history)
        if text:
            history.append(Message.assistant(text))
        return Answer(
            id=new_id(),
            conversation=conversation,
            question=question,
            text=text,
            verdict="failed" if problem else "abstained" if REFUSES.search(text) else "answered",
            consulted=tuple(map(_consulted, findings.hits)),
            attempts=1,
            model=self.model.name,
            error=problem,
        )

    def rendered(self, answer: Answer) -> str:
        """Return what the model wrote: nobody looks at it before the person does."""
        return answer.text

    async def _reply(
        self, prompt: str, messages: Sequence[Message]
    ) -> tuple[str, tuple[str, str] | None]:
        said: dict[str, str] = {}

        def hear(chunk: MessageChunk) -> None:
            said[chunk.id] = chunk.full

        async def done(ctx: DispatchContext, call_next: CallNext) -> None:
            ctx.ack()
            await call_next()

        raw = RawDispatch(system_prompt=prompt, storage=NoopStorage(), messages=messages)
        try:
            await DispatchRunner.dispatch(
                executor=self.model.executor,
                raw=raw,
                output_pipeline=[done],
                hooks={"message": hear},
            )
        except TetherError as error:
            return "", (error.code, str(error))
        return "\n\n".join(said.values()), None


def _prompt(hits: Sequence[Hit]) -> str:
    shown = [f"[{hit.chunk.title}]({hit.chunk.link})\n{hit.chunk.text}" for hit in hits]
    return "\n\n---\n\n".join((PROMPT, *shown))


def _consulted(hit: Hit) -> Consulted:
    chunk = hit.chunk
    return Consulted(
        chunk=chunk.id,
        document=chunk.document,
        title=chunk.title,
        url=chunk.url,
        anchor=chunk.anchor,
        version="",
        cited=False,
    )
