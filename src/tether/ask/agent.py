"""The documents agent: one question is one turn of a stock runner, and this is its shape."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence

from tether.ask.abstaining import Abstain, Suffice
from tether.ask.answer import Answer
from tether.ask.buffering import buffered
from tether.ask.capturing import Capture
from tether.ask.citations.addressing import QuoteAddress
from tether.ask.citations.review import ReviewRules
from tether.ask.claims import ClaimsInput, ClaimsOutput
from tether.ask.events import AskEvent
from tether.ask.gate import CitationGate
from tether.ask.gathering import Gather
from tether.ask.hydrating import Hydrate
from tether.ask.injecting import Inject
from tether.ask.library import Library
from tether.ask.listening import listened
from tether.ask.model import AskModel, abortable
from tether.ask.persisting import Persist, stored_answer
from tether.ask.preparing import Prepare
from tether.ask.prompts import system_prompt
from tether.ask.recalling import Recall
from tether.ask.remembering import Remember
from tether.ask.retrieving import Retrieve
from tether.ask.settings import AskSettings
from tether.ask.shedding import Shed
from tether.ask.standing import Stand
from tether.ask.streaming import streamed
from tether.ask.tooling import ToolRounds, ask_tools
from tether.ask.turn import AskTurn, Listener
from tether.batteries.budget.thrift import Thrift
from tether.batteries.storage.port import CONVERSATION, OWNER, Store
from tether.core.cleaning import clean_text
from tether.core.errors import InputRefused
from tether.core.ids import new_id
from tether.core.registry import Registry
from tether.retrieval.ports import Judge
from tether.runtime.abort import AbortSignal
from tether.runtime.clock import Clock, SystemClock
from tether.runtime.dispatch import DispatchMiddleware
from tether.runtime.tool import Tool
from tether.runtime.turn import TurnRunner
from tether.runtime.turn_context import TurnInput
from tether.trust.visible import visible_text

ToolMaker = Callable[[AskTurn], Iterable[Tool]]
"""Makes the tools of one turn, for a model of the style `tools`."""

LONGEST_QUESTION = 20_000


class AskAgent:
    """Answers questions from one library, with citations that were checked, or says that it cannot.

    It holds nothing between turns: conversations are in the store, and several turns may run at
    once. The library is searched once in a turn, and again only by tools. `judge` reads the quotes
    of an answer beside its question; `tools` makes the tools of a model that uses some, by default
    those that search.
    """

    def __init__(
        self,
        *,
        library: Library,
        model: AskModel,
        store: Store,
        settings: AskSettings | None = None,
        judge: Judge | None = None,
        tools: ToolMaker | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._library = library
        self._model = model
        self._store = store
        self._settings = AskSettings() if settings is None else settings
        self._address = QuoteAddress(judge) if self._settings.address_check else None
        self._tools = self._searching if tools is None else tools
        self._clock = SystemClock() if clock is None else clock

    @property
    def library(self) -> Library:
        """Where it looks things up."""
        return self._library

    @property
    def model(self) -> AskModel:
        """What writes its answers."""
        return self._model

    @property
    def store(self) -> Store:
        """What keeps its conversations, memories and gates."""
        return self._store

    @property
    def settings(self) -> AskSettings:
        """How its turns are run."""
        return self._settings

    async def ask(
        self,
        question: str,
        *,
        conversation: str = "",
        owner: str = "",
        turn: str = "",
        abort_signal: AbortSignal | None = None,
        listener: Listener | None = None,
    ) -> Answer:
        """Answer a question; without a conversation, start one.

        `turn` is the id under which it is stored: the same question with the same one again is the
        stored answer, and no model is asked. The listener is told every event, the answer last.
        Whatever fails or is aborted in the turn is an answer of the verdict `failed`, and nothing
        is stored; being cancelled is raised, and nothing is stored. Raises `InputRefused` for a
        question that is none, and for the id of another question.
        """
        asked = self._begin(question, conversation, owner, turn, listener)
        stored = await stored_answer(asked, self._store) if asked.is_named else None
        answer = await self._run(asked, abort_signal) if stored is None else stored
        asked.emit(answer)
        return answer

    def stream(
        self,
        question: str,
        *,
        conversation: str = "",
        owner: str = "",
        turn: str = "",
        abort_signal: AbortSignal | None = None,
    ) -> AsyncGenerator[AskEvent, None]:
        """Answer a question and iterate over the events; the last one is the answer.

        Text is provisional until then. Leaving early cancels the turn, as soon as the iterator is
        closed: where it is kept in a variable, wrap it in `contextlib.aclosing`.
        """
        return streamed(
            lambda listener: self.ask(
                question,
                conversation=conversation,
                owner=owner,
                turn=turn,
                abort_signal=abort_signal,
                listener=listener,
            )
        )

    async def _run(self, turn: AskTurn, abort_signal: AbortSignal | None) -> Answer:
        runner = self._runner(turn)
        failures = listened(runner, turn)
        await runner.run(self._input(turn, abort_signal))
        return failures.answer(turn) if turn.answer is None else turn.answer

    def _runner(self, turn: AskTurn) -> TurnRunner:
        """Return the turn as a runner: what comes before, around and behind the model."""
        store, model = self._store, self._model
        thrift = Thrift(model.profile, renderer=model.renderer)
        return TurnRunner(
            turn_input_pipeline=[
                Hydrate(turn, store),
                Stand(turn, store),
                Prepare(turn),
                Retrieve(turn),
                Suffice(turn),
                Gather(turn),
                Inject(turn),
                Recall(turn, store),
                Shed(turn, thrift),
            ],
            dispatch_input_pipeline=[
                Abstain(turn),
                *self._asked_for(turn),
                Shed(turn, thrift),
                Capture(turn),
            ],
            executor=abortable(model.executor),
            dispatch_output_pipeline=[
                *self._read_back(turn),
                CitationGate(turn, ReviewRules(code=turn.allows_code, address=self._address)),
            ],
            turn_output_pipeline=[
                Remember(turn, store),
                Persist(turn, store),
            ],
            storage=store,
            tools=self._tools(turn) if model.style == "tools" else (),
            clock=self._clock,
            **buffered(turn),
        )

    def _asked_for(self, turn: AskTurn) -> Sequence[DispatchMiddleware]:
        """Return what tells the model about the form of its answer, by its style."""
        if self._model.style == "claims":
            return [ClaimsInput(turn)]
        return [ToolRounds(self._settings.rounds)] if self._model.style == "tools" else []

    def _read_back(self, turn: AskTurn) -> Sequence[DispatchMiddleware]:
        """Return what makes Markdown of an answer in another form."""
        return [ClaimsOutput(turn)] if self._model.style == "claims" else []

    def _searching(self, turn: AskTurn) -> Iterable[Tool]:
        return ask_tools(self._library, turn, web=None, gates=None)

    def _begin(
        self, question: str, conversation: str, owner: str, turn: str, listener: Listener | None
    ) -> AskTurn:
        question = clean_text(question).strip()
        if not visible_text(question).text.strip():
            raise InputRefused("the question is empty: ask something")
        if len(question) > LONGEST_QUESTION:
            allowed = f"{LONGEST_QUESTION} characters are allowed"
            raise InputRefused(f"the question has {len(question)} characters: {allowed}")
        return AskTurn(
            id=turn or new_id(),
            question=question,
            conversation=conversation or new_id(),
            owner=owner,
            library=self._library,
            model=self._model,
            settings=self._settings,
            clock=self._clock,
            listener=listener,
            is_new=not conversation,
            is_named=bool(turn),
        )

    def _input(self, turn: AskTurn, abort_signal: AbortSignal | None) -> TurnInput:
        stash = Registry()
        stash.set(CONVERSATION, turn.conversation)
        stash.set(OWNER, turn.owner)
        return TurnInput(
            system_prompt=system_prompt(self._model.style, code=turn.allows_code),
            stash=stash.all(),
            abort_signal=abort_signal,
        )
