"""Tools by name: order, clashes, merging, pruning."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from support.turns import TURN, Ran, add, ran, tool_call
from tether import (
    CallNext,
    DispatchContext,
    Helpers,
    SpooledArtifact,
    TextSpool,
    Tool,
    ToolRegistry,
    tool,
)
from tether.batteries.testing import Call, Say, ScriptedModel
from tether.core.errors import InvalidInitialToolValue
from tether.runtime.errors import InvalidTurnRunnerConfig, ToolAlreadyRegistered


def named(name: str, **flags: Any) -> Tool:
    @tool(name=name, description="A tool.", **flags)
    def run() -> str:
        return name

    return run


def test_order_is_kept_and_a_duplicate_is_refused_unless_told_to_overwrite() -> None:
    # CONTRACT 88, SECURITY 70: clashing names
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


def test_two_tools_of_one_name_given_to_a_runner_are_refused_by_position() -> None:
    # CONTRACT 88, SECURITY 70
    with pytest.raises(InvalidTurnRunnerConfig, match=r"tools\[1\]: there is a tool named 'add'"):
        Ran(tools=[add, add])
    with pytest.raises(InvalidTurnRunnerConfig, match=r"tools\[0\]"):
        Ran(tools=["add", add])


def test_something_else_than_a_tool_is_refused() -> None:
    with pytest.raises(InvalidInitialToolValue):
        ToolRegistry(["add"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]


def test_unregistering_an_unknown_name_is_fine_and_all_is_a_fresh_list() -> None:
    # CONTRACT 89
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
    # CONTRACT 90, 91
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
    # CONTRACT 92
    registry = ToolRegistry.merge([ToolRegistry([add, named("brief", ephemeral=True)])])
    assert [item.ephemeral for item in registry] == [False, True]
    registry.prune_ephemeral()
    registry.prune_ephemeral()
    assert registry.all() == [add]


@pytest.mark.parametrize(("signal", "left"), [("ack", 1), ("nack", 2), ("unsubscribed", 2)])
async def test_a_bound_registry_prunes_on_ack_and_not_on_nack_or_after_unsubscribing(
    signal: str, left: int
) -> None:
    # CONTRACT 93
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


def names(tools: list[Tool]) -> list[str]:
    return [item.name for item in tools]


def three(*hidden: str) -> ToolRegistry:
    registry = ToolRegistry([named("a"), named("b"), named("c")])
    registry.hide(*hidden)
    return registry


def test_a_hidden_tool_is_there_and_is_not_visible() -> None:
    # CONTRACT 2.7
    registry = three("c", "a")
    assert names(registry.visible()) == ["b"]
    assert names(registry.hidden()) == ["a", "c"]
    assert names(registry.all()) == ["a", "b", "c"] == names(list(registry))
    assert registry.has("a")
    assert registry.get("a") is registry.all()[0]


def test_hiding_adds_setting_replaces_and_clearing_shows_all() -> None:
    registry = three("a")
    registry.hide("b")
    registry.hide()
    assert names(registry.hidden()) == ["a", "b"]
    registry.set_hidden(["c", "c"])
    assert names(registry.hidden()) == ["c"]
    registry.unhide("c", "nobody")
    assert names(registry.visible()) == ["a", "b", "c"]
    registry.set_hidden(iter(["a", "b"]))
    registry.clear_hidden()
    assert names(registry.hidden()) == []


@pytest.mark.parametrize(
    "hide", [lambda tools, names: tools.hide(*names), lambda tools, names: tools.set_hidden(names)]
)
def test_hiding_what_is_not_there_is_refused_and_changes_nothing(
    hide: Callable[[ToolRegistry, list[str]], None],
) -> None:
    registry = three("a")
    with pytest.raises(InvalidInitialToolValue) as refused:
        hide(registry, ["b", "x", "y"])
    assert [problem.path for problem in refused.value.problems] == ["hidden", "hidden"]
    assert "'x'" in refused.value.message
    assert names(registry.hidden()) == ["a"]


def test_a_tool_that_goes_or_is_replaced_is_no_longer_hidden() -> None:
    # CONTRACT 2.7: unregistering and pruning clear it
    registry = three("a", "b")
    registry.unregister("a")
    registry.register(named("a"))
    registry.register(named("b"), overwrite=True)
    assert names(registry.hidden()) == []
    brief = named("brief", ephemeral=True)
    registry.register(brief)
    registry.hide("brief", "c")
    registry.prune_ephemeral()
    registry.register(brief)
    assert names(registry.hidden()) == ["c"]


def test_a_copy_hides_the_same_tools_and_goes_its_own_way() -> None:
    registry = three("a")
    twin = registry.copy()
    assert names(twin.hidden()) == ["a"]
    twin.hide("b")
    registry.unhide("a")
    assert names(twin.hidden()) == ["a", "b"]
    assert names(registry.hidden()) == []


@pytest.mark.parametrize(
    ("hidden_left", "hidden_right", "policy", "hidden"),
    [
        ([], ["x"], "replace", ["x"]),
        (["x"], [], "replace", []),
        (["x"], ["x"], "replace", ["x"]),
        ([], ["x"], "keep", []),
        (["x"], [], "keep", ["x"]),
        (["a"], ["b"], "keep", ["a", "b"]),
    ],
)
def test_what_is_hidden_stays_so_in_a_merge_and_goes_with_the_tool_that_wins(
    hidden_left: list[str], hidden_right: list[str], policy: Any, hidden: list[str]
) -> None:
    # CONTRACT 2.7, 90
    left, right = ToolRegistry([named("a"), named("x")]), ToolRegistry([named("x"), named("b")])
    left.hide(*hidden_left)
    right.hide(*hidden_right)
    merged = ToolRegistry.merge([left, right], on_collision=policy)
    assert names(merged.hidden()) == hidden
    assert names(left.hidden()) == hidden_left
    assert names(right.hidden()) == hidden_right
    left.absorb(right, on_collision=policy)
    assert names(left.hidden()) == hidden


async def test_a_hidden_tool_can_be_called_and_is_not_named_to_the_model() -> None:
    # CONTRACT 2.7
    async def hide(ctx: DispatchContext, call_next: CallNext) -> None:
        ctx.tools.hide("add")
        await call_next()

    model = ScriptedModel(
        [[Call("add", {"a": 1, "b": 2}, id="1"), Call("nope", id="2")], [Say("Done.")]]
    )
    run = await ran(model, tools=[add, named("shown")], dispatch_input_pipeline=[hide])
    called = {call.id: call for call in run.turn.turn_tool_calls}
    assert not called["1"].is_error
    assert str(called["2"].results) == "There is no tool named 'nope'. The tools are: shown."


async def test_what_one_dispatch_hides_is_not_hidden_in_the_next() -> None:
    seen: list[list[str]] = []

    async def hide(ctx: DispatchContext, call_next: CallNext) -> None:
        seen.append(names(ctx.tools.hidden()))
        ctx.tools.hide("add")
        await call_next()

    run = Ran(ScriptedModel([[Say("Done.")]]), tools=[add], dispatch_input_pipeline=[hide])
    await run.runner.run(TURN)
    await run.runner.run(TURN)
    assert run.errors == []
    assert seen == [[], []]


async def test_a_forged_tool_can_be_hidden_for_as_long_as_its_artifacts_stay() -> None:
    seen: list[list[str]] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        seen.append(names(ctx.tools.hidden()))
        if ctx.iteration == 0:
            text = SpooledArtifact(TextSpool("x"))
            ctx.turn_tool_calls.add(tool_call("c", results=text))
        elif ctx.iteration == 1:
            ctx.tools.hide("artifact_head")
        else:
            ctx.ack()

    run = await ran(execute)
    assert run.errors == []
    assert seen == [[], [], ["artifact_head"]]


def test_absorbing_what_clashes_leaves_everything_as_it_was() -> None:
    def named(name: str) -> Tool:
        return tool(name=name, description="d")(lambda: "")

    registry = ToolRegistry([named("b")])
    with pytest.raises(ToolAlreadyRegistered):
        registry.absorb(ToolRegistry([named("a"), named("b")]))
    assert [item.name for item in registry] == ["b"]


def test_only_registries_can_be_merged() -> None:
    wrong: Any = [[add]]
    with pytest.raises(InvalidInitialToolValue, match="registry"):
        ToolRegistry.merge(wrong)
