"""Delivery of a reply: shown while it arrives, stored once it is whole, its tool calls run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.models.call_tool import InvalidCall, call_tool
from tether.batteries.models.wire.call_sizes import CallSizes
from tether.batteries.models.wire.reply import TextDelta
from tether.core.clean_text import clean_text
from tether.core.errors import error_text
from tether.core.ids import new_id
from tether.core.message import Message
from tether.core.plain_data import parse_json_object
from tether.core.thought import Thought
from tether.runtime.errors import StreamSealed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import Any

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import WireErrors
    from tether.batteries.models.wire.reply import Delta, Reasoning, Reply, ToolRequest
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers

LONGEST_ID = 200

LONGEST_ECHO = 2_000


class Shown(NamedTuple):
    """The id of a message or a thought, and when it was first shown."""

    id: str
    created_at: datetime


class ShownReply(NamedTuple):
    """The ids of a whole reply: of its message, if there is one, and of its thoughts in order."""

    message: Shown | None
    thoughts: tuple[Shown, ...]


class ReplyDisplay:
    """Reports the deltas of one reply, and its end once it is whole.

    A reply that fails is never reported complete. A streamed reply has one new id, for its message
    and for its thought; thoughts from further fields add the field's name. A reply in one piece is
    named after the id from the endpoint.
    """

    __slots__ = ("_ctx", "_helpers", "_id", "_message", "_thoughts", "_used", "first_at")

    def __init__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        self._ctx = ctx
        self._helpers = helpers
        self._id = new_id()
        self._message: Shown | None = None
        self._thoughts: dict[str, Shown] = {}
        self._used: set[str] = set()
        self.first_at: float | None = None
        """When the first delta came, on the monotonic clock."""

    def show(self, delta: Delta) -> None:
        """Report the next piece."""
        if self.first_at is None:
            self.first_at = self._ctx.clock.monotonic()
        if isinstance(delta, TextDelta):
            self._message = self._message or self._named(self._id)
            self._helpers.report_message(self._message.id, delta.text)
            return
        thought = self._thoughts.get(delta.field)
        if thought is None:
            id = f"{self._id}:{delta.field}" if self._thoughts else self._id
            thought = self._thoughts[delta.field] = self._named(id)
        self._helpers.report_thought(thought.id, delta.text)

    def complete(self, reply: Reply) -> ShownReply:
        """Report the ends, and parts that had no delta as a whole; return the ids of the parts."""
        name = reply.response_id if self.first_at is None else None
        name = name if name and self._is_usable(name) else None
        several = len(reply.reasoning) > 1
        thoughts = [self._whole_thought(part, name, several) for part in reply.reasoning]
        return ShownReply(self._whole_message(reply.text, name), tuple(thoughts))

    def _whole_thought(self, thought: Reasoning, name: str | None, several: bool) -> Shown:
        shown = self._thoughts.pop(thought.field, None)
        if shown is not None:
            self._helpers.report_thought(shown.id, "", is_complete=True)
            return shown
        first = self._id if name is None else f"{name}:thought"
        id = f"{first}:{thought.field}" if several else first
        shown = self._at_once(self._helpers.report_thought, id, thought.text)
        self._used.add(shown.id)
        return shown

    def _whole_message(self, text: str, name: str | None) -> Shown | None:
        report = self._helpers.report_message
        if self._message is not None:
            report(self._message.id, "", is_complete=True)
        elif text:
            id = self._id if name is None else f"{name}:message"
            self._message = self._at_once(report, id, text)
        return self._message

    def _at_once(self, report: Callable[..., None], id: str, text: str) -> Shown:
        """Report a text in one piece, under another id if that one was used before.

        Nothing is reported without text: reasoning may be an opaque block alone.
        """
        id = new_id() if id in self._used else id
        try:
            if text:
                report(id, text, is_complete=True)
        except StreamSealed:
            id = new_id()
            report(id, text, is_complete=True)
        return self._named(id)

    def _named(self, id: str) -> Shown:
        return Shown(id, self._ctx.clock.now())

    def _is_usable(self, name: str) -> bool:
        """Say whether an endpoint's id can identify records: some endpoints repeat theirs."""
        ctx, start = self._ctx, f"{name}:"
        records = (*ctx.turn_messages, *ctx.turn_thoughts)
        taken = any(record.id.startswith(start) for record in records)
        return name.isprintable() and len(name) <= LONGEST_ID and not taken


async def deliver(
    ctx: DispatchContext,
    helpers: Helpers,
    reply: Reply,
    shown: ShownReply,
    *,
    options: ModelOptions,
    errors: WireErrors,
) -> None:
    """Store the message, then the thoughts, then run the calls one after the other.

    With calls the dispatch goes on, so that the model reads their results; without calls it is
    acked if the options say so. Stops at an abort: nothing is stored after it.
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
    """Raise for a reply with more calls than may be run, or with too large ones.

    Raises the wire's stream error, or `ModelToolArgsTooLarge`.
    """
    CallSizes.within(options).put_all(reply.tool_requests)
    proposed = len(reply.tool_requests)
    if proposed > options.max_tool_calls:
        message = f"the model proposed {proposed} tool calls at once, and none was run"
        limit = f"at most {options.max_tool_calls} are allowed (max_tool_calls)"
        raise errors.stream(f"{message}: {limit}", partial=reply.text)


def call_arguments(
    request: ToolRequest, errors: WireErrors, *, is_cut: bool = False
) -> Mapping[str, Any] | InvalidCall:
    """Return the arguments of a call, or an explanation for the model if they are not an object.

    Models write nothing at all for a tool without parameters, which means no arguments; but not in
    a reply that was cut, where the arguments may be the missing part. The model's own text, if it
    parses as an object, is complete in a cut reply too: no prefix of such a text parses. An
    endpoint's conversion may be a part that was closed, and is refused there.
    """
    text = request.arguments.strip()
    if not text and not is_cut:
        return {}
    if text and is_cut and not request.is_verbatim:
        unsure = "the reply was cut off and these arguments may be incomplete, so nothing was run"
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
    """Store the message and the thoughts; blank text and empty thoughts are not stored."""
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
