"""A runner that exists is complete: everything wrong is named at once."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from support.turns import TURN, ack, add, go_on, message, ran
from tether import Context, Message, NoopStorage, Storage, TurnRunner
from tether.batteries.testing import MemoryStorage, ScriptedModel
from tether.runtime.errors import InvalidTurnRunnerConfig
from tether.runtime.storage import OPERATIONS, READS, WRITES


def refused(**settings: Any) -> dict[str, str]:
    """Return the problems of a configuration, by path."""
    with pytest.raises(InvalidTurnRunnerConfig) as caught:
        TurnRunner(**settings)
    assert caught.value.code == "E_INVALID_TURN_RUNNER_CONFIG"
    assert caught.value.fatal
    return dict(caught.value.problems)


def test_the_contract_has_7_reads_and_18_writes() -> None:
    assert len(READS) == 7
    assert len(WRITES) == 18
    declared = [name for name in vars(Storage) if not name.startswith("_")]
    assert sorted(declared) == sorted(OPERATIONS)


def test_without_storage_and_executor_all_26_are_named_in_one_error() -> None:
    problems = refused()
    assert problems.keys() == set(OPERATIONS) | {"executor", "storage"}
    assert "NoopStorage()" in problems["storage"]
    assert problems["executor"] == "is required"
    assert problems["store_message"] == "is missing"


@pytest.mark.parametrize("missing", OPERATIONS)
def test_a_storage_that_lacks_one_operation_is_refused_by_its_name(missing: str) -> None:
    class Partial(NoopStorage):
        pass

    setattr(Partial, missing, None)
    assert refused(executor=ack, storage=Partial()) == {missing: "is missing"}


def test_operations_of_the_wrong_shape_are_all_named() -> None:
    class Wrong(NoopStorage):
        def fetch_messages(self, ctx: Context) -> Any:
            return []

        async def fetch_memories(self) -> Any:  # type: ignore[override]
            return []

        async def store_message(self, ctx: Context) -> None:  # type: ignore[override]
            pass

        async def delete_message(self, ctx: Context, id: str, why: str) -> None:  # type: ignore[override]
            pass

        store_thought = 5  # type: ignore[assignment]

    problems = refused(executor=ack, storage=Wrong())
    assert problems.keys() == {
        "fetch_messages",
        "fetch_memories",
        "store_message",
        "delete_message",
        "store_thought",
    }
    assert "asynchronous" in problems["fetch_messages"]
    assert "async def (ctx, record)" in problems["store_message"]


def test_a_storage_class_in_the_place_of_an_instance_is_one_problem() -> None:
    assert refused(executor=ack, storage=NoopStorage) == {"storage": "pass an instance of it"}


async def test_a_keyword_callback_overrides_a_single_operation() -> None:
    kept: list[Message] = []

    async def store(ctx: Context, record: Message) -> None:
        kept.append(record)

    storage = MemoryStorage()
    run = await ran(ScriptedModel([[]]), storage=storage, store_message=store)
    await run.turn.store_message(message("m1"))
    assert [record.id for record in kept] == ["m1"]
    assert len(storage.session().messages) == 0


def test_all_25_callbacks_by_keyword_need_no_storage_object() -> None:
    noop = NoopStorage()
    TurnRunner(executor=ack, **{name: getattr(noop, name) for name in OPERATIONS})


def test_an_unknown_keyword_and_a_bad_callback_are_named_together() -> None:
    problems = refused(
        executor=ack, storage=NoopStorage(), fetch_message=ack, store_message=lambda ctx, m: None
    )
    assert problems.keys() == {"fetch_message", "store_message"}
    assert "neither a setting" in problems["fetch_message"]


@pytest.mark.parametrize(
    ("executor", "complaint"),
    [
        (None, "callable"),
        (lambda ctx, helpers: None, "asynchronous"),
        (go_on.__get__(object()), "async def (ctx, helpers)"),
    ],
)
def test_an_executor_that_cannot_be_called_is_refused(executor: Any, complaint: str) -> None:
    assert complaint in refused(executor=executor, storage=NoopStorage())["executor"]


def test_pipelines_tools_and_byte_store_are_checked_too() -> None:
    problems = refused(
        executor=ack,
        storage=NoopStorage(),
        turn_input_pipeline=go_on,
        turn_output_pipeline="text",
        dispatch_input_pipeline=[go_on, 3],
        tools=[add, "tool"],
        byte_store=object(),
        clock=datetime,
    )
    assert problems.keys() == {
        "turn_input_pipeline",
        "turn_output_pipeline",
        "dispatch_input_pipeline[1]",
        "tools[1]",
        "byte_store.store_artifact_bytes",
        "byte_store.store_media_bytes",
        "clock",
    }


def test_two_tools_of_one_name_are_refused() -> None:
    problems = refused(executor=ack, storage=NoopStorage(), tools=[add, add])
    assert "add" in problems["tools[1]"]


async def test_a_noop_storage_keeps_nothing_and_finds_nothing() -> None:
    run = await ran()
    await run.turn.store_message(message("m1"))
    assert await run.turn.fetch_messages() == ()
    await run.runner.run(TURN)
