"""Tools: one schema for the model and the handler, one way to the handler."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, RootModel

from support.turns import TURN, Ran, add, fail, ran
from tether import Aborted, DispatchContext, Helpers, Registry, Tool, tool
from tether.core.canonical import tool_checksum
from tether.core.errors import (
    InvalidInitialToolValue,
    InvalidToolArgs,
    LlmExecutionExecutorError,
    ToolDownstreamError,
)


class Where(BaseModel):
    city: str = Field(description="Which city.")
    units: Literal["metric", "imperial"] = "metric"


async def report(args: Where, ctx: DispatchContext, meta: Registry) -> str:
    return f"{args.city} {args.units} {meta.get('scope')} {ctx.iteration}"


def weather(**changes: Any) -> Tool:
    settings: dict[str, Any] = {
        "name": "weather",
        "description": "Tell the weather.",
        "schema": Where,
        "handler": report,
        "meta": {"scope": "read"},
    }
    return Tool(**(settings | changes))


async def called(tools: list[Tool], name: str, args: Any) -> tuple[Any, Ran]:
    """Call a tool in an executor; return its output, or what it raised, and the run."""
    outcome: list[Any] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        found = ctx.tools.get(name)
        assert found is not None
        try:
            outcome.append(await found.executor(ctx)(args))
        except Exception as error:  # noqa: BLE001
            outcome.append(error)
        ctx.ack()

    run = await ran(execute, tools=tools)
    return outcome[0], run


async def test_the_handler_receives_validated_arguments_the_context_and_the_metadata() -> None:
    output, run = await called([weather()], "weather", {"city": "Oslo"})
    assert output == "Oslo metric read 0"
    (start,), (end,) = run.of("tool_execution_start"), run.of("tool_execution_end")
    assert start.args == {"city": "Oslo", "units": "metric"}
    assert (start.tool, end.tool, end.is_error) == ("weather", "weather", False)
    assert start.call_id == end.call_id == tool_checksum("weather", {"city": "Oslo"})
    assert end.duration_ms >= 0


async def test_invalid_arguments_reach_neither_the_handler_nor_the_buses() -> None:
    error, run = await called([weather()], "weather", {"units": "kelvin"})
    assert isinstance(error, InvalidToolArgs)
    assert {problem.path for problem in error.problems} == {"city", "units"}
    assert not [name for name in run.names if name.startswith("tool_execution")]


@pytest.mark.parametrize("args", [{"city": float("nan")}, {"city": "\ud800"}, {1: "x"}, 5, None])
async def test_arguments_without_a_json_form_are_invalid_arguments(args: Any) -> None:
    error, run = await called([weather()], "weather", args)
    assert isinstance(error, InvalidToolArgs)
    assert "tool_execution_start" not in run.names


async def test_a_failing_handler_is_wrapped_and_reported_as_an_error_on_the_end_event() -> None:
    error, run = await called([fail], "fail", {"why": "broken"})
    assert isinstance(error, ToolDownstreamError)
    assert "broken" in error.message
    assert isinstance(error.__cause__, RuntimeError)
    assert run.of("tool_execution_end")[0].is_error


async def test_an_abort_in_a_handler_is_not_wrapped() -> None:
    @tool
    async def stop() -> str:
        """Stop."""
        raise Aborted("enough")

    error, run = await called([stop], "stop", {})
    assert isinstance(error, Aborted)
    assert run.of("tool_execution_end")[0].is_error


async def test_cancellation_in_a_handler_still_ends_its_pair_of_events() -> None:
    @tool
    async def hang() -> str:
        """Hang."""
        await asyncio.sleep(60)
        return ""

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        found = ctx.tools.get("hang")
        assert found is not None
        await found.executor(ctx)({})

    run = Ran(execute, tools=[hang])
    task = asyncio.create_task(run.runner.run(TURN))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert run.of("tool_execution_end")[0].is_error


async def test_a_typed_function_becomes_a_tool_with_its_docstring_and_annotations() -> None:
    assert (add.name, add.description) == ("add", "Add two numbers.")
    schema = add.describe()["input_schema"]
    assert schema["properties"].keys() == {"a", "b"}
    assert schema["required"] == ["a", "b"]
    assert schema["additionalProperties"] is False
    output, _ = await called([add], "add", {"a": 1, "b": 2})
    assert output == "3"


async def test_an_unknown_argument_of_a_function_tool_is_refused_by_name() -> None:
    error, _ = await called([add], "add", {"a": 1, "b": 2, "c": 3})
    assert [problem.path for problem in error.problems] == ["c"]


async def test_a_plain_function_and_one_that_wants_the_context_are_tools_too() -> None:
    @tool(name="loud", description="Shout.", trusted=True, ephemeral=True, on_collision="keep")
    def shout(text: str, ctx: DispatchContext, times: int = 1) -> str:
        return f"{text.upper()}{'!' * times} in {ctx.iteration}"

    assert (shout.trusted, shout.ephemeral, shout.on_collision) == (True, True, "keep")
    assert shout.describe()["input_schema"]["properties"].keys() == {"text", "times"}
    output, _ = await called([shout], "loud", {"text": "hey", "times": 2})
    assert output == "HEY!! in 0"


def test_defaults_are_untrusted_lasting_and_throwing() -> None:
    plain = weather(meta=None)
    assert (plain.trusted, plain.ephemeral, plain.on_collision) == (False, False, "throw")
    assert plain.meta.all() == {}
    assert repr(plain) == "Tool('weather')"


def test_a_tool_cannot_be_changed_after_it_was_made() -> None:
    made = weather()
    with pytest.raises(AttributeError, match="'trusted'"):
        made.trusted = True
    assert not made.trusted


def test_a_tool_without_its_parts_names_all_that_is_missing() -> None:
    with pytest.raises(InvalidInitialToolValue) as caught:
        Tool()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    assert {problem.path for problem in caught.value.problems} == {
        "name",
        "description",
        "schema",
        "handler",
    }


async def test_an_observer_cannot_change_what_the_handler_gets() -> None:
    got: list[list[int]] = []

    @tool
    def keep(numbers: list[int]) -> str:
        """Keep."""
        got.append(numbers)
        return ""

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        found = ctx.tools.get("keep")
        assert found is not None
        await found.executor(ctx)({"numbers": [1]})
        ctx.ack()

    run = Ran(execute, tools=[keep])
    run.runner.observe("tool_execution_start", lambda event: event.args["numbers"].append(2))
    await run.runner.run(TURN)
    assert got == [[1]]


def test_a_bad_tool_names_everything_that_is_wrong() -> None:
    with pytest.raises(InvalidInitialToolValue) as caught:
        weather(
            name="",
            description=" ",
            schema=dict,
            handler=None,
            trusted=1,
            on_collision="x",
            meta=[],
        )
    assert {problem.path for problem in caught.value.problems} == {
        "name",
        "description",
        "schema",
        "handler",
        "trusted",
        "on_collision",
        "meta.initial",
    }


def test_a_function_that_cannot_be_a_schema_names_its_bad_parameters() -> None:
    def bad(a, *rest: int, fine: int = 0, **more: int) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001  # pyright: ignore
        """Bad."""
        return ""

    with pytest.raises(InvalidInitialToolValue) as caught:
        tool(bad)  # pyright: ignore
    assert [problem.path for problem in caught.value.problems] == ["a", "rest", "more"]


class Opaque:
    """No schema can be made of this."""


def test_a_parameter_of_an_impossible_type_is_refused() -> None:
    def takes(thing: Opaque) -> str:
        """Take."""
        return ""

    with pytest.raises(InvalidInitialToolValue, match="Opaque"):
        tool(takes)


def test_an_annotation_that_cannot_be_read_is_refused_with_the_reason() -> None:
    class Local:
        pass

    def takes(thing: Local) -> str:
        """Take."""
        return ""

    with pytest.raises(InvalidInitialToolValue, match="readable where it is defined"):
        tool(takes)


def test_a_function_without_a_docstring_needs_a_description() -> None:
    def silent(a: int) -> str:
        return ""

    with pytest.raises(InvalidInitialToolValue, match="the model chooses by it"):
        tool(silent)
    assert tool(description="Speak.")(silent).description == "Speak."


async def test_an_error_that_escapes_the_executor_is_the_executors_error() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        found = ctx.tools.get("fail")
        assert found is not None
        await found.executor(ctx)({"why": "broken"})

    run = await ran(execute, tools=[fail])
    (error,) = run.errors
    assert isinstance(error, LlmExecutionExecutorError)
    assert isinstance(error.__cause__, ToolDownstreamError)


async def test_parameters_may_have_any_name() -> None:
    @tool
    def odd(
        json: str, schema: int, model_config: int, copy: bool = False, _private: int = 7
    ) -> str:
        """Take odd names."""
        return f"{json} {schema} {model_config} {copy} {_private}"

    names = ["json", "schema", "model_config", "copy", "_private"]
    assert list(odd.describe()["input_schema"]["properties"]) == names
    output, _ = await called([odd], "odd", {"json": "a", "schema": 1, "model_config": 2})
    assert output == "a 1 2 False 7"
    error, _ = await called([odd], "odd", {"json": 5})
    assert [problem.path for problem in error.problems] == ["json", "schema", "model_config"]


async def test_a_context_may_be_optional_or_annotated_and_is_injected_all_the_same() -> None:
    @tool
    def both(one: DispatchContext | None, two: Annotated[DispatchContext, "live"]) -> str:
        """Take contexts."""
        return f"{one is two} {one is not None}"

    assert both.describe()["input_schema"]["properties"] == {}
    output, _ = await called([both], "both", {})
    assert output == "True True"


async def test_a_partial_with_a_name_is_a_tool() -> None:
    def power(base: int, exponent: int) -> str:
        return str(base**exponent)

    square = tool(name="square", description="Square.")(partial(power, exponent=2))
    output, _ = await called([square], "square", {"base": 3})
    assert output == "9"
    with pytest.raises(InvalidInitialToolValue, match="decorate a function"):
        tool(partial(power, exponent=2))


@pytest.mark.parametrize("wrong", ["name", 5])
def test_something_else_than_a_function_is_refused_with_a_hint(wrong: Any) -> None:
    with pytest.raises(InvalidInitialToolValue, match="@tool"):
        tool(wrong)


def test_a_function_that_yields_is_refused() -> None:
    async def stream(a: int) -> AsyncIterator[str]:
        """Stream."""
        yield str(a)

    def count(a: int) -> Iterator[str]:
        """Count."""
        yield str(a)

    for function in (stream, count):
        with pytest.raises(InvalidInitialToolValue, match="yields"):
            tool(function)
    with pytest.raises(InvalidInitialToolValue, match="yields"):
        weather(handler=stream)


class Numbers(RootModel[list[int]]):
    """Not an object."""


class Silent:
    def json_schema(self) -> dict[str, Any]:
        raise RuntimeError("no schema")

    def validate(self, tool: str, raw: Any) -> Any:
        return raw


@pytest.mark.parametrize("schema", [Numbers, Silent()])
def test_a_schema_that_describes_no_object_is_refused(schema: Any) -> None:
    with pytest.raises(InvalidInitialToolValue, match="must describe an object"):
        weather(schema=schema)


def test_a_parameter_that_no_model_could_fill_is_refused() -> None:
    def call_back(function: Callable[[], int]) -> str:
        """Call back."""
        return str(function())

    with pytest.raises(InvalidInitialToolValue, match="handler"):
        tool(call_back)


class Loose:
    def json_schema(self) -> dict[str, Any]:
        return {"type": "object"}

    def validate(self, tool: str, raw: Any) -> Any:
        if raw.get("fail"):
            raise TypeError("validator broke")
        if raw.get("deep"):
            raise RecursionError
        return (raw["a"],)


async def test_a_schema_of_ones_own_may_give_the_handler_any_form() -> None:
    loose = weather(schema=Loose(), handler=lambda args, ctx, meta: f"{args}")
    output, run = await called([loose], "weather", {"a": 1})
    assert output == "(1,)"
    assert run.of("tool_execution_start")[0].args == {"value": (1,)}
    error, _ = await called([loose], "weather", {"fail": True})
    assert isinstance(error, InvalidToolArgs)
    assert "validator broke" in error.message
    error, _ = await called([loose], "weather", {"deep": True})
    assert "nested too deeply" in error.message


class Open(BaseModel, extra="allow"):
    a: int


async def test_extra_arguments_that_a_model_allows_are_shown_too() -> None:
    relaxed = weather(schema=Open, handler=lambda args, ctx, meta: "")
    _, run = await called([relaxed], "weather", {"a": 1, "b": 2})
    assert run.of("tool_execution_start")[0].args == {"a": 1, "b": 2}


def test_a_tool_is_its_own_copy() -> None:
    made = weather()
    assert copy.copy(made) is made
    assert copy.deepcopy(made) is made
    with pytest.raises(AttributeError):
        del made.name
