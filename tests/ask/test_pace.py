"""How many passages a model is shown follows from its window and from how fast it reads."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.bookshelf import WIDE, Heard, Running, Shelf, Writer, found_on, model_of, parts_of
from support.local_engine import SAME_PROMPT, engine, smollm2
from support.turns import message
from tether import CallNext, NoopStorage, TurnContext, TurnInput, TurnRunner
from tether.ask import AskSettings, Working
from tether.ask.evidence import Citable
from tether.ask.gather import LEAST_ROOM, SURE, Gather, evidence_room
from tether.ask.reporter import Reporter
from tether.ask.values import Gathered
from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.models import LocalEngine, LocalModel
from tether.batteries.models.errors import LocalModelFailed
from tether.batteries.models.progress import OnWork, WorkProgress
from tether.runtime.clock import SystemClock

__all__ = ["engine", "smollm2"]  # fixtures


class Case(NamedTuple):
    """The arguments of the rule."""

    limit: int = 10_000
    spent: int = 1_000
    wanted: int = 0
    speed: float | None = None
    patience: float = 20

    @property
    def room(self) -> int:
        return evidence_room(**self._asdict())


@pytest.mark.parametrize(
    ("case", "room"),
    [
        (Case(), 8_000),  # the window
        (Case(wanted=500), 500),  # the setting
        (Case(speed=100.0), 1_000),  # 2,000 tokens are read in time
        (Case(speed=100.0, wanted=600), 600),  # the setting, below what is read in time
        (Case(speed=100.0, patience=0), 8_000),  # any time
        (Case(speed=1e9), 8_000),  # a fast model
        (Case(speed=1.0), LEAST_ROOM),  # a slow one
        (Case(limit=1_000, spent=2_000), LEAST_ROOM),  # a full window
        (Case(limit=1_000, spent=2_000, wanted=100, speed=1.0), 100),
    ],
)
def test_the_room_of_the_passages(case: Case, room: int) -> None:
    assert case.room == room


tokens = st.integers(0, 1_000_000)
cases = st.builds(
    Case, tokens, tokens, tokens, st.none() | st.floats(0.01, 1e6), st.floats(0, 1_000)
)


@given(cases, st.floats(0, 1_000))
def test_more_patience_never_leaves_less_room_and_the_bounds_hold(case: Case, more: float) -> None:
    longer = case._replace(patience=case.patience + more)
    assert case.room <= longer.room or case.patience == 0
    assert case.room <= case.wanted or not case.wanted
    assert case.room <= max(case.limit * SURE - case.spent, LEAST_ROOM)
    if case.speed is not None and case.patience:
        assert case.room <= max(case.speed * case.patience - case.spent, LEAST_ROOM)


FILLER = "The scheduler of a worker writes one line to its log for every restart it sees. " * 4


def wordy(times: int = 1) -> Shelf:
    return Shelf(
        {
            f"page{n}.md": f"# Page {n}\n\nA worker restarts for reason {n}. {FILLER * times}\n"
            for n in range(8)
        }
    )


class Slow:
    """A pace that notes what it was asked to read, and says how far it is."""

    def __init__(self, speed: float | None) -> None:
        self.speed = speed
        self.read: list[str] = []

    async def __call__(self, text: str, on_work: OnWork) -> float | None:
        self.read.append(text)
        on_work(WorkProgress("m", "reading", 64, 128, 25.0))
        if self.speed is None:
            raise LocalModelFailed("the engine is gone")
        return self.speed


async def shown(
    pace: Slow | None, heard: Heard, profile: ModelProfile = WIDE, **settings: float
) -> int:
    """Return how many passages are shown to a model."""
    shelf = wordy()
    model = replace(model_of(Writer([]), profile=profile), pace=pace)
    chosen = AskSettings(**settings)  # type: ignore[arg-type]  # numbers are for numbers
    parts = parts_of(shelf=shelf, model=model, settings=chosen)
    gather = Gather(parts, Citable(shelf), Reporter(SystemClock(), heard))
    reached = await gather(found_on(shelf), Running())
    assert isinstance(reached, Gathered)
    return len(reached.passages)


async def test_a_slow_model_is_shown_fewer_passages_and_more_with_patience() -> None:
    slow, heard = Slow(40.0), Heard()
    few = await shown(slow, heard)
    assert 1 <= few < 8
    assert slow.read == [parts_of().system_prompt], "the beginning of every prompt"
    assert Working("reading", 64, 128, 25.0) in heard.events
    assert heard.of("evidence")[0].detail["reading_speed"] == 40.0
    assert few < await shown(slow, heard, patience=600.0) == 8
    assert await shown(slow, heard, patience=600.0, passages=2) == 2
    assert await shown(slow, heard, patience=600.0, evidence_tokens=300) == 2


async def test_the_slowest_model_is_shown_the_best_passage() -> None:
    shelf = wordy(4)
    model = replace(model_of(Writer([])), pace=Slow(0.5))
    gather = Gather(parts_of(shelf=shelf, model=model), Citable(shelf), Reporter(SystemClock()))
    found = found_on(shelf)
    reached = await gather(found, Running())
    assert isinstance(reached, Gathered)
    assert [it.chunk.id for it in reached.passages] == [found.findings.hits[0].chunk.id]


async def test_without_patience_nothing_is_measured() -> None:
    slow = Slow(0.1)
    assert await shown(slow, Heard(), patience=0.0) == 8
    assert slow.read == []


async def test_a_speed_in_the_profile_is_believed() -> None:
    slow, profile = Slow(1e6), replace(WIDE, reading_speed=40.0)
    assert await shown(slow, Heard(), profile) < 8
    assert slow.read == []


async def test_a_model_without_a_known_speed_gets_all_that_fits() -> None:
    assert await shown(None, Heard()) == 8
    assert await shown(Slow(None), Heard()) == 8, "it will fail again, and say why"


async def test_without_a_number_as_many_are_shown_as_fit() -> None:
    assert await shown(None, Heard(), passages=0) == 8
    assert await shown(Slow(40.0), Heard(), passages=0) < 8


async def test_a_turn_of_a_real_model_is_heard_while_it_works(engine: LocalEngine) -> None:
    heard = Heard()
    reporter = Reporter(SystemClock(), heard)

    async def hydrate(ctx: TurnContext, call_next: CallNext) -> None:
        ctx.turn_messages.add(message("question", "Say hello.", role="user"))
        await call_next()

    runner = TurnRunner(
        storage=NoopStorage(),
        executor=LocalModel(engine, **SAME_PROMPT),
        turn_input_pipeline=[hydrate],
    )
    reporter.hear(runner, text=True)
    await runner.run(TurnInput(system_prompt="Be kind."))
    work = [event for event in heard.events if isinstance(event, Working)]
    assert {it.phase for it in work} >= {"reading", "writing"}
    assert work[-1].done == SAME_PROMPT["max_tokens"]
    reporter.attempt()
    assert heard.of("generate")[0].detail["writing"]["tokens"] == SAME_PROMPT["max_tokens"]


async def test_the_pace_of_a_real_model_is_that_of_its_engine(engine: LocalEngine) -> None:
    model = replace(model_of(Writer([])), pace=engine.pace)
    prompt = parts_of().system_prompt
    assert await model.reading_speed(prompt, lambda work: None) == engine.reading_speed
    assert engine.reading_speed
