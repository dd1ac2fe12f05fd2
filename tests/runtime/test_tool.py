"""Tools: one schema for the model and the handler, one way to the handler."""

from __future__ import annotations

import asyncio
import copy
import inspect
import re
from collections.abc import AsyncIterator
from typing import Any, Literal

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    field_validator,
)

from support.turns import TURN, Ran, fail, ran
from tether import (
    Aborted,
    ArtifactTool,
    DispatchContext,
    Helpers,
    Registry,
    SpooledArtifact,
    Tokenizable,
    Tool,
    tool,
)
from tether.batteries.testing import run_tool
from tether.core.errors import InputRefused, InvalidInitialToolValue, LimitExceeded
from tether.core.plain_data import tool_checksum
from tether.runtime.errors import InvalidToolArgs, LlmExecutionExecutorError, ToolDownstreamError
from tether.runtime.tool import Handler


class Where(BaseModel):
    """Where to look."""

    city: str = Field(description="Which city.")
    units: Literal["metric", "imperial"] = "metric"
    days: int = 1


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


def answering(output: Any, **changes: Any) -> Tool:
    """A tool whose handler returns, or raises, the given thing."""

    def handle(args: Any, ctx: DispatchContext, meta: Registry) -> Any:
        if isinstance(output, Exception):
            raise output
        return output

    return weather(handler=handle, **changes)


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
    # CONTRACT 83, 81
    output, run = await called([weather()], "weather", {"city": "Oslo"})
    assert output == "Oslo metric read 0"
    (start,), (end,) = run.of("tool_execution_start"), run.of("tool_execution_end")
    assert start.args == {"city": "Oslo", "units": "metric", "days": 1}
    assert (start.tool, end.tool, end.is_error) == ("weather", "weather", False)
    assert start.call_id == end.call_id == tool_checksum("weather", {"city": "Oslo"})
    assert end.duration_ms >= 0


@pytest.mark.parametrize("output", ["text", b"\xff\x00bytes", {"a": 1}, None])
async def test_the_executor_returns_what_the_handler_returned(output: Any) -> None:
    # CONTRACT 79
    assert await run_tool(answering(output), {"city": "Oslo"}) is output


async def test_arguments_are_coerced_to_what_the_schema_says() -> None:
    # CONTRACT 78
    given: list[Where] = []
    keeping = weather(handler=lambda args, ctx, meta: given.append(args))
    await run_tool(keeping, {"city": "Oslo", "days": "3"})
    assert (given[0].city, given[0].units, given[0].days) == ("Oslo", "metric", 3)
    with pytest.raises(InvalidToolArgs) as refused:
        await run_tool(keeping, {"city": "Oslo", "days": "three"})
    assert refused.value.code == "E_INVALID_TOOL_ARGS"
    assert len(given) == 1


async def test_invalid_arguments_reach_neither_the_handler_nor_the_buses() -> None:
    # CONTRACT 82, SECURITY 68: missing and mistyped
    error, run = await called([weather()], "weather", {"units": "kelvin"})
    assert isinstance(error, InvalidToolArgs)
    assert {problem.path for problem in error.problems} == {"city", "units"}
    assert not [name for name in run.names if name.startswith("tool_execution")]


@pytest.mark.parametrize(
    "args", [{"city": float("nan")}, {"city": "\ud800"}, {1: "x"}, 5, None, ["city"], "city"]
)
async def test_arguments_without_a_json_form_are_invalid_arguments(args: Any) -> None:
    # SECURITY 68: arguments that are no object
    error, run = await called([weather()], "weather", args)
    assert isinstance(error, InvalidToolArgs)
    assert "tool_execution_start" not in run.names


async def test_arguments_of_ten_megabytes_are_refused_without_being_repeated() -> None:
    # SECURITY 68
    huge = "x" * 10_000_000
    error, _ = await called([weather()], "weather", {"city": "Oslo", "units": huge, huge: 1})
    assert isinstance(error, InvalidToolArgs)
    assert "units" in error.message
    output, _ = await called([answering("fine")], "weather", {"city": huge})
    assert output == "fine"


async def test_a_call_id_is_64_hex_digits_equal_for_equal_arguments_in_any_order() -> None:
    # CONTRACT 80
    async def call_id(args: dict[str, Any]) -> str:
        _, run = await called([weather()], "weather", args)
        (start,), (end,) = run.of("tool_execution_start"), run.of("tool_execution_end")
        assert start.call_id == end.call_id
        return str(start.call_id)

    first = await call_id({"city": "Oslo", "days": 2})
    assert re.fullmatch("[0-9a-f]{64}", first)
    assert await call_id({"days": 2, "city": "Oslo"}) == first
    assert await call_id({"city": "Oslo", "days": 3}) != first


