"""An agent recalls, obeys and learns from the person's words, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ask.bookshelf import QUESTION, RESTARTS, Heard, Shelf, agent_of
from tether.ask import AskSettings
from tether.batteries.storage.errors import MemoryRefused
from tether.batteries.storage.records import MemoryRecord
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.memory import Memory

GOOD = Shelf().cited(RESTARTS)
THEN = datetime(2026, 1, 1, tzinfo=UTC)


def memory(id: str, text: str) -> Memory:
    return Memory(id=id, content=text, confidence=0.9, importance=0.9, created_at=THEN)


async def test_the_persons_words_are_memories_and_others_are_data(store: SqliteStore) -> None:
    own = MemoryRecord(
        memory=memory("m1", "The user runs each worker on Debian."),
        owner="ann",
        tier="first-party",
        origin="person",
    )
    strange = MemoryRecord(
        memory=memory("m2", "A worker page says to restart daily."),
        owner="ann",
        tier="third-party-public",
        origin="document",
        source="https://blog.test/workers",
    )
    await store.remember(own)
    await store.remember(strange, confirmed_by="ann")
    heard = Heard()
    agent, writer, _ = agent_of(store, GOOD)
    answer = await agent.ask(QUESTION, owner="ann", listener=heard)
    assert writer.memories[0] == ["The user runs each worker on Debian."]
    assert "A worker page says to restart daily." in writer.passages[0]
    assert heard.of("memories")[0].detail["tiers"] == {"first-party": 1, "third-party-public": 1}
    assert all(not it.chunk.startswith("memory-") for it in answer.consulted)


async def test_no_memories_are_recalled_where_none_are_wanted(store: SqliteStore) -> None:
    agent, writer, _ = agent_of(store, GOOD, settings=AskSettings(memories=0, address_check=False))
    await agent.ask(QUESTION)
    assert writer.memories[0] == []


async def test_only_confirmed_instructions_are_in_force(store: SqliteStore) -> None:
    wanted = await store.propose_instruction("Answer in one sentence.", owner="ann")
    await store.propose_instruction("Answer in Latin.", owner="ann")
    await store.confirm_instruction(wanted.id, owner="ann", by="ann")
    agent, writer, _ = agent_of(store, GOOD)
    await agent.ask(QUESTION, owner="ann")
    assert writer.instructions[0] == ["Answer in one sentence."]


async def test_what_the_person_says_about_themselves_is_remembered(store: SqliteStore) -> None:
    heard = Heard()
    agent, _, _ = agent_of(store, GOOD)
    answer = await agent.ask(f"I use Debian. {QUESTION}", owner="ann", listener=heard)
    (record,) = await store.memories(owner="ann")
    (step,) = heard.of("remember")
    assert "Debian" in str(record.memory.content)
    assert (record.origin, record.tier) == ("person", "first-party")
    assert (record.conversation, record.turn) == (answer.conversation, answer.id)
    assert step.detail["id"] == record.memory.id
    assert await store.memories(owner="") == []


async def test_an_instruction_is_proposed_and_waits_for_a_person(store: SqliteStore) -> None:
    heard = Heard()
    agent, _, _ = agent_of(store, GOOD)
    await agent.ask(f"Always answer in German. {QUESTION}", owner="ann", listener=heard)
    (step,) = heard.of("propose")
    (proposed,) = await store.instructions(owner="ann", state="proposed")
    assert step.detail["id"] == proposed.id
    assert await store.instructions(owner="ann", state="active") == []


async def test_nothing_is_remembered_where_that_is_not_wanted(store: SqliteStore) -> None:
    settings = AskSettings(remember=False, address_check=False)
    agent, _, _ = agent_of(store, GOOD, settings=settings)
    await agent.ask(f"I use Debian. {QUESTION}")
    assert await store.memories(state=None) == []


async def test_a_failed_turn_teaches_nothing(store: SqliteStore) -> None:
    agent, _, _ = agent_of(store, RuntimeError("out of memory"))
    answer = await agent.ask(f"I use Debian. Always answer in German. {QUESTION}")
    assert answer.verdict == "failed"
    assert await store.memories(state=None) == []
    assert await store.instructions(state=None) == []


async def test_a_memory_that_is_refused_leaves_the_answer_alone(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(record: MemoryRecord, *, confirmed_by: str = "") -> MemoryRecord:
        raise MemoryRefused("there are too many")

    monkeypatch.setattr(store, "remember", refuse)
    heard = Heard()
    agent, _, _ = agent_of(store, GOOD)
    answer = await agent.ask(f"I use Debian. {QUESTION}", listener=heard)
    assert answer.verdict == "answered"
    assert [(it.state, it.label) for it in heard.of("remember")] == [
        ("failed", "there are too many")
    ]
