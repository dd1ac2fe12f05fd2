"""Running one tool call that a model proposed, inside the iteration that proposed it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.artifact import SpooledArtifact
from tether.core.canonical import tool_checksum
from tether.core.cleaning import clean_text
from tether.core.errors import InvalidToolArgs, ToolDownstreamError
from tether.core.media import Media
from tether.core.text import Tokenizable
from tether.core.tool_call import ToolCall
from tether.runtime.forge import ForgedSchema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tether.core.tool_call import ToolResults
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reporting import Helpers
    from tether.runtime.tool import ToolOutput


class _Outcome(NamedTuple):
    """What came of a call."""

    results: ToolResults
    is_error: bool = False
    from_artifact_tool: bool = False


async def call_tool(
    ctx: DispatchContext, helpers: Helpers, *, id: str, name: str, args: Mapping[str, Any]
) -> ToolCall:
    """Announce the call, run it, report its end and store the record, which is returned.

    What goes wrong with the call (no such tool, unfit arguments, a failing handler) becomes its
    result, so that the model can do better. Aborts and cancellation are passed on.
    """
    created_at = ctx.clock.now()
    try:
        tool_checksum(name, args)
    except ValueError as error:
        args, outcome = {}, _Outcome(Tokenizable(f"the arguments {error}: {args!r}"), is_error=True)
        helpers.report_tool_call(id, tool=name, args=args)
    else:
        helpers.report_tool_call(id, tool=name, args=args)
        outcome = await _run(ctx, id, name, args)
    completed_at = ctx.clock.now()
    helpers.report_tool_call(
        id, results=outcome.results, is_complete=True, is_error=outcome.is_error
    )
    call = ToolCall(
        id=id,
        tool=name,
        args=args,
        results=outcome.results,
        is_error=outcome.is_error,
        from_artifact_tool=outcome.from_artifact_tool,
        created_at=created_at,
        updated_at=completed_at,
        completed_at=completed_at,
    )
    await ctx.store_tool_call(call)
    return call


async def _run(ctx: DispatchContext, id: str, name: str, args: Mapping[str, Any]) -> _Outcome:
    tool = ctx.tools.get(name)
    if tool is None:
        return _Outcome(Tokenizable(_no_such_tool(ctx, name)), is_error=True)
    try:
        output = await tool.executor(ctx)(args)
    except (InvalidToolArgs, ToolDownstreamError) as error:
        return _Outcome(Tokenizable(error.message), is_error=True)
    reads_artifacts = isinstance(tool.schema, ForgedSchema)
    if reads_artifacts:
        return _Outcome(Tokenizable(str(output)), from_artifact_tool=True)
    return _Outcome(await _results(ctx, id, output))


async def _results(ctx: DispatchContext, id: str, output: ToolOutput) -> ToolResults:
    """Media stay media; anything else is put away, and the artifact that reads it is the result."""
    match output:
        case Media():
            return output
        case [Media(), *_] if all(isinstance(item, Media) for item in output):
            return tuple(output)
        case bytes():
            content = output
        case str() | Tokenizable():
            content = clean_text(str(output)).encode()
        case _:
            content = clean_text(json.dumps(output, ensure_ascii=False, default=str)).encode()
    return SpooledArtifact(await ctx.store_artifact_bytes(id, content))


def _no_such_tool(ctx: DispatchContext, name: str) -> str:
    names = sorted(tool.name for tool in ctx.tools)
    offer = f"The tools are: {', '.join(names)}." if names else "There are no tools."
    return f"There is no tool named {name!r}. {offer}"
