"""A person's yes before a tool acts."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from tether.core.canonical import tool_checksum
from tether.core.errors import InputRefused
from tether.core.ids import new_id
from tether.runtime.gate import GateRequest
from tether.runtime.schema import to_json_text

if TYPE_CHECKING:
    from tether.core.registry import Registry
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.tool import Handler, Tool

REASON = "tool_approval"
FIVE_MINUTES_MS = 300_000


def ask_first(tool: Tool, *, timeout_ms: int = FIVE_MINUTES_MS) -> Tool:
    """Return the same tool, which opens a gate and waits for True before it runs.

    The gate's payload shows the name, the arguments as they will be used, written down, and their
    checksum: what the model says about the call is not in it. On False the model is told that a
    person refused. Nobody answering in time is a refusal too (`TurnGateTimeout`).
    """

    def around(handler: Handler) -> Handler:
        async def ask(arguments: Any, ctx: DispatchContext, meta: Registry) -> Any:
            request = GateRequest(
                id=new_id(),
                reason=REASON,
                payload=_shown(tool.name, arguments),
                created_at=ctx.clock.now(),
                schema=bool,
                timeout_ms=timeout_ms,
            )
            if not await ctx.wait_for(request):
                raise InputRefused("a person looked at this call and refused it; do not repeat it")
            output = handler(arguments, ctx, meta)
            return await output if inspect.isawaitable(output) else output

        return ask

    return tool.wrapped(around)


def _shown(name: str, arguments: Any) -> dict[str, str]:
    """Return what the person sees: text, so that nothing can change under their eyes."""
    given = arguments if isinstance(arguments, Mapping) else vars(arguments)
    values = cast("Mapping[str, Any]", given)
    return {
        "tool": name,
        "arguments": to_json_text(values, indent=2),
        "checksum": tool_checksum(name, values),
    }
