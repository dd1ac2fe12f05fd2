"""A person's yes before a tool acts."""

from __future__ import annotations

import inspect
import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import StrictBool

from tether.batteries.storage.confirmation import confirm, take_confirmation
from tether.batteries.storage.port import OWNER
from tether.core.canonical import tool_checksum
from tether.core.checks import Checks
from tether.core.errors import InputRefused, InvalidInitialToolValue
from tether.core.ids import new_id
from tether.runtime.gate import GateRequest
from tether.runtime.schema import to_json_text
from tether.runtime.tool import Tool, shown_arguments

if TYPE_CHECKING:
    from tether.core.registry import Registry
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.tool import Handler

REASON = "tool_approval"
FIVE_MINUTES_MS = 300_000


def ask_first(tool: Tool, *, timeout_ms: int = FIVE_MINUTES_MS) -> Tool:
    """Return the same tool, which opens a gate and waits for True before it runs.

    The gate's payload shows the name, the arguments as they will be used, written down, and their
    checksum: what the model says about the call is not in it. On False the model is told that a
    person refused. Nobody answering in time is a refusal too (`TurnGateTimeout`). Raises
    `InvalidInitialToolValue` for what is no tool.
    """
    check = Checks()
    check.instance("tool", tool, Tool, "a Tool (decorate the function with @tool)")
    if type(timeout_ms) is not int or timeout_ms < 1:
        check.refuse("timeout_ms", timeout_ms, "a whole number of at least 1")
    check.done(InvalidInitialToolValue)

    def around(handler: Handler) -> Handler:
        async def ask(arguments: Any, ctx: DispatchContext, meta: Registry) -> Any:
            await approved(ctx, tool.name, arguments, timeout_ms=timeout_ms)
            with text_confirmed(ctx, arguments, by=ctx.stash.get(OWNER) or "gate"):
                output = handler(arguments, ctx, meta)
                return await output if inspect.isawaitable(output) else output

        return ask

    return tool.wrapped(around)


async def approved(
    ctx: DispatchContext, tool: str, arguments: Any, *, timeout_ms: int = FIVE_MINUTES_MS
) -> None:
    """Wait at a gate for a person's yes to one call; raise `InputRefused` on a no."""
    request: GateRequest[Any] = GateRequest(
        id=new_id(),
        reason=REASON,
        payload=_shown(tool, arguments),
        created_at=ctx.clock.now(),
        schema=StrictBool,
        timeout_ms=timeout_ms,
    )
    if not await ctx.wait_for(request):
        raise InputRefused("a person looked at this call and refused it; do not repeat it")


@contextmanager
def text_confirmed(ctx: DispatchContext, arguments: Any, *, by: str) -> Generator[None]:
    """Count the yes to a call as the yes to the text that it keeps, where it keeps one.

    It ends with the call: a yes to sending a text is no yes to remembering it later.
    """
    content = shown_arguments(arguments).get("content")
    if not isinstance(content, str):
        yield
        return
    confirm(ctx, content, by=by)
    try:
        yield
    finally:
        take_confirmation(ctx, content)


def _shown(tool: str, arguments: Any) -> dict[str, str]:
    """Return what the person sees: text, so that nothing can change under their eyes.

    Characters that are not seen, or that turn the direction of others, are written as escapes.
    """
    text = to_json_text(shown_arguments(arguments), indent=2)
    return {
        "tool": tool,
        "arguments": "".join(map(_visible, text)),
        "checksum": tool_checksum(tool, json.loads(text)),
    }


def _visible(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    return json.dumps(character)[1:-1]
