"""The documents agent: one question is one turn of a stock runner, and this is its shape.

Before the model: `Asked → Talk → Prepared → Found → Gathered → Material → Shown`. Around it, for
each attempt: `Shown → Accepted`. After it: `Accepted → Answer`. Every stage takes one of these
values and returns the next; a `Refusal` ends the way before or around the model.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from tether.ask.answer import Answer
from tether.ask.citations.address import JudgedAddress
from tether.ask.citations.review import ReviewRules, examine
from tether.ask.errors import InvalidAskSettings
from tether.ask.events import AskEvent
from tether.ask.evidence import Citable
from tether.ask.fit import Fit, Refit
from tether.ask.gate import Buffer, CitationGate, GateRules, Reader
from tether.ask.gather import Gather
from tether.ask.history import Hydrate
from tether.ask.library import Library
from tether.ask.memory.recall import Recall
from tether.ask.memory.remember import Remember
from tether.ask.model import AskModel, abortable
from tether.ask.parts import Parts
from tether.ask.persist import Conclusion, Persist, stored_answer
from tether.ask.pointing.attempt import PointReader
from tether.ask.pointing.hold import HoldToPoints
from tether.ask.pointing.numbered import Numbering
from tether.ask.prepare import Prepare
from tether.ask.prompt import Capture, Show
from tether.ask.quoting.quotation import read_quotation
from tether.ask.reporter import Listener, Reporter
from tether.ask.retrieve import Retrieve, Suffice
from tether.ask.settings import AskSettings
from tether.ask.tools import AskTurn, ToolRounds, ask_tools
from tether.ask.values import Asked, Found, Gathered, Material, Outcome, Prepared, Shown, Talk
from tether.ask.verification.port import Verifier
from tether.ask.verification.second import SecondOpinion
from tether.ask.way import Door, Slot, Stage, Way, WayIn, WayOut
from tether.batteries.budget.limits import TurnLimits
from tether.batteries.budget.thrift import Thrift
from tether.batteries.storage.port import CONVERSATION, OWNER, Store
from tether.batteries.telemetry import Telemetry
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, Problem
from tether.core.ids import new_id
from tether.core.registry import Registry
from tether.retrieval.ports import Judge
from tether.runtime.abort import AbortSignal
from tether.runtime.clock import Clock, SystemClock
from tether.runtime.dispatch import DispatchMiddleware
from tether.runtime.tool import Tool
from tether.runtime.turn import TurnRunner, streamed
from tether.runtime.turn_context import TurnInput
from tether.trust.visible import visible_text

ToolMaker = Callable[[AskTurn], Iterable[Tool]]
"""Makes the tools of one turn, for a model of the style `tools`."""

LONGEST_QUESTION = 20_000
LONGEST_CONTEXT = 100_000


class AskAgent:
    """Answers questions from one library, with checked citations, or says that it cannot.

    It keeps nothing between turns: conversations are in the store, and several turns may run at
    once. The library is searched once in a turn, and again only by tools. `judge` reads the quotes
    of an answer beside its question, `verifier` beside its statements: without one, only words of
    the documents are shown. `tools` makes the tools of a model that uses some, by default those
    that search. `telemetry` hears every turn. Raises `InvalidAskSettings` where a second opinion is
    wanted of a model without a helper.
    """

    def __init__(
        self,
        *,
        library: Library,
        model: AskModel,
        store: Store,
        settings: AskSettings | None = None,
        judge: Judge | None = None,
        verifier: Verifier | None = None,
        tools: ToolMaker | None = None,
        telemetry: Telemetry | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._parts = Parts(
            library=library,
            model=model,
            store=store,
            settings=AskSettings() if settings is None else settings,
            clock=SystemClock() if clock is None else clock,
        )
        _refuse_lonely_opinion(self._parts)
        self._address = JudgedAddress(judge) if self.settings.address_check else None
        self._verifier = verifier
        self._tools = self._search_tools if tools is None else tools
        self._telemetry = telemetry

    @property
    def library(self) -> Library:
        """The documents it answers from."""
        return self._parts.library

    @property
    def model(self) -> AskModel:
        """The model that writes its answers."""
        return self._parts.model

    @property
    def verifier(self) -> Verifier | None:
        """Who verifies the statements of its answers."""
        return self._verifier

    @property
    def store(self) -> Store:
        """The store of its conversations, memories and gates."""
        return self._parts.store

    @property
    def settings(self) -> AskSettings:
        """The settings of its turns."""
        return self._parts.settings

    async def ask(
        self,
        question: str,
        *,
        context: str = "",
        conversation: str = "",
        owner: str = "",
        turn: str = "",
        abort_signal: AbortSignal | None = None,
        listener: Listener | None = None,
    ) -> Answer:
        """Answer a question; without a conversation, start one.

        `context` is text of others that accompanies the question, such as a log: the model is shown
        it as data, the search uses a few of its words, and nothing is cited from it.
        `turn` is the id under which it is stored: the same question with the same id again returns
        the stored answer, and no model is called. The listener receives every event, the answer
        last. A turn that fails or is aborted ends in an answer of the verdict `failed`; one that is
        cancelled raises. Neither is stored, unless the cancellation comes after the answer was.
        Raises `InputRefused` for an empty or overlong question, an overlong context, and for the id
        of another question.
        """
        asked = replace(self._asked(question, conversation, owner, turn), context=_checked(context))
        reporter = Reporter(self._parts.clock, listener)
        stored = await stored_answer(asked, self.store) if asked.is_named else None
        answer = await self._run(asked, reporter, abort_signal) if stored is None else stored
        reporter.emit(answer)
        return answer

    def stream(
        self,
        question: str,
        *,
        context: str = "",
        conversation: str = "",
        owner: str = "",
        turn: str = "",
        abort_signal: AbortSignal | None = None,
    ) -> AsyncGenerator[AskEvent, None]:
        """Answer a question and iterate over the events; the last one is the answer.

        Text is provisional until then. Leaving early cancels the turn as soon as the iterator is
        closed: if you keep it in a variable, wrap it in `contextlib.aclosing`.
        """
        return streamed(
            lambda listener: self.ask(
                question,
                context=context,
                conversation=conversation,
                owner=owner,
                turn=turn,
                abort_signal=abort_signal,
                listener=listener,
            )
        )

    def _asked(self, question: str, conversation: str, owner: str, turn: str) -> Asked:
        question = clean_text(question).strip()
        if not visible_text(question).text.strip():
            raise InputRefused("the question is empty: ask something")
        if len(question) > LONGEST_QUESTION:
            allowed = f"{LONGEST_QUESTION} characters are allowed"
            raise InputRefused(f"the question has {len(question)} characters: {allowed}")
        return Asked(
            id=turn or new_id(),
            question=question,
            conversation=conversation or new_id(),
            owner=owner,
            begins=not conversation,
            is_named=bool(turn),
            started_at=self._parts.clock.now(),
        )

    async def _run(
        self, asked: Asked, reporter: Reporter, abort_signal: AbortSignal | None
    ) -> Answer:
        conclusion, answered = Conclusion(self._parts, asked, reporter), Slot[Answer]()
        runner = self._runner(conclusion, answered)
        reporter.hear(runner, text=self.model.style != "points")
        if self._telemetry is not None:
            self._telemetry.attach(runner)
        stash = Registry()
        stash.set(CONVERSATION, asked.conversation)
        stash.set(OWNER, asked.owner)
        await runner.run(
            TurnInput(
                system_prompt=self._parts.system_prompt,
                stash=stash.all(),
                abort_signal=abort_signal,
            )
        )
        return conclusion.failure() if answered.is_empty else answered.value()

    def _runner(self, conclusion: Conclusion, answered: Slot[Answer]) -> TurnRunner:
        """Return the turn as a runner: the stages before, around and after the model."""
        parts, model, settings = self._parts, self.model, self.settings
        asked, reporter = conclusion.asked, conclusion.reporter
        citable, buffer, numbering = Citable(self.library), Buffer(), Numbering()
        thrift = Thrift(model.profile, renderer=model.renderer)
        shown, prompt, outcome = Slot[Shown](), Slot[str](), Slot[Outcome]()
        turn = AskTurn(asked=asked, settings=settings, citable=citable, reporter=reporter)
        return TurnRunner(
            turn_input_pipeline=[
                WayIn(asked, self._way_in(thrift, citable, numbering, reporter), shown, outcome),
            ],
            dispatch_input_pipeline=[
                Door(outcome),
                *self._limits(),
                *self._rounds(),
                Refit(thrift, citable, reporter),
                *self._form(numbering, citable, shown),
                Capture(model, prompt),
            ],
            executor=abortable(model.executor),
            dispatch_output_pipeline=[
                CitationGate(
                    rules=GateRules(
                        review=ReviewRules(
                            code=parts.allows_code, verifier=self._verifier, address=self._address
                        ),
                        retries=parts.retries,
                        rounds=settings.rounds,
                        read=self._reader(numbering),
                        quotes=model.style != "quotes",
                        contradicts=model.style == "points",
                        tier=settings.tier,
                        second=self._second(),
                    ),
                    shown=shown,
                    prompt=prompt,
                    outcome=outcome,
                    citable=citable,
                    buffer=buffer,
                    reporter=reporter,
                ),
            ],
            turn_output_pipeline=[
                WayOut(asked, outcome, Persist(conclusion), Remember(parts, reporter), answered),
            ],
            storage=self.store,
            tools=self._tools(turn) if model.style == "tools" else (),
            clock=parts.clock,
            **buffer.callbacks(),
        )

    def _way_in(
        self, thrift: Thrift, citable: Citable, numbering: Numbering, reporter: Reporter
    ) -> Way[Asked, Shown]:
        """Return the stages before the model, each with the value it takes and the one it returns.

        They run once: a failed answer is written again from the same passages.
        """
        parts = self._parts
        hydrate: Stage[Asked, Talk] = Hydrate(parts, reporter)
        prepare: Stage[Talk, Prepared] = Prepare(parts, reporter)
        retrieve: Stage[Prepared, Found] = Retrieve(parts, reporter)
        suffice: Stage[Found, Found] = Suffice(reporter, is_read=self._reads_units)
        gather: Stage[Found, Gathered] = Gather(parts, citable, reporter)
        recall: Stage[Gathered, Material] = Recall(parts, reporter)
        show: Stage[Material, Material] = Show(self.model, numbering)
        fit: Stage[Material, Shown] = Fit(thrift, citable, reporter)
        found = Way(hydrate).then(prepare).then(retrieve).then(suffice)
        return found.then(gather).then(recall).then(show).then(fit)

    @property
    def _reads_units(self) -> bool:
        """Whether the judge decides about questions that the floor doubts: only for quotation."""
        return self.model.style == "quotes" and self._address is not None and self._address.can_read

    def _limits(self) -> Sequence[DispatchMiddleware]:
        """Return the stage that stops a turn which goes beyond its limits, if it has some."""
        limits = {
            "seconds": self.settings.seconds,
            "tool_calls": self.settings.tool_calls,
            "output_tokens": self.settings.output_tokens,
        }
        given: dict[str, Any] = {name: limit for name, limit in limits.items() if limit}
        return [TurnLimits(**given, encoding=self.model.profile.encoding)] if given else []

    def _rounds(self) -> Sequence[DispatchMiddleware]:
        """Return the stage that counts the rounds of tool calls, for a model that makes some."""
        return [ToolRounds(self.settings.rounds)] if self.model.style == "tools" else []

    def _form(
        self, numbering: Numbering, citable: Citable, shown: Slot[Shown]
    ) -> Sequence[DispatchMiddleware]:
        """Return the stage that holds the model to the form of its answer, if it has one."""
        if self.model.style != "points":
            return []
        key, code = self.model.stash_key, self._parts.allows_code
        return [HoldToPoints(numbering, citable, shown, key, code)]

    def _reader(self, numbering: Numbering) -> Reader:
        """Return what reads an attempt: it depends on the form of the model's answers."""
        if self.model.style == "quotes":
            return read_quotation
        return PointReader(numbering) if self.model.style == "points" else examine

    def _second(self) -> SecondOpinion | None:
        """Return the second opinion of one turn, where the settings ask for one."""
        helper = self.model.helper if self.settings.second_opinion else None
        return None if helper is None else SecondOpinion(helper)

    def _search_tools(self, turn: AskTurn) -> Iterable[Tool]:
        return ask_tools(self.library, turn, web=None, gates=None)


def _checked(context: str) -> str:
    """Return the text that accompanies a question; raises `InputRefused` if it is too long."""
    if len(context) > LONGEST_CONTEXT:
        allowed = f"{LONGEST_CONTEXT} characters are allowed"
        raise InputRefused(f"the context has {len(context)} characters: {allowed}")
    return clean_text(context).strip()


def _refuse_lonely_opinion(parts: Parts) -> None:
    """Refuse a second opinion that nobody can give; quotation needs none."""
    model = parts.model
    if parts.settings.second_opinion and model.helper is None and model.style != "quotes":
        problem = f"needs a model with a helper, and {model.name} has none"
        raise InvalidAskSettings([Problem("second_opinion", problem)])
