"""Passages that do not fit the window are left out, reported, and cannot be cited."""

from __future__ import annotations

from ask.bookshelf import QUESTION, RESTARTS, Heard, Play, Shelf, agent_of, narrow
from tether.ask import AskSettings
from tether.batteries.models.scripted import Call
from tether.batteries.storage.sqlite import SqliteStore

FILLER = "The scheduler of a worker writes one line to its log for every restart it sees. " * 4


def wordy(times: int = 1) -> Shelf:
    """Return pages about workers that are too many for a small window."""
    pages = {
        f"page{n}.md": f"# Worker page {n}\n\nA worker restarts for reason {n}. {FILLER * times}\n"
        for n in range(8)
    }
    return Shelf(pages | {"workers.md": f"# Workers\n\n{RESTARTS}\n"})


async def test_shed_passages_are_reported_and_no_longer_evidence(
    store: SqliteStore,
) -> None:
    shelf, heard = wordy(), Heard()
    settings = AskSettings(evidence_tokens=20_000, address_check=False, retries=0)
    agent, writer, _ = agent_of(
        store, "Nothing.", shelf=shelf, profile=narrow(1_300), settings=settings
    )
    answer = await agent.ask("Why does a worker restart?", listener=heard)
    (shed,) = heard.of("shed")
    assert shed.detail["shed"]["evidence"] == len(shed.detail["passages"]) > 0
    assert shed.detail["after"] <= shed.detail["limit"] < shed.detail["before"]
    shown = heard.of("evidence")[0].detail["passages"]
    assert len(writer.passages[0]) == len(shown) - len(shed.detail["passages"])
    assert not {it.chunk for it in answer.consulted} & set(shed.detail["passages"])


async def test_where_every_passage_is_shed_no_model_is_asked(store: SqliteStore) -> None:
    agent, writer, _ = agent_of(store, profile=narrow(1_020))
    heard = Heard()
    answer = await agent.ask(QUESTION, listener=heard)
    assert heard.of("evidence")[0].detail["passages"]
    assert (answer.verdict, answer.reason) == ("abstained", "not-supported")
    assert answer.notes == ("no passage fits the window of the model",)
    assert answer.consulted == ()
    assert writer.times == 0


async def test_the_setting_bounds_the_passages(store: SqliteStore) -> None:
    shelf, heard = wordy(), Heard()
    settings = AskSettings(passages=2, address_check=False, retries=0)
    agent, writer, _ = agent_of(store, "Nothing.", shelf=shelf, settings=settings)
    await agent.ask("Why does a worker restart?", listener=heard)
    assert len(writer.passages[0]) == 2
    assert heard.of("shed") == []


async def test_a_long_history_gives_way_to_the_passages(store: SqliteStore) -> None:
    shelf = Shelf()
    good = shelf.cited(RESTARTS)
    agent, writer, _ = agent_of(store, *[good] * 6, shelf=shelf, profile=narrow(2_000))
    talk = (await agent.ask(f"{QUESTION} {'Please. ' * 80}")).conversation
    for _ in range(4):
        await agent.ask(f"{QUESTION} {'Please. ' * 80}", conversation=talk)
    lengths = [len(shown) for shown in writer.shown]
    assert max(lengths) == 3  # one earlier exchange fits, four were asked for
    assert all(passages for passages in writer.passages)


async def test_tool_results_push_out_passages_and_leave_the_own_evidence(
    store: SqliteStore,
) -> None:
    shelf, heard = wordy(), Heard()
    looking: Play = [Call("search_documents", {"query": "worker restarts reason"})]
    agent, _, _ = agent_of(
        store,
        looking,
        looking,
        shelf.cited(RESTARTS),
        shelf=shelf,
        profile=narrow(2_600),
        style="tools",
    )
    answer = await agent.ask("When does a worker restart after failed checks?", listener=heard)
    gone = {id for step in heard.of("shed") for id in step.detail["passages"]}
    assert answer.citations[0].chunk in gone  # it was shown, and gave way later
    assert answer.verdict == "answered"


async def test_a_search_in_a_window_of_4096_keeps_the_passage_of_the_turn(
    store: SqliteStore,
) -> None:
    """The readers of its result would cost more than the passage, and nobody needs them."""
    shelf, heard = wordy(3), Heard()
    looking: Play = [Call("search_documents", {"query": "worker restarts reason", "limit": 8})]
    agent, writer, _ = agent_of(
        store,
        looking,
        shelf.cited(RESTARTS),
        shelf=shelf,
        profile=narrow(4_096),
        style="tools",
        settings=AskSettings(passages=1, address_check=False),
    )
    answer = await agent.ask("When does a worker restart after failed checks?", listener=heard)
    assert [len(shown) for shown in writer.passages] == [1, 1]
    assert heard.of("shed") == []
    assert answer.ledger is not None
    assert answer.ledger["free"] < 500, "with seven readers more, nothing would be left"
    assert answer.verdict == "answered"
