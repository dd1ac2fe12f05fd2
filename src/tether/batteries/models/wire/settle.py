"""What follows a whole reply: its records are stored, and the calls that it proposes are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.batteries.models.call_tool import InvalidCall, call_tool
from tether.core.canonical import parse_json_object
from tether.core.cleaning import clean_text
from tether.core.errors import error_text
from tether.core.message import Message
from tether.core.thought import Thought

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import WireErrors
    from tether.batteries.models.wire.reply import Reply, ToolRequest
    from tether.batteries.models.wire.showing import ShownReply
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reporting import Helpers

LONGEST_ECHO = 2_000


async def settle(
    ctx: DispatchContext,
    helpers: Helpers,
    reply: Reply,
    shown: ShownReply,
    *,
    options: ModelOptions,
    errors: WireErrors,
) -> None:
    """Store the message, then the thoughts, then run the calls one after the other.

    With calls the dispatch goes on, so that the model reads their results; without, it is acked if
    the options say so. Stops at an abort: what was not stored by then never is.
    """
    ctx.abort_signal.raise_if_aborted()
    await _store(ctx, options, reply, shown)
    for request in reply.tool_requests:
        ctx.abort_signal.raise_if_aborted()
        await call_tool(
            ctx,
            helpers,
            id=request.id,
            name=request.name,
            args=call_arguments(request, errors, is_cut=reply.is_cut),
            payload=request.payload,
            replay_compatibility=request.replay_compatibility,
        )
    if not reply.tool_requests and options.auto_ack and not ctx.is_signalled:
        ctx.ack()


def refuse_too_many(options: ModelOptions, errors: WireErrors, reply: Reply) -> None:
    """Raise the wire's stream error for a reply with more calls than may be run."""
    proposed = len(reply.tool_requests)
    if proposed > options.max_tool_calls:
        message = f"the model proposed {proposed} tool calls at once, of which none was run"
        limit = f"at most {options.max_tool_calls} are allowed (max_tool_calls)"
        raise errors.stream(f"{message}: {limit}", partial=reply.text)


def call_arguments(
    request: ToolRequest, errors: WireErrors, *, is_cut: bool = False
) -> Mapping[str, Any] | InvalidCall:
    """Return the arguments of a call, or what to tell the model where they are no JSON object.

    Models write nothing at all for a tool without parameters, which means no arguments; but not in
    a reply that was cut, where it may be that the arguments are what is missing. The model's own
    text, if it reads as an object, is whole in a cut reply too: no beginning of such a text is one.
    An endpoint's reading of it may be a part that was closed, and is refused there.
    """
    text = request.arguments.strip()
    if not text and not is_cut:
        return {}
    if text and is_cut and not request.is_verbatim:
        unsure = "the reply was cut off, and these arguments may be a part, so nothing was run"
        return InvalidCall(errors.tool_args(f"{unsure}: {_echo(text)}").message)
    try:
        return parse_json_object(text)
    except ValueError as error:
        why = "the reply was cut off before them" if not text else error_text(error)
    unread = f"the arguments are not a JSON object, so nothing was run ({why}): {_echo(text)}"
    return InvalidCall(errors.tool_args(unread).message)


def _echo(text: str) -> str:
    return text if len(text) <= LONGEST_ECHO else f"{text[:LONGEST_ECHO]}…"


async def _store(
    ctx: DispatchContext, options: ModelOptions, reply: Reply, shown: ShownReply
) -> None:
    """Store what was said and thought; blank text is no message, and nothing is no thought."""
    identity, text = options.self_identity, clean_text(reply.text)
    if shown.message is not None and text.strip():
        await ctx.store_message(
            Message(
                id=shown.message.id,
                role="assistant",
                content=text,
                identity=identity,
                created_at=shown.message.created_at,
                updated_at=ctx.clock.now(),
            )
        )
    for part, place in zip(reply.reasoning, shown.thoughts, strict=True):
        if part.payload is None and not clean_text(part.text):
            continue
        ctx.abort_signal.raise_if_aborted()
        await ctx.store_thought(
            Thought(
                id=place.id,
                content=part.text,
                identity=identity,
                payload=part.payload,
                replay_compatibility=part.replay_compatibility,
                created_at=place.created_at,
                updated_at=ctx.clock.now(),
            )
        )
