"""Each stage alone: a value in, the next value or a refusal out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import FrozenInstanceError, replace
from datetime import timedelta

import pytest

from ask.bookshelf import (
    QUESTION,
    RESTARTS,
    RETENTION,
    WHEN,
    Heard,
    Running,
    Shelf,
    Writer,
    agent_of,
    asked,
    found_on,
    helper_of,
    model_of,
    narrow,
    parts_of,
    prepared,
    quoting,
    talk,
)
from tether import AbortSignal, NoopStorage, TurnContext, TurnInput, TurnRunner
from tether.ask import Answer, AskSettings, Near
from tether.ask.citations.draft import Draft
from tether.ask.evidence import Citable
from tether.ask.fit import Fit
from tether.ask.gather import NOTHING_FITS, Gather
from tether.ask.history import Hydrate
from tether.ask.memory.recall import Recall
from tether.ask.memory.remember import Remember
from tether.ask.model import AskModel
from tether.ask.persist import Conclusion, Persist
from tether.ask.prepare import Prepare
from tether.ask.prompt import Show
from tether.ask.quoting.executor import say_nothing
from tether.ask.reporter import Reporter
from tether.ask.retrieve import Retrieve, Suffice
from tether.ask.values import (
    Accepted,
    Found,
    Gathered,
    Material,
    Outcome,
    Prepared,
    Refusal,
    Shown,
    Talk,
)
from tether.batteries.budget.thrift import Thrift
from tether.batteries.storage.records import MemoryRecord
from tether.batteries.storage.sqlite import SqliteStore
from tether.batteries.testing import FakeClock
from tether.core.errors import Aborted
from tether.core.memory import Memory
from tether.runtime.pipeline import CallNext

GOOD = Shelf().cited(RESTARTS)


def reporter(heard: Heard | None = None) -> Reporter:
    return Reporter(FakeClock(), heard)


def gather_on(shelf: Shelf, settings: AskSettings | None = None) -> Gather:
    return Gather(parts_of(shelf=shelf, settings=settings), Citable(shelf), reporter())


async def gathered_on(shelf: Shelf) -> Gathered:
    found = await gather_on(shelf)(found_on(shelf), Running())
    assert isinstance(found, Gathered)
    return found


def test_a_value_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        asked().question = "Another one?"  # type: ignore[misc]  # that is the point


async def test_hydrate_reads_the_conversation_and_the_instructions_in_force(
    store: SqliteStore,
) -> None:
    agent, _, _ = agent_of(store, GOOD, GOOD)
    first = await agent.ask(QUESTION, owner="ann")
    await agent.ask("And then?", owner="ann", conversation=first.conversation)
    wanted = await store.propose_instruction("Answer in one sentence.", owner="ann")
    await store.confirm_instruction(wanted.id, owner="ann", by="ann")
    heard = Heard()
    hydrate = Hydrate(parts_of(store, settings=AskSettings(history=1)), reporter(heard))
    question = replace(asked(begins=False, owner="ann"), conversation=first.conversation)
    found = await hydrate(question, Running())
    assert found.asked is question
    assert [str(it.question.content) for it in found.history] == ["And then?"]
    assert [it.role for it in found.messages] == ["user", "assistant"]
    assert "[1]" not in str(found.messages[1].content)
    assert found.instructions == ("Answer in one sentence.",)
    assert heard.of("history")[0].detail == {"exchanges": 1}


async def test_hydrate_reads_no_history_for_a_question_that_begins(store: SqliteStore) -> None:
    assert await Hydrate(parts_of(store), reporter())(asked(), Running()) == Talk(
        asked=asked(), history=(), messages=(), instructions=()
    )


async def test_prepare_leaves_a_question_that_stands_alone_as_it_is() -> None:
    assert await Prepare(parts_of(), reporter())(talk(), Running()) == prepared()


async def test_prepare_refuses_before_an_empty_library_is_searched() -> None:
    found = await Prepare(parts_of(shelf=Shelf({})), reporter())(talk(), Running())
    assert found == Refusal(reason="index-empty")


async def test_prepare_resolves_a_follow_up_and_widens_the_search(store: SqliteStore) -> None:
    agent, _, _ = agent_of(store, GOOD)
    before = await store.exchange((await agent.ask(QUESTION)).id)
    helper = helper_of(["worker restart checks", "It restarts after three checks fail, always."])
    model = replace(model_of(Writer([])), helper=helper)
    parts = parts_of(model=model, settings=AskSettings(hypothesis=True))
    found = await Prepare(parts, reporter())(talk("Why does it?", before), Running())
    assert isinstance(found, Prepared)
    assert (found.resolved, found.query.rewrite) == ("worker restart checks",) * 2
    assert found.query.hypothetical == "It restarts after three checks fail, always."
    assert (found.query.question, str(found.message.content)) == ("Why does it?",) * 2


async def test_an_executor_that_quotes_is_shown_the_words_that_a_follow_up_leaves_out(
    store: SqliteStore,
) -> None:
    agent, _, _ = agent_of(store, GOOD)
    before = await store.exchange((await agent.ask(QUESTION)).id)
    prepare = Prepare(parts_of(model=quoting()), reporter())
    found = await prepare(talk("Why does it?", before), Running())
    assert isinstance(found, Prepared)
    assert str(found.message.content) == f"Why does it? ({found.resolved})"
    assert (found.message.id, found.message.created_at) == ("turn-1.question", WHEN)


async def test_retrieve_searches_once_for_twice_as_many_as_are_shown() -> None:
    shelf, heard = Shelf(), Heard()
    parts = parts_of(shelf=shelf, settings=AskSettings(passages=1))
    retrieve = Retrieve(parts, reporter(heard))
    found = await retrieve(prepared(), Running())
    assert found.prepared == prepared()
    assert shelf.searched == [prepared().query]
    assert len(found.findings.hits) == 2
    assert [hit["rank"] for hit in heard.of("search")[0].detail["hits"]] == [1, 2]


async def test_retrieve_ends_with_an_abort() -> None:
    signal = AbortSignal()
    signal.abort()
    with pytest.raises(Aborted):
        await Retrieve(parts_of(), reporter())(prepared(), Running(signal))


@pytest.mark.parametrize("sufficient", [True, False])
async def test_suffice_hands_the_hits_on_or_names_the_nearest_pages(sufficient: bool) -> None:
    found = found_on(Shelf(sufficient=sufficient))
    reached = await Suffice(reporter())(found, Running())
    near = Near(title="Workers", url="workers.md")
    if sufficient:
        assert reached is found
        assert found.nearest[0] == near
    else:
        assert isinstance(reached, Refusal)
        assert (reached.reason, reached.nearest[0]) == ("below-floor", near)
        assert (reached.passages, reached.prompt) == ((), "")


async def test_a_question_in_doubt_is_left_to_who_reads_the_units() -> None:
    found = found_on(Shelf(sufficient=False, insufficient=0.4))
    assert found.in_doubt
    heard = Heard()
    assert await Suffice(reporter(heard), is_read=True)(found, Running()) is found
    assert heard.of("floor")[0].detail["in_doubt"] is True
    assert isinstance(await Suffice(reporter())(found, Running()), Refusal)
    clear = found_on(Shelf(sufficient=False))
    assert isinstance(await Suffice(reporter(), is_read=True)(clear, Running()), Refusal)


async def test_gather_numbers_the_passages_and_lets_them_be_cited() -> None:
    shelf = Shelf()
    gather = gather_on(shelf, AskSettings(passages=2, tier="third-party-private"))
    found = found_on(shelf)
    reached = await gather(found, Running())
    assert isinstance(reached, Gathered)
    assert reached.found is found
    assert [it.number for it in reached.passages] == [1, 2]
    assert {it.tier for it in reached.passages} == {"third-party-private"}
    assert gather.citable.passages == reached.passages


async def test_gather_carries_the_passages_of_the_previous_answer_along(
    store: SqliteStore,
) -> None:
    shelf = Shelf()
    agent, _, _ = agent_of(store, shelf.cited(RETENTION), shelf=shelf)
    before = await store.exchange((await agent.ask("When does a queue drop its tasks?")).id)
    carried = shelf.chunk_with(RETENTION).id
    found = found_on(shelf, QUESTION, before)
    for follow_ups in (True, False):
        gather = gather_on(shelf, AskSettings(passages=2, follow_ups=follow_ups))
        reached = await gather(found, Running())
        assert isinstance(reached, Gathered)
        assert (carried in [it.chunk.id for it in reached.passages]) is follow_ups


async def test_gather_refuses_where_no_passage_fits() -> None:
    long = "# Workers\n\n" + "A worker restarts after three failed health checks. " * 80
    shelf = Shelf({"workers.md": long})
    small = parts_of(shelf=shelf, model=model_of(Writer([]), profile=narrow(800)))
    gather = replace(gather_on(shelf), parts=small)
    reached = await gather(found_on(shelf), Running())
    assert isinstance(reached, Refusal)
    assert (reached.reason, reached.notes) == ("not-supported", (NOTHING_FITS,))
    assert gather.citable.passages == ()


def memory(id: str, text: str, *, own: bool = True) -> MemoryRecord:
    return MemoryRecord(
        memory=Memory(id=id, content=text, confidence=0.9, importance=0.9, created_at=WHEN),
        owner="",
        tier="first-party" if own else "third-party-public",
        origin="person" if own else "document",
        source="" if own else "https://blog.test/workers",
    )


@pytest.mark.parametrize("limit", [0, 1])
async def test_recall_adds_the_memories_that_matter(store: SqliteStore, limit: int) -> None:
    await store.remember(memory("m1", "The user likes tea."))
    await store.remember(memory("m2", "The user runs a worker on Debian."))
    heard, gathered = Heard(), await gathered_on(Shelf())
    clock = FakeClock(WHEN + timedelta(days=1))
    parts = parts_of(store, settings=AskSettings(memories=limit), clock=clock)
    reached = await Recall(parts, reporter(heard))(gathered, Running())
    assert reached.gathered is gathered
    assert [it.memory.id for it in reached.memories] == ["m2"][:limit]
    assert heard.kinds == ["memories"] * limit


async def in_a_turn(work: Callable[[TurnContext], Awaitable[None]]) -> None:
    """Run something with the context of a turn."""

    async def stage(ctx: TurnContext, call_next: CallNext) -> None:
        await work(ctx)
        ctx.abort()

    runner = TurnRunner(executor=Writer([]), storage=NoopStorage(), turn_input_pipeline=[stage])
    await runner.run(TurnInput(system_prompt="Answer."))


@pytest.mark.parametrize("window", [32_000, 1_020])
async def test_show_fills_the_turn_and_fit_makes_it_fit_or_refuses(window: int) -> None:
    shelf = Shelf()
    gather = gather_on(shelf)
    gathered = await gather(found_on(shelf), Running())
    assert isinstance(gathered, Gathered)
    remembered = (memory("m1", "Mine."), memory("m2", "Theirs.", own=False))
    material = Material(gathered=gathered, memories=remembered)
    fit = Fit(Thrift(narrow(window)), gather.citable, reporter())
    reached: list[Shown | Refusal] = []

    async def work(ctx: TurnContext) -> None:
        model = AskModel(name="m", executor=say_nothing, profile=narrow(window))
        assert await Show(model)(material, ctx) is material
        kinds = [it.kind for it in ctx.turn_retrievables]
        assert kinds == [*["documentation"] * len(gathered.passages), "memory"]
        scores = {hit.chunk.id: round(hit.score, 3) for hit in gathered.found.findings.hits}
        carried = {it.id: it.score for it in ctx.turn_retrievables if it.kind == "documentation"}
        assert carried == {id: scores[id] for id in carried}
        assert [str(it.content) for it in ctx.turn_memories] == ["Mine."]
        assert [str(it.content) for it in ctx.turn_messages] == [QUESTION]
        reached.append(await fit(material, ctx))

    await in_a_turn(work)
    (end,) = reached
    nearest = gathered.found.nearest
    if window == 1_020:
        assert end == Refusal(reason="not-supported", nearest=nearest, notes=(NOTHING_FITS,))
        assert gather.citable.passages == ()
    else:
        ready = gathered.found.prepared
        assert end == Shown(resolved=QUESTION, message=ready.message, nearest=nearest)
        assert gather.citable.passages == gathered.passages


def outcomes(found: Found) -> list[Outcome]:
    passages = Citable(Shelf()).add([hit.chunk for hit in found.findings.hits], "first-party")
    draft = Draft(text="A worker restarts.", statements=(), citations=())
    return [
        Accepted(draft=draft, passages=passages, notes=("1 image was taken out",), prompt="P"),
        Refusal(reason="not-supported", nearest=found.nearest, passages=passages, prompt="P"),
        Refusal(reason="index-empty"),
    ]


async def test_persist_stores_every_outcome_as_an_answer(store: SqliteStore) -> None:
    found = found_on(Shelf())
    for at, outcome in enumerate(outcomes(found)):
        heard = Heard()
        question = replace(asked(), id=f"t{at}", conversation=f"c{at}")
        answer = await Persist(Conclusion(parts_of(store), question, reporter(heard)))(outcome)
        stored = await store.exchange(f"t{at}")
        assert Answer.from_json(stored.details) == answer
        assert (str(stored.answer.content), stored.prompt) == (answer.text, outcome.prompt)
        assert [it.chunk for it in answer.consulted] == [it.chunk.id for it in outcome.passages]
        assert answer.notes == outcome.notes
        if isinstance(outcome, Refusal):
            assert (answer.verdict, answer.reason) == ("abstained", outcome.reason)
            assert answer.nearest == outcome.nearest
            assert heard.kinds == ["refuse", "store"]
        else:
            assert (answer.verdict, answer.text) == ("answered", outcome.draft.text)
            assert heard.kinds == ["store"]


@pytest.mark.parametrize("begins", [True, False])
def test_a_turn_without_an_outcome_was_aborted(begins: bool) -> None:
    answer = Conclusion(parts_of(), asked(begins=begins), reporter()).failure()
    assert answer.error == ("E_ABORTED", "the turn was aborted")
    assert (answer.verdict, answer.conversation) == ("failed", "" if begins else "talk-1")


@pytest.mark.parametrize("wanted", [True, False])
async def test_remember_learns_from_the_question_as_it_was_asked(
    store: SqliteStore, wanted: bool
) -> None:
    parts = parts_of(store, settings=AskSettings(remember=wanted))
    await Remember(parts, reporter())(asked("I use Debian. Why?", owner="ann"))
    records = await store.memories(owner="ann")
    assert [(it.turn, it.conversation) for it in records] == [("turn-1", "talk-1")] * wanted
