"""Tools by name: order, clashes, merging, pruning."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from support.turns import add, ran
from tether import DispatchContext, Helpers, Tool, ToolRegistry, tool
from tether.core.errors import InvalidInitialToolValue, ToolAlreadyRegistered


def named(name: str, **flags: Any) -> Tool:
    @tool(name=name, description="A tool.", **flags)
    def run() -> str:
        return name

    return run


def test_order_is_kept_and_a_duplicate_is_refused_unless_told_to_overwrite() -> None:
    first, again = named("a"), named("a")
    registry = ToolRegistry([first, named("b")])
    with pytest.raises(ToolAlreadyRegistered):
        registry.register(again)
    assert registry.get("a") is first
    registry.register(again, overwrite=True)
    assert registry.get("a") is again
    assert [item.name for item in registry] == ["a", "b"]
    with pytest.raises(ToolAlreadyRegistered):
        ToolRegistry([first, again])


def test_something_else_than_a_tool_is_refused() -> None:
    with pytest.raises(InvalidInitialToolValue):
        ToolRegistry(["add"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]


def test_unregistering_an_unknown_name_is_fine_and_all_is_a_fresh_list() -> None:
    registry = ToolRegistry([add])
    registry.unregister("nobody")
    registry.all().clear()
    assert (len(registry), registry.has("add"), "add" in registry) == (1, True, True)
    registry.unregister("add")
    assert (len(registry), registry.get("add"), registry.has("add")) == (0, None, False)


@pytest.mark.parametrize(
    ("flag", "option", "winner"),
    [
        ("throw", "throw", None),
        ("throw", "replace", "later"),
        ("throw", "keep", "earlier"),
        ("replace", "throw", "later"),
        ("keep", "replace", "earlier"),
        ("replace", "keep", "later"),
    ],
)
def test_on_a_clash_the_incoming_tool_decides_and_throw_defers_to_the_option(
    flag: Any, option: Any, winner: str | None
) -> None:
    earlier, later = named("x"), named("x", on_collision=flag)
    left, right = ToolRegistry([earlier]), ToolRegistry([later, named("y")])
    if winner is None:
        with pytest.raises(ToolAlreadyRegistered):
            ToolRegistry.merge([left, right], on_collision=option)
    else:
        merged = ToolRegistry.merge([left, right], on_collision=option)
        assert merged.get("x") is {"later": later, "earlier": earlier}[winner]
    assert left.all() == [earlier]
    assert len(right) == 2


def test_an_unknown_merge_option_is_refused() -> None:
    with pytest.raises(InvalidInitialToolValue, match="on_collision"):
        ToolRegistry.merge([], on_collision="perhaps")  # type: ignore[arg-type]  # pyright: ignore


def test_pruning_drops_only_ephemeral_tools_and_can_be_repeated() -> None:
    registry = ToolRegistry.merge([ToolRegistry([add, named("brief", ephemeral=True)])])
    registry.prune_ephemeral()
    registry.prune_ephemeral()
    assert registry.all() == [add]


@pytest.mark.parametrize(("signal", "left"), [("ack", 1), ("nack", 2), ("unsubscribed", 2)])
async def test_a_bound_registry_prunes_on_ack_and_not_on_nack_or_after_unsubscribing(
    signal: str, left: int
) -> None:
    registry = ToolRegistry([add, named("brief", ephemeral=True)])

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        unsubscribe = registry.bind_context(ctx)
        if signal == "unsubscribed":
            unsubscribe()
        if signal == "nack":
            ctx.nack(ValueError("no"))
        else:
            ctx.ack()

    await ran(execute)
    assert len(registry) == left


def test_a_copy_of_a_registry_is_independent() -> None:
    registry = ToolRegistry([add])
    for twin in (copy.copy(registry), copy.deepcopy(registry)):
        twin.unregister("add")
        assert registry.has("add")
