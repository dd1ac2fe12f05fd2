"""Artifact classes of one's own: methods become tools, and readers may be plain or asynchronous."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import Field

from support.turns import ran, tool_call
from tether import DispatchContext, Helpers, SpooledArtifact, TextSpool, forge_tools, tool
from tether.batteries.models.scripted import Script
from tether.batteries.testing import Call, Say, ScriptedModel
from tether.core.artifact import LINE_TOOL_NAMES, LONGEST_LINE, artifact_tool, tool_methods
from tether.core.errors import InputRefused, InvalidInitialToolValue
from tether.core.tokens import count_tokens
from tether.runtime.errors import InvalidToolArgs, ToolAlreadyRegistered, ToolDownstreamError
from tether.runtime.line_tools import LINE_TOOLS
from tether.runtime.patterns import SafePattern

LINES = ["INFO start", "ERROR disk", "INFO go on", "ERROR net", ""]


def shown_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{level}: {count}" for level, count in sorted(counts.items()))


class LogArtifact(SpooledArtifact):
    """A log: lines that begin with a level. This is all that an own kind of artifact needs."""

    __slots__ = ()

    @artifact_tool("log_of_level")
    async def of_level(
        self,
        level: Literal["INFO", "ERROR"],
        most: Annotated[int, Field(ge=1)] = 10,
    ) -> list[str]:
        """Return the lines of one level.

        Args:
            level: Which one.
            most: At most so many lines.
        """
        return [line async for line in self.lines() if line.startswith(level)][:most]

    @artifact_tool("log_counts", description="Count the levels.", serialise=shown_counts)
    async def counts(self) -> dict[str, int]:
        """Return how many lines there are of each level."""
        return dict(Counter([line.split()[0] async for line in self.lines() if line]))

    @artifact_tool("log_name")
    def name(self) -> str:
        """Return what kind of log it is."""
        return "a plain log"

    @artifact_tool("log_line")
    async def line(self, number: int) -> dict[str, Any] | None:
        """Return one line in parts; nothing for an empty one."""
        found = await self.cat(number, number + 1)
        if not found:
            raise InputRefused(f"there is no line {number}: the last is {await self.line_count()}")
        level, _, words = found[0].partition(" ")
        return {"level": level, "words": words} if level else None

    def helper(self) -> str:
        """Not marked, and no tool."""
        return ""


class ServerLogArtifact(LogArtifact):
    """A log of a certain kind: it inherits every tool, offers one more and does one otherwise."""

    __slots__ = ()

    def name(self) -> str:
        return "the server's log"

    @artifact_tool("log_hosts")
    def hosts(self) -> list[str]:
        """Return the hosts."""
        return []


def log(kind: type[SpooledArtifact] = LogArtifact) -> SpooledArtifact:
    return kind(TextSpool("\n".join(LINES)))


Work = Callable[[DispatchContext], Awaitable[None]]


async def forged(artifacts: dict[str, SpooledArtifact], work: Work) -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        for id, held in artifacts.items():
            ctx.turn_tool_calls.add(tool_call(id, results=held))
        await work(ctx)
        ctx.ack()

    run = await ran(execute)
    for error in run.errors:
        raise error.__cause__ or error


async def read(ctx: DispatchContext, name: str, **args: Any) -> Any:
    found = forge_tools(ctx).get(name)
    assert found is not None
    return await found.executor(ctx)(args)


def offered(ctx: DispatchContext) -> dict[str, list[str]]:
    """The ids that each tool can be asked for, without the seven that read lines."""
    return {
        item.name: item.describe()["input_schema"]["properties"]["call_id"]["enum"]
        for item in forge_tools(ctx)
        if not item.name.startswith("artifact_")
    }


def test_a_class_lists_the_methods_that_it_offers_itself() -> None:
    assert [method.tool for method in tool_methods(LogArtifact)] == [
        "log_of_level",
        "log_counts",
        "log_name",
        "log_line",
    ]
    assert [method.tool for method in tool_methods(ServerLogArtifact)] == ["log_hosts"]
    assert tool_methods(SpooledArtifact) == ()
    counts = tool_methods(LogArtifact)[1]
    assert (counts.description, counts.serialise) == ("Count the levels.", shown_counts)
    assert counts.function is LogArtifact.counts


async def test_a_marked_method_is_still_a_method() -> None:
    held = LogArtifact(TextSpool("INFO a\n"))
    assert held.name() == "a plain log"
    assert await held.counts() == {"INFO": 1}


async def test_each_method_becomes_a_tool_with_its_words_and_its_parameters() -> None:
    async def work(ctx: DispatchContext) -> None:
        registry = forge_tools(ctx)
        assert len(registry) == 7 + 4
        of_level = registry.get("log_of_level")
        assert of_level is not None
        assert of_level.description == "Return the lines of one level."
        assert (of_level.ephemeral, of_level.on_collision) == (True, "replace")
        schema = of_level.describe()["input_schema"]
        Draft202012Validator.check_schema(schema)
        assert schema["required"] == ["call_id", "level"]
        assert list(schema["properties"]) == ["call_id", "level", "most"]
        assert schema["properties"]["level"]["description"] == "Which one."
        assert schema["properties"]["most"]["minimum"] == 1
        assert schema["additionalProperties"] is False

    await forged({"c1": log()}, work)


async def test_the_tools_of_a_method_answer_in_text() -> None:
    # CONTRACT 101, 2.8
    async def work(ctx: DispatchContext) -> None:
        errors = await read(ctx, "log_of_level", call_id="c1", level="ERROR")
        assert errors == "ERROR disk\nERROR net"
        assert await read(ctx, "log_of_level", call_id="c1", level="ERROR", most=1) == "ERROR disk"
        assert await read(ctx, "log_counts", call_id="c1") == "ERROR: 2, INFO: 2"
        assert await read(ctx, "log_name", call_id="c1") == "a plain log"
        assert await read(ctx, "log_line", call_id="c1", number=4) == "(undefined)"
        line = json.loads(await read(ctx, "log_line", call_id="c1", number=1))
        assert line == {"level": "ERROR", "words": "disk"}
        assert await read(ctx, "artifact_head", call_id="c1", n=1) == "INFO start"

    await forged({"c1": log()}, work)


async def test_unfit_arguments_of_a_method_are_refused_together_with_the_id() -> None:
    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(InvalidToolArgs) as refused:
            await read(ctx, "log_of_level", call_id="c9", level="TRACE", most=0, more=1)
        paths = {problem.path for problem in refused.value.problems}
        assert paths == {"call_id", "level", "most", "more"}

    await forged({"c1": log()}, work)


async def test_a_refusal_of_a_method_reaches_the_model_in_its_own_words() -> None:
    @tool(artifact_constructor=LogArtifact)
    def fetch() -> str:
        """Fetch the log."""
        return "\n".join(LINES)

    steps: Script = [
        [Call("fetch", id="1")],
        [Call("log_line", {"call_id": "1", "number": 9}, id="2")],
        [Say("There is none.")],
    ]
    run = await ran(ScriptedModel(steps), tools=[fetch])
    asked = next(call for call in run.turn.turn_tool_calls if call.id == "2")
    assert asked.is_error
    assert str(asked.results) == "the tool 'log_line' failed: there is no line 9: the last is 5"


async def test_tools_of_a_class_can_be_asked_of_its_instances_only() -> None:
    # CONTRACT 106, for any class
    async def work(ctx: DispatchContext) -> None:
        everyone = ["log_of_level", "log_counts", "log_name", "log_line"]
        assert offered(ctx) == {name: ["log", "server"] for name in everyone} | {
            "log_hosts": ["server"]
        }
        head = forge_tools(ctx).get("artifact_head")
        assert head is not None
        which = head.describe()["input_schema"]["properties"]["call_id"]["enum"]
        assert which == ["plain", "log", "server"]
        assert await read(ctx, "log_hosts", call_id="server") == "(empty list)"
        with pytest.raises(InvalidToolArgs, match="call_id"):
            await read(ctx, "log_hosts", call_id="log")
        with pytest.raises(InvalidToolArgs, match="call_id"):
            await read(ctx, "log_counts", call_id="plain")

    plain = log(SpooledArtifact)
    await forged({"plain": plain, "log": log(), "server": log(ServerLogArtifact)}, work)


async def test_a_method_done_otherwise_in_a_subclass_is_the_one_that_is_called() -> None:
    async def work(ctx: DispatchContext) -> None:
        assert await read(ctx, "log_name", call_id="log") == "a plain log"
        assert await read(ctx, "log_name", call_id="server") == "the server's log"

    await forged({"server": log(ServerLogArtifact), "log": log()}, work)


class LoudLogArtifact(ServerLogArtifact):
    """It offers a name again that it inherits."""

    __slots__ = ()

    @artifact_tool("log_name", serialise=str.upper)
    def name(self) -> str:
        """Return it loudly."""
        return "the loud log"


async def test_a_name_may_be_offered_again_by_a_subclass() -> None:
    async def work(ctx: DispatchContext) -> None:
        assert offered(ctx)["log_name"] == ["log", "loud"]
        assert "loud log" in (await read(ctx, "log_name", call_id="loud")).lower()
        assert await read(ctx, "log_name", call_id="log") == "a plain log"

    await forged({"log": log(), "loud": log(LoudLogArtifact)}, work)


async def test_a_subclass_that_offers_a_name_again_is_heard() -> None:
    async def work(ctx: DispatchContext) -> None:
        found = forge_tools(ctx).get("log_name")
        assert found is not None
        assert found.description == "Return it loudly."
        assert await read(ctx, "log_name", call_id="loud") == "THE LOUD LOG"

    await forged({"loud": log(LoudLogArtifact)}, work)


class OtherArtifact(SpooledArtifact):
    """It claims a name of another class."""

    __slots__ = ()

    @artifact_tool("log_name")
    def other(self) -> str:
        """Return another name."""
        return "other"


async def test_two_unrelated_classes_cannot_offer_one_name() -> None:
    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(ToolAlreadyRegistered, match="LogArtifact and OtherArtifact"):
            forge_tools(ctx)

    await forged({"log": log(), "other": log(OtherArtifact)}, work)

    async def alone(ctx: DispatchContext) -> None:
        assert await read(ctx, "log_name", call_id="other") == "other"

    await forged({"other": log(OtherArtifact)}, alone)


def described(self: SpooledArtifact, step: str) -> str:
    """Describe a step."""
    return step


def undescribed(self: SpooledArtifact) -> str:
    return ""


def unannotated(self: SpooledArtifact, step, call_id: str) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Describe a step."""
    return str(step)


