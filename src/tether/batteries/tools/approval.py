"""Approval by a person before a tool runs."""

from __future__ import annotations

import inspect
import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import StrictBool

from tether.batteries.storage.confirmation import confirm, take_confirmation
from tether.batteries.storage.port import OWNER
from tether.core.checks import Checks
from tether.core.errors import InputRefused, InvalidInitialToolValue
from tether.core.ids import new_id
from tether.core.plain_data import tool_checksum
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

    The gate's payload has the name, the text of the arguments as they will be used, and their
    checksum, but nothing that the model says about the call. On False the model gets the error that
    a person refused. No answer in time counts as a refusal (`TurnGateTimeout`). Raises
    `InvalidInitialToolValue` for anything but a tool.
    """
    check = Checks()
    check.instance("tool", tool, Tool, "a Tool (decorate the function with @tool)")
    check.whole_number("timeout_ms", timeout_ms)
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
    """Count the approval of a call as approval of the text that it stores, if it stores one.

    It ends with the call: approval for sending a text is not approval for remembering it later.
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
    """Return the call as text, which cannot change after the person has seen it.

    Invisible characters, and those that change the direction of text, are escaped.
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
