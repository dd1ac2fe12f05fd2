"""Running one tool by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.batteries.storage.memory import MemoryStorage
from tether.core.errors import InvalidToolArgs, ToolDownstreamError
from tether.runtime.dispatch import DispatchRunner
from tether.runtime.raw_dispatch import RawDispatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tether.runtime.clock import Clock
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reporting import Helpers
    from tether.runtime.storage import Storage
    from tether.runtime.tool import Tool


async def run_tool(
    tool: Tool,
    args: Mapping[str, Any] | None = None,
    *,
    storage: Storage | None = None,
    clock: Clock | None = None,
) -> Any:
    """Run a tool in a dispatch of its own and return what its handler returned.

    Raises `InvalidToolArgs` and `ToolDownstreamError`, as `tool.executor(ctx)` does.
    """
    outcome: list[Any] = []
    failure: list[InvalidToolArgs | ToolDownstreamError] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        try:
            outcome.append(await tool.executor(ctx)({} if args is None else args))
        except (InvalidToolArgs, ToolDownstreamError) as error:
            failure.append(error)
        ctx.ack()

    raw = RawDispatch(
        system_prompt="", storage=MemoryStorage() if storage is None else storage, tools=[tool]
    )
    await DispatchRunner.dispatch(executor=execute, raw=raw, clock=clock)
    if failure:
        raise failure[0]
    return outcome[0]
