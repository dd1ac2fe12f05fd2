"""The stage that makes a search query of the question, in up to three small jobs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from tether.ask.context import fitted, is_about_context
from tether.ask.events import StepState
from tether.ask.history import spoken
from tether.ask.parts import Parts
from tether.ask.query.courtesy import asks_nothing
from tether.ask.query.expansion import hypothesis, variants
from tether.ask.query.follow_up import rewrite
from tether.ask.reporter import Reporter
from tether.ask.values import Asked, Prepared, Refusal, Talk
from tether.core.message import Message
from tether.retrieval.query import Query
from tether.runtime.abort import AbortSignal
from tether.runtime.pipeline import Abortable


@dataclass(frozen=True, slots=True)
class Prepare:
    """Repairs the spelling of the question; rewrites, imagines and varies it, as the settings say.

    It widens the search and judges nothing: a job that fails leaves the question as it is. The jobs
    run one after the other, because they share an engine with each other and with the answer.
    Refuses a courtesy, which asks nothing, and where the library is empty.
    """

    parts: Parts
    reporter: Reporter

    async def __call__(self, talk: Talk, ctx: Abortable) -> Prepared | Refusal:
        """Return the question ready to be searched."""
        if asks_nothing(talk.asked.question):
            return Refusal(reason="not-a-question")
        if self.parts.library.is_empty:
            return Refusal(reason="index-empty")
        signal = ctx.abort_signal
        question = await self._spelled(talk.asked.question, signal)
        rewritten = await self._rewritten(talk, question, signal)
        resolved = (rewritten if talk.history else "") or question
        clues = await self._clues(talk.asked.context, signal)
        if clues and is_about_context(question):
            rewritten = resolved = f"{resolved} ({clues})"
        hypothetical = await self._imagined(resolved, signal)
        others = await self._varied(resolved, signal)
        if clues and not is_about_context(question):  # then they only widen the search
            others = (*others, f"{resolved} ({clues})")
        return Prepared(
            talk=talk,
            query=Query(
                question=question, rewrite=rewritten, variants=others, hypothetical=hypothetical
            ),
            resolved=resolved,
            message=self._message(talk.asked, question, resolved),
        )

    async def _spelled(self, question: str, signal: AbortSignal) -> str:
        """Return the question in the spelling of the documents; the answer says what changed."""
        found = await signal.guard(asyncio.to_thread(self.parts.library.repaired, question))
        if found.repairs:
            repairs = [{"typed": it.typed, "meant": it.meant} for it in found.repairs]
            self.reporter.step("spelling", "done", found.text, text=found.text, repairs=repairs)
        for note in found.notes:
            self.reporter.note(note)
        return found.text

    async def _rewritten(self, talk: Talk, question: str, signal: AbortSignal) -> str:
        """Return other words for a question that leans on the conversation, else ""."""
        if not self.parts.settings.rewrite:
            return ""
        earlier = [it for one in talk.history for it in (one.question, spoken(one))]
        found = await rewrite(question, earlier, self.parts.model.helper, abort_signal=signal)
        state: StepState = "skipped" if found.by == "none" else "done"
        self.reporter.step(
            "rewrite",
            "failed" if found.problem else state,
            found.problem or found.text,
            question=question,
            text=found.text,
            by=found.by,
            problem=found.problem,
        )
        return "" if found.by == "none" else found.text

    async def _clues(self, context: str, signal: AbortSignal) -> str:
        """Return the words of the accompanying text that help the search; "" without any."""
        if not context:
            return ""
        model = self.parts.model
        shown = context if model.style == "quotes" else fitted(context, model.profile)
        if shown != context:
            self.reporter.note("the accompanying text was shortened to fit the model's window")
        found = await signal.guard(asyncio.to_thread(self.parts.library.clues, context))
        label = ", ".join(found) or "no word of the accompanying text helps the search"
        state: StepState = "done" if found else "skipped"
        self.reporter.step("context", state, label, characters=len(context), words=list(found))
        return ", ".join(found)

    async def _imagined(self, resolved: str, signal: AbortSignal) -> str:
        helper = self.parts.model.helper
        if not self.parts.settings.hypothesis or helper is None:
            return ""
        text = await hypothesis(resolved, helper, abort_signal=signal)
        label = text or "no paragraph was written"
        self.reporter.step("hypothesis", "done" if text else "failed", label, text=text)
        return text

    async def _varied(self, resolved: str, signal: AbortSignal) -> tuple[str, ...]:
        helper, count = self.parts.model.helper, self.parts.settings.variants
        if not count or helper is None:
            return ()
        found = await variants(resolved, count, helper, abort_signal=signal)
        label = f"{len(found)} other forms of the question"
        self.reporter.step("variants", "done" if found else "failed", label, texts=list(found))
        return found

    def _message(self, asked: Asked, question: str, resolved: str) -> Message:
        """Return the question as the model is shown it.

        An executor that answers by quotation knows no dialogue and no typing error: it gets the
        repaired question, and the words that a follow-up leaves out.
        """
        text = asked.question
        if self.parts.model.style == "quotes":
            text = question if resolved == question else f"{question} ({resolved})"
        return Message(id=asked.question_id, role="user", content=text, created_at=asked.started_at)
