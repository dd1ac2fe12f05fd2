"""One tool call that a model proposed, run inside the iteration that proposed it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tether.batteries.artifacts.json import SpooledJsonArtifact
from tether.core.artifact import SpooledArtifact
from tether.core.checks import in_short
from tether.core.clean_text import clean_text
from tether.core.errors import LimitExceeded, error_text
from tether.core.media import Media
from tether.core.plain_data import copy_plain, tool_checksum
from tether.core.tokenizable import Tokenizable
from tether.core.tool_call import ToolCall
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError
from tether.runtime.forge import offered_tools
from tether.runtime.line_tools import answer_text
from tether.runtime.schema import to_json_text
from tether.runtime.tool import ArtifactTool

if TYPE_CHECKING:
    from tether.core.tool_call import ToolResults
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers
    from tether.runtime.tool import ToolOutput

LONGEST_LABEL = 200


class InvalidCall(NamedTuple):
    """Stands for unreadable arguments: nothing is run, and the model gets the reason."""

    why: str


class _Outcome(NamedTuple):
    """The result of a call."""

    results: ToolResults
    is_error: bool = False
    from_artifact_tool: bool = False


async def call_tool(
    ctx: DispatchContext,
    helpers: Helpers,
    *,
    id: str,
    name: str,
    args: Mapping[str, Any] | InvalidCall,
    payload: Any = None,
    replay_compatibility: str | None = None,
) -> ToolCall:
    """Announce the call, run it, report its end and store the record, which is returned.

    A fault of the call (no such tool, unfit arguments, a failing handler) becomes its result, so
    that the model can correct itself. Aborts and cancellation are passed on. `payload` is stored
    with the record, for the wire that its tag names.
    """
    created_at = ctx.clock.now()
    kept, refusal = _readable(name, args)
    id, label = _unused(ctx, helpers, _label(id, "(no id)")), _label(name, "(unnamed tool call)")
    helpers.report_tool_call(id, tool=label, args=kept)
    outcome = refusal or await _run(ctx, id, name, kept)
    completed_at = ctx.clock.now()
    helpers.report_tool_call(
        id, results=outcome.results, is_complete=True, is_error=outcome.is_error
    )
    call = ToolCall(
        id=id,
        tool=label,
        args=kept,
        results=outcome.results,
        is_error=outcome.is_error,
        from_artifact_tool=outcome.from_artifact_tool,
        payload=payload,
        replay_compatibility=replay_compatibility,
        created_at=created_at,
        updated_at=completed_at,
        completed_at=completed_at,
    )
    await ctx.store_tool_call(call)
    return call


def _readable(
    name: str, args: Mapping[str, Any] | InvalidCall
) -> tuple[dict[str, Any], _Outcome | None]:
    """Return the arguments as a record can store them, and the refusal if it cannot."""
    if isinstance(args, InvalidCall):
        return {}, _failed(args.why)
    try:
        kept = _object(args)
        tool_checksum(name, kept)
    except (RecursionError, ValueError) as error:
        unfit = f"the arguments cannot be read ({error_text(error)}): {in_short(args)}"
        return {}, _failed(unfit)
    return kept, None


def _unused(ctx: DispatchContext, helpers: Helpers, id: str) -> str:
    """Return an id that no call of the turn has, or had before it was deleted: a number is added.

    Some providers begin anew in every reply, and models repeat the ids that they read.
    """
    taken = {call.id for call in ctx.turn_tool_calls}
    candidates = chain([id], (f"{id}-{number}" for number in count(2)))
    return next(it for it in candidates if it not in taken and not helpers.has_call(it))


def _object(args: object) -> dict[str, Any]:
    if not isinstance(args, Mapping):
        raise ValueError("they are not an object with names and values")
    return cast("dict[str, Any]", copy_plain(dict(args)))


def _label(name: str, nothing: str) -> str:
    """Return a text that a record can store: models also propose tools without a name."""
    shown = name[:LONGEST_LABEL]
    return "".join(c if c.isprintable() else " " for c in shown).strip() or nothing


async def _run(ctx: DispatchContext, id: str, name: str, args: Mapping[str, Any]) -> _Outcome:
    tool = ctx.tools.get(name)
    if tool is None:
        return _failed(_no_such_tool(ctx, name))
    try:
        output = await tool.executor(ctx)(args)
    except (InvalidToolArgs, ToolDownstreamError) as error:
        return _failed(answer_text(error.message))
    try:
        if isinstance(tool, ArtifactTool):
            return _Outcome(Tokenizable(_answer(output)), from_artifact_tool=True)
        kept = _kept_as_it_is(output) or _content(output)
    except ValueError as error:
        return _failed(f"the tool {name!r} returned something that {error_text(error)}")
    if not isinstance(kept, bytes):
        return _Outcome(kept)
    return await _spooled(ctx, id, kept, tool.artifact_constructor or _kind_of(output))


def _failed(text: str) -> _Outcome:
    return _Outcome(Tokenizable(text), is_error=True)


async def _spooled(
    ctx: DispatchContext, id: str, content: bytes, kind: type[SpooledArtifact]
) -> _Outcome:
    """Store an output as an artifact; only a lack of space is a fault of the call."""
    try:
        reader = await ctx.store_artifact_bytes(id, content)
    except LimitExceeded as error:
        return _failed(f"the tool ran, but its result cannot be kept: {error.message}")
    return _Outcome(kind(reader))


def _answer(output: ToolOutput) -> str:
    """Return the answer of an artifact tool, which is text unless a custom tool returns more."""
    return answer_text(str(output) if isinstance(output, Tokenizable) else output)


def _kept_as_it_is(output: ToolOutput) -> ToolResults | None:
    """Return media and artifacts, which are results already; None for anything else."""
    match output:
        case Media() | SpooledArtifact():
            return output
        case [Media(), *_] if all(isinstance(item, Media) for item in output):
            return tuple(output)
        case [SpooledArtifact(), *_] if all(isinstance(item, SpooledArtifact) for item in output):
            return tuple(output)
        case _:
            return None


def _kind_of(output: ToolOutput) -> type[SpooledArtifact]:
    """Return the class for an output if the tool names none: structured values can be queried."""
    is_text = isinstance(output, (str, Tokenizable, bytes, bytearray, memoryview))
    return SpooledArtifact if is_text else SpooledJsonArtifact


def _content(output: ToolOutput) -> bytes:
    """Return the bytes to store; raise `ValueError` for a value that cannot be serialised."""
    match output:
        case bytes() | bytearray() | memoryview():
            return bytes(output)
        case str() | Tokenizable():
            return clean_text(str(output)).encode()
        case _:
            return clean_text(to_json_text(output)).encode()


def _no_such_tool(ctx: DispatchContext, name: str) -> str:
    names = sorted(tool.name for tool in offered_tools(ctx))
    offer = f"The tools are: {', '.join(names)}." if names else "There are no tools."
    return f"There is no tool named {in_short(name)}. {offer}"