async def test_a_failing_handler_is_wrapped_and_reported_as_an_error_on_the_end_event() -> None:
    # CONTRACT 81
    error, run = await called([fail], "fail", {"why": "broken"})
    assert isinstance(error, ToolDownstreamError)
    assert error.code == "E_TOOL_DOWNSTREAM_ERROR"
    assert "broken" in error.message
    assert isinstance(error.__cause__, RuntimeError)
    assert run.of("tool_execution_end")[0].is_error


@pytest.mark.parametrize("kind", [InputRefused, LimitExceeded])
async def test_a_refusal_reaches_the_model_in_its_own_words_alone(kind: Any) -> None:
    refusal = kind("there are 7 columns: name one of them", help="Not for the model.")
    error, _ = await called([answering(refusal)], "weather", {"city": "Oslo"})
    assert error.message == "the tool 'weather' failed: there are 7 columns: name one of them"
    assert error.__cause__ is refusal


async def test_an_abort_in_a_handler_is_not_wrapped() -> None:
    error, run = await called([answering(Aborted("enough"))], "weather", {"city": "Oslo"})
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


async def test_an_error_that_escapes_the_executor_is_the_executors_error() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        found = ctx.tools.get("fail")
        assert found is not None
        await found.executor(ctx)({"why": "broken"})

    run = await ran(execute, tools=[fail])
    (error,) = run.errors
    assert isinstance(error, LlmExecutionExecutorError)
    assert isinstance(error.__cause__, ToolDownstreamError)


def test_defaults_are_untrusted_lasting_and_throwing_without_an_artifact_class() -> None:
    # CONTRACT 75
    plain = weather(meta=None)
    assert (plain.trusted, plain.ephemeral, plain.on_collision) == (False, False, "throw")
    assert plain.meta.all() == {}
    assert plain.artifact_constructor is None
    assert repr(plain) == "Tool('weather')"


def test_a_tool_cannot_be_changed_after_it_was_made_and_is_its_own_copy() -> None:
    made = weather()
    with pytest.raises(AttributeError, match="'trusted'"):
        made.trusted = True
    with pytest.raises(AttributeError):
        del made.name
    assert not made.trusted
    assert copy.copy(made) is made
    assert copy.deepcopy(made) is made


@pytest.mark.parametrize("kind", [Tool, ArtifactTool])
def test_a_tool_without_its_parts_names_all_that_is_missing(kind: Any) -> None:
    # CONTRACT 74
    with pytest.raises(InvalidInitialToolValue) as caught:
        kind(colour="red")
    assert {problem.path for problem in caught.value.problems} == {
        "name",
        "description",
        "schema",
        "handler",
        "colour",
    }


def test_a_bad_tool_names_everything_that_is_wrong() -> None:
    # CONTRACT 74, 76, 77
    wrong: dict[str, Any] = {
        "name": "",
        "description": " ",
        "schema": dict,
        "handler": None,
        "artifact_constructor": 5,
        "trusted": 1,
        "ephemeral": "no",
        "on_collision": "x",
    }
    with pytest.raises(InvalidInitialToolValue) as caught:
        weather(**wrong, meta=[])
    paths = {problem.path for problem in caught.value.problems}
    assert paths == {*wrong, "meta.initial"}


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2Jb", "\ud800", "", 5])
def test_a_name_with_control_characters_is_refused(name: Any) -> None:
    # SECURITY 70
    with pytest.raises(InvalidInitialToolValue, match="name"):
        weather(name=name)


def test_a_handler_that_yields_is_refused() -> None:
    async def stream(args: Where, ctx: DispatchContext, meta: Registry) -> AsyncIterator[str]:
        yield args.city

    with pytest.raises(InvalidInitialToolValue, match="yields"):
        weather(handler=stream)


class Page(SpooledArtifact):
    """An artifact class of one's own."""

    __slots__ = ()


def test_an_artifact_class_may_be_given_or_asked_for() -> None:
    # CONTRACT 77
    assert weather(artifact_constructor=Page).artifact_constructor is Page
    assert weather(artifact_constructor=lambda: Page).artifact_constructor is Page
    assert weather(artifact_constructor=SpooledArtifact).artifact_constructor is SpooledArtifact