@pytest.mark.parametrize("name", sorted(LINE_TOOL_NAMES))
def test_no_class_can_offer_a_name_of_those_that_read_lines(name: str) -> None:
    with pytest.raises(InvalidInitialToolValue, match=f"{name} is a tool that every artifact has"):
        artifact_tool(name)(described)


def test_the_names_of_those_that_read_lines_are_known() -> None:
    assert {line_tool.name for line_tool in LINE_TOOLS} == LINE_TOOL_NAMES


def test_what_cannot_be_offered_is_refused_where_it_is_marked() -> None:
    with pytest.raises(InvalidInitialToolValue) as caught:
        artifact_tool("no newline\n")(unannotated)
    assert {problem.path for problem in caught.value.problems} == {"name", "step", "call_id"}
    with pytest.raises(InvalidInitialToolValue, match="description"):
        artifact_tool("undescribed")(undescribed)
    with pytest.raises(InvalidInitialToolValue, match="other decorators above"):
        artifact_tool("static")(staticmethod(described))


class MixedIn:
    """A class that is no artifact itself."""

    __slots__ = ()

    @artifact_tool("mixed_name")
    def __name(self) -> str:
        """Return a name that only this class knows."""
        return "mixed"


class MixedArtifact(MixedIn, SpooledArtifact):
    """An artifact with a method from elsewhere."""

    __slots__ = ()

    shouted = artifact_tool("shouted_step")(described)


