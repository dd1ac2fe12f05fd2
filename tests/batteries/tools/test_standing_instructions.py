"""Standing instructions change only with a person's yes."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from support.turns import fail
from tether import Tool, TurnGate, tool
from tether.batteries.storage.memory import MemoryStorage
from tether.batteries.testing import FakeClock, run_tool
from tether.batteries.tools.approval import ask_first
from tether.batteries.tools.standing_instructions import (
    add_standing_instruction,
    list_standing_instructions,
    remove_standing_instruction,
)
from tether.core.errors import InputRefused, InvalidInitialToolValue
from tether.core.plain_data import tool_checksum
from tether.runtime.errors import (
    InvalidToolArgs,
    InvalidTurnGateResolution,
    LlmExecutionGateNotSupported,
    ToolDownstreamError,
    TurnGateTimeout,
)

RULE = {"instruction": "Answer in French."}


def ruled(*rules: str) -> MemoryStorage:
    from tether import Tokenizable

    storage = MemoryStorage()
    storage.session().standing_instructions.update(Tokenizable(rule) for rule in rules)
    return storage


def rules_in(storage: MemoryStorage) -> list[str]:
    return [str(rule) for rule in storage.session().standing_instructions]


def void(_: object) -> None:
    """Return nothing, as a listener has to."""


def yes(gate: TurnGate[Any]) -> None:
    gate.resolve(True)


def nobody(gate: TurnGate[Any]) -> None:
    raise AssertionError("nobody is asked about what cannot be done")


def no(gate: TurnGate[Any]) -> None:
    gate.resolve(False)


async def test_the_list_is_numbered() -> None:
    assert await run_tool(list_standing_instructions, storage=ruled("Be brief.", "Be kind.")) == [
        {"number": 1, "instruction": "Be brief."},
        {"number": 2, "instruction": "Be kind."},
    ]


async def test_a_rule_comes_and_goes_with_a_yes() -> None:
    storage = ruled("Be brief.")
    await run_tool(add_standing_instruction, RULE, storage=storage, on_gate=yes)
    assert rules_in(storage) == ["Be brief.", "Answer in French."]
    rule = {"instruction": "Be brief."}
    await run_tool(remove_standing_instruction, rule, storage=storage, on_gate=yes)
    assert rules_in(storage) == ["Answer in French."]


@pytest.mark.parametrize("tool", [add_standing_instruction, remove_standing_instruction])
async def test_nothing_changes_on_a_no_and_the_model_is_told(tool: Any) -> None:  # case 48
    storage = ruled() if tool is add_standing_instruction else ruled("Answer in French.")
    before = rules_in(storage)
    with pytest.raises(ToolDownstreamError, match="a person") as caught:
        await run_tool(tool, RULE, storage=storage, on_gate=no)
    assert isinstance(caught.value.__cause__, InputRefused)
    assert rules_in(storage) == before


async def test_nothing_changes_where_nobody_can_be_asked() -> None:  # case 25: not by wording
    storage = ruled()
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(add_standing_instruction, RULE, storage=storage)
    assert isinstance(caught.value.__cause__, LlmExecutionGateNotSupported)
    assert rules_in(storage) == []


async def test_silence_is_a_no() -> None:
    storage, clock = ruled(), FakeClock()
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(
            add_standing_instruction,
            RULE,
            storage=storage,
            clock=clock,
            on_gate=lambda _: void(asyncio.get_running_loop().call_soon(clock.advance, 301)),
        )
    assert isinstance(caught.value.__cause__, TurnGateTimeout)
    assert rules_in(storage) == []


async def test_the_gate_shows_the_call_itself() -> None:  # cases 35 and 36
    shown: list[Any] = []

    def look(gate: TurnGate[Any]) -> None:
        shown.append(gate.payload)
        gate.resolve(True)

    await run_tool(add_standing_instruction, RULE, storage=ruled(), on_gate=look)
    (payload,) = shown
    assert payload["tool"] == "add_standing_instruction"
    assert json.loads(payload["arguments"]) == RULE
    assert payload["checksum"] == tool_checksum("add_standing_instruction", RULE)


async def test_any_tool_can_be_made_to_ask() -> None:
    from pydantic import BaseModel

    from tether import DispatchContext, Registry, Tool

    class Pay(BaseModel):
        cents: int

    def pay(arguments: Pay, ctx: DispatchContext, meta: Registry) -> str:
        return f"paid {arguments.cents} by {meta.get('bank')}"

    paying = Tool(
        name="pay", description="Pay.", schema=Pay, handler=pay, meta={"bank": "B"}, trusted=True
    )
    careful = ask_first(paying, timeout_ms=10)
    assert (careful.name, careful.trusted, careful.describe()) == (
        "pay",
        True,
        paying.describe(),
    )
    assert await run_tool(careful, {"cents": 5}, on_gate=yes) == "paid 5 by B"
    with pytest.raises(ToolDownstreamError, match="do not repeat"):
        await run_tool(careful, {"cents": 5}, on_gate=no)


@pytest.mark.parametrize(
    ("tool", "rule", "said"),
    [
        (add_standing_instruction, "  ", "empty"),
        (add_standing_instruction, "\x00", "empty"),
        (add_standing_instruction, "Be brief.", "already"),
        (remove_standing_instruction, "Be", "list_standing_instructions"),
    ],
)
async def test_a_rule_that_cannot_be_meant_is_refused(tool: Any, rule: str, said: str) -> None:
    storage = ruled("Be brief.")
    with pytest.raises(ToolDownstreamError, match=said) as caught:
        await run_tool(tool, {"instruction": rule}, storage=storage, on_gate=nobody)
    assert isinstance(caught.value.__cause__, InputRefused)
    assert rules_in(storage) == ["Be brief."]


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        (add_standing_instruction, {}),
        (add_standing_instruction, {"instruction": ""}),
        (add_standing_instruction, {"instruction": "x" * 2_001}),
        (remove_standing_instruction, {}),
        (remove_standing_instruction, {"instruction": "x" * 10_001}),
    ],
)
async def test_unfit_arguments_are_named(tool: Any, args: dict[str, Any]) -> None:
    with pytest.raises(InvalidToolArgs, match="instruction"):
        await run_tool(tool, args, on_gate=yes)


class Loose(BaseModel):
    """Arguments that may be more than they say."""

    model_config = ConfigDict(extra="allow")

    account: str


async def shown_for(asking: Tool, args: dict[str, Any]) -> dict[str, str]:
    shown: list[dict[str, str]] = []

    def look(gate: TurnGate[Any]) -> None:
        shown.append(gate.payload)
        gate.resolve(True)

    await run_tool(asking, args, on_gate=look)
    return shown[0]


async def test_nothing_that_is_used_is_hidden_from_the_person() -> None:
    pay = Tool(name="pay", description="Pay.", schema=Loose, handler=lambda *_: "paid")
    shown = await shown_for(ask_first(pay), {"account": "a", "amount": 10**9})
    assert json.loads(shown["arguments"]) == {"account": "a", "amount": 10**9}


async def test_arguments_that_are_no_plain_json_are_written_down() -> None:
    @tool
    def meet(when: datetime, who: set[str]) -> str:
        """Meet."""
        return f"{when:%Y} {sorted(who)}"

    shown = await shown_for(ask_first(meet), {"when": "2026-01-01T12:00:00Z", "who": ["a"]})
    assert json.loads(shown["arguments"]) == {"when": "2026-01-01T12:00:00Z", "who": ["a"]}


async def test_what_cannot_be_seen_is_shown_as_an_escape() -> None:  # case 44
    rule = "Be kind.\u202e\u200b\u2028é"
    shown = await shown_for(add_standing_instruction, {"instruction": rule})
    assert r"Be kind.\u202e\u200b\u2028é" in shown["arguments"]
    assert json.loads(shown["arguments"]) == {"instruction": rule}


async def test_only_true_is_a_yes() -> None:
    refused: list[Exception] = []

    def answer(gate: TurnGate[Any]) -> None:
        for almost in ("yes", 1, "true"):
            try:
                gate.resolve(almost)
            except InvalidTurnGateResolution as error:
                refused.append(error)
        gate.resolve(False)

    with pytest.raises(ToolDownstreamError, match="a person"):
        await run_tool(add_standing_instruction, RULE, storage=ruled(), on_gate=answer)
    assert len(refused) == 3


@pytest.mark.parametrize(("tool", "timeout_ms"), [(print, 5), (fail, 0), (fail, "5")])
def test_only_a_tool_can_be_made_to_ask(tool: Any, timeout_ms: Any) -> None:
    with pytest.raises(InvalidInitialToolValue):
        ask_first(tool, timeout_ms=timeout_ms)