def broken() -> type[SpooledArtifact]:
    raise RuntimeError("defined later")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (dict, "not <class 'dict'>"),
        (lambda: dict, "not <class 'dict'>"),
        (lambda: None, "not None"),
        ("Page", "not 'Page'"),
        (broken, "defined later"),
        (lambda page: page, "failed when it was called"),
    ],
)
def test_anything_but_an_artifact_class_is_refused(given: Any, complaint: str) -> None:
    # CONTRACT 77: a wrong class, something that is no function, one that raises
    with pytest.raises(InvalidInitialToolValue, match="artifact_constructor") as caught:
        weather(artifact_constructor=given)
    assert complaint in caught.value.message


@pytest.mark.parametrize("output", ["text", Tokenizable("wrapped")])
async def test_an_artifact_tool_returns_text_and_has_no_artifact_class(output: Any) -> None:
    # CONTRACT 84
    reader = ArtifactTool(
        name="look",
        description="Look.",
        schema=Where,
        handler=lambda args, ctx, meta: output,
        meta={"a": 1},
        trusted=True,
        ephemeral=True,
        on_collision="keep",
    )
    assert await run_tool(reader, {"city": "Oslo"}) is output
    assert reader.artifact_constructor is None
    assert (reader.trusted, reader.ephemeral, reader.on_collision) == (True, True, "keep")
    assert (reader.meta.all(), repr(reader)) == ({"a": 1}, "ArtifactTool('look')")


def test_an_artifact_tool_refuses_an_artifact_class() -> None:
    # CONTRACT 84
    given: dict[str, Any] = {"artifact_constructor": Page}
    with pytest.raises(InvalidInitialToolValue, match="artifact_constructor: is not a field"):
        ArtifactTool(name="look", description="Look.", schema=Where, handler=report, **given)


class Numbers(RootModel[list[int]]):
    """Not an object."""


class Silent:
    def json_schema(self) -> dict[str, Any]:
        raise RuntimeError("no schema")

    def validate(self, tool: str, raw: Any) -> Any:
        return raw


@pytest.mark.parametrize("schema", [Numbers, Silent()])
def test_a_schema_that_describes_no_object_is_refused(schema: Any) -> None:
    # CONTRACT 74
    with pytest.raises(InvalidInitialToolValue, match="must describe an object"):
        weather(schema=schema)


class Prices(RootModel[dict[str, int]]):
    """An object with any keys."""


async def test_a_root_model_of_a_dictionary_is_an_object() -> None:
    keeping = weather(schema=Prices, handler=lambda args, ctx, meta: args.root)
    assert await run_tool(keeping, {"tea": "3"}) == {"tea": 3}


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    children: list[Tree] = []


async def test_a_model_that_contains_itself_is_an_object() -> None:
    keeping = weather(schema=Tree, handler=lambda args, ctx, meta: args.children[0].name)
    assert await run_tool(keeping, {"name": "a", "children": [{"name": "b"}]}) == "b"


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


async def test_an_argument_that_a_model_does_not_know_is_refused_by_name() -> None:
    # SECURITY 68: extra arguments
    error, _ = await called([weather()], "weather", {"city": "Oslo", "unit": "metric"})
    assert [problem.path for problem in error.problems] == ["unit"]
    assert weather().describe()["input_schema"]["additionalProperties"] is False


class Relaxed(BaseModel):
    model_config = ConfigDict(extra="allow")

    a: int


class Careless(BaseModel):
    model_config = ConfigDict(extra="ignore")

    a: int


class Heir(Careless):
    """It inherits what it says about extra arguments."""


@pytest.mark.parametrize(
    ("schema", "shown"),
    [(Relaxed, {"a": 1, "b": 2}), (Careless, {"a": 1}), (Heir, {"a": 1})],
)
async def test_a_model_that_says_what_is_extra_is_left_as_it_is(schema: Any, shown: Any) -> None:
    keeping = weather(schema=schema, handler=lambda args, ctx, meta: type(args))
    output, run = await called([keeping], "weather", {"a": 1, "b": 2})
    assert output is schema
    assert run.of("tool_execution_start")[0].args == shown


class Careful(BaseModel):
    """Looked at twice."""

    model_config = ConfigDict(frozen=True, title="Careful indeed")

    word: str

    @field_validator("word")
    @classmethod
    def lower(cls, word: str) -> str:
        return word.lower()

    def twice(self) -> str:
        return self.word * 2


async def test_a_model_keeps_its_name_words_validators_and_methods() -> None:
    given: list[Any] = []
    keeping = weather(schema=Careful, handler=lambda args, ctx, meta: given.append(args))
    await run_tool(keeping, {"word": "Ho"})
    assert given[0].twice() == "hoho"
    assert isinstance(given[0], Careful)
    with pytest.raises(Exception, match="frozen"):
        given[0].word = "x"
    expected = Careful.model_json_schema() | {"additionalProperties": False}
    assert keeping.describe()["input_schema"] == expected
    assert type(given[0]).__name__ == "Careful"
    assert Careful.model_validate({"word": "a", "more": 1}).word == "a"


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