async def test_methods_are_reached_whatever_the_class_calls_them() -> None:
    async def work(ctx: DispatchContext) -> None:
        assert await read(ctx, "mixed_name", call_id="m") == "mixed"
        assert await read(ctx, "shouted_step", call_id="m", step="x") == "x"

    await forged({"m": log(MixedArtifact)}, work)


async def test_a_long_scan_gives_way_and_can_be_cancelled() -> None:
    lines = SpooledArtifact(TextSpool("line\n" * 50_000))
    for scan in (lines.cat(), lines.grep(re.compile("no")), lines.grep(SafePattern("no"))):
        task = asyncio.ensure_future(scan)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


class OddArtifact(SpooledArtifact):
    """Its method returns what cannot be shown."""

    __slots__ = ()

    @artifact_tool("odd")
    def odd(self) -> object:
        """Return something odd."""
        return object()


async def test_what_cannot_be_shown_is_a_failure_of_the_tool() -> None:
    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(ToolDownstreamError, match="has no JSON form"):
            await read(ctx, "odd", call_id="c1")

    await forged({"c1": log(OddArtifact)}, work)


class PlainSpool:
    """A reader whose methods return their values at once."""

    def __init__(self, text: str) -> None:
        self._text = text

    def byte_length(self) -> int:
        return len(self._text.encode())

    def line_count(self) -> int:
        return len(self._lines())

    def lines(self, start: int, end: int | None, *, longest: int = LONGEST_LINE) -> Iterable[str]:
        return self._lines()[start:end]

    def text(self) -> str:
        return self._text

    def _lines(self) -> list[str]:
        return self._text.split("\n") if self._text else []