async def test_a_handler_may_be_put_around_that_of_a_tool() -> None:
    given: list[Any] = []

    def counted(handler: Handler) -> Handler:
        async def handle(args: Where, ctx: DispatchContext, meta: Registry) -> str:
            given.append((args.city, ctx.iteration, meta.all()))
            output = handler(args, ctx, meta)
            return f"{await output}!" if inspect.isawaitable(output) else f"{output}!"

        return handle

    made = weather(trusted=True, ephemeral=True, on_collision="keep", artifact_constructor=Page)
    around = made.wrapped(counted)
    assert await run_tool(around, {"city": "Oslo"}) == "Oslo metric read 0!"
    assert given == [("Oslo", 0, {"scope": "read"})]
    with pytest.raises(InvalidToolArgs):
        await run_tool(around, {})
    assert len(given) == 1
    assert await run_tool(made, {"city": "Oslo"}) == "Oslo metric read 0"
    assert around.describe() == made.describe()
    assert (around.trusted, around.ephemeral, around.on_collision) == (True, True, "keep")
    assert (around.meta, around.artifact_constructor) == (made.meta, Page)
    assert await run_tool(around.wrapped(counted), {"city": "Oslo"}) == "Oslo metric read 0!!"


def test_a_wrapped_artifact_tool_is_still_one() -> None:
    reader = ArtifactTool(name="look", description="Look.", schema=Where, handler=report)
    assert isinstance(reader.wrapped(lambda handler: handler), ArtifactTool)


class Aliased(BaseModel):
    """Fields that can be given by several names."""

    model_config = ConfigDict(populate_by_name=True)

    one: int = Field(alias="eins")
    two: int = Field(validation_alias=AliasChoices("zwei", AliasPath("deux", 0)))


async def test_a_handler_gets_an_instance_of_the_class_itself() -> None:
    seen: list[Any] = []
    aliased = Tool(
        name="aliased",
        description="Take names.",
        schema=Aliased,
        handler=lambda arguments, ctx, meta: seen.append(arguments),
    )
    for args in ({"eins": 1, "zwei": 2}, {"one": 1, "deux": [2]}):
        await run_tool(aliased, args)
    assert [type(arguments) for arguments in seen] == [Aliased, Aliased]
    assert seen[0] == seen[1]
    assert aliased.describe()["input_schema"]["additionalProperties"] is False
    with pytest.raises(InvalidToolArgs) as caught:
        await run_tool(aliased, {"eins": "x", "zwei": 2, "drei": 3})
    assert [problem.path for problem in caught.value.problems] == ["eins", "drei"]
    with pytest.raises(InvalidToolArgs, match="drei"):
        await run_tool(aliased, {"eins": 1, "zwei": 2, "drei": 3})


class Owned(Tool):
    """A tool with something of its own."""

    def __init__(self, owner: str, handler: Handler) -> None:
        super().__init__(name="owned", description="Be owned.", schema=Nothing, handler=handler)
        object.__setattr__(self, "owner", owner)


class Nothing(BaseModel):
    """No arguments."""


async def test_a_wrapped_tool_keeps_what_its_class_added() -> None:
    twin = Owned("me", lambda arguments, ctx, meta: "in").wrapped(
        lambda handler: lambda *given: f"around {handler(*given)}"
    )
    assert isinstance(twin, Owned)
    assert twin.__dict__ == {"owner": "me"}
    assert await run_tool(twin) == "around in"


@pytest.mark.parametrize("wrong", [None, "text"])
def test_what_wraps_a_tool_has_to_return_a_handler(wrong: Any) -> None:
    with pytest.raises(InvalidInitialToolValue, match="around"):
        fail.wrapped(lambda handler: wrong)


def test_what_wraps_a_tool_may_not_yield() -> None:
    def yields(*given: object) -> Any:
        yield given

    with pytest.raises(InvalidInitialToolValue, match="yields"):
        fail.wrapped(lambda handler: yields)


@pytest.mark.parametrize("name", ["a.b", "a b", "é", "", "x" * 65, "a\u200b", "a\nb"])
def test_a_name_that_a_provider_would_refuse_is_refused(name: str) -> None:  # case 70
    with pytest.raises(InvalidInitialToolValue, match="name"):
        Tool(name=name, description="d", schema=Nothing, handler=lambda *_: "")