class WaitingSpool(PlainSpool):
    """The same, but everything has to be awaited."""

    async def byte_length(self) -> int:  # type: ignore[override]  # pyright: ignore
        return super().byte_length()

    async def line_count(self) -> int:  # type: ignore[override]  # pyright: ignore
        return super().line_count()

    async def lines(  # type: ignore[override]  # pyright: ignore
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        for line in super().lines(start, end):
            yield line

    async def text(self) -> str:  # type: ignore[override]  # pyright: ignore
        return super().text()


texts = st.text(st.sampled_from("ab \n\r\u00e9\u2028\U0001f600"))
numbers = st.integers(-3, 12)


@given(texts, numbers, numbers, st.sampled_from(["a", "^$", "b|\r", "(?-m:^)a", "nothing"]))
async def test_plain_and_asynchronous_readers_give_the_same(
    text: str, start: int, end: int, pattern: str
) -> None:
    # CONTRACT 94
    lines = text.split("\n") if text else []
    expected = [
        len(text.encode()),
        len(lines),
        lines[: max(0, start)],
        lines[-start:] if start > 0 else [],
        lines[max(0, start) : max(0, end)],
        [line for line in lines if re.search(pattern, line)],
        text,
        count_tokens(text, "claude"),
    ]
    for reader in (PlainSpool(text), WaitingSpool(text), TextSpool(text)):
        held = SpooledArtifact(reader)
        assert held.reader is reader
        assert [
            await held.byte_length(),
            await held.line_count(),
            await held.head(start),
            await held.tail(start),
            await held.cat(start, end),
            await held.grep(SafePattern(pattern)),
            await held.as_string(),
            await held.estimate_tokens("claude"),
        ] == expected


@pytest.mark.parametrize("reader", [PlainSpool, WaitingSpool, TextSpool])
@pytest.mark.parametrize("pattern", [re.compile("a"), SafePattern("a")])
async def test_grep_stops_at_its_limit(reader: Any, pattern: Any) -> None:
    # CONTRACT 96
    held = SpooledArtifact(reader("a1\nb\na2\na3"))
    assert await held.grep(pattern) == ["a1", "a2", "a3"] == await held.grep(pattern, 9)
    assert await held.grep(pattern, 3) == ["a1", "a2", "a3"]
    assert await held.grep(pattern, 2) == ["a1", "a2"]
    assert await held.grep(pattern, 0) == [] == await held.grep(pattern, -1)


class EndlessSpool(WaitingSpool):
    """A reader that never ends: whoever needs everything would not come back."""

    async def lines(  # type: ignore[override]
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        while True:
            yield "a"


async def test_grep_reads_no_further_than_its_limit() -> None:
    assert await SpooledArtifact(EndlessSpool("")).grep(re.compile("a"), 3) == ["a"] * 3
