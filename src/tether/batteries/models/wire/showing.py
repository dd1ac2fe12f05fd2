"""Showing a reply while it comes: which ids its message and thoughts have, and what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.models.wire.reply import TextDelta
from tether.core.errors import StreamSealed
from tether.core.ids import new_id

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from tether.batteries.models.wire.reply import Delta, Reasoning, Reply
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reporting import Helpers

LONGEST_ID = 200


class Shown(NamedTuple):
    """What a message or a thought is called, and since when it is seen."""

    id: str
    created_at: datetime


class ShownReply(NamedTuple):
    """The places of a whole reply: of its message, if it has one, and of its thoughts in order."""

    message: Shown | None
    thoughts: tuple[Shown, ...]


class Showing:
    """Reports the deltas of one reply, and completes what it reported once the reply is whole.

    A reply that fails is never reported complete. A streamed reply has one new id, for its message
    and for its thought; thoughts from further fields have the field's name behind it. A reply in
    one piece is named after the id that the endpoint gave it.
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
        """Report the ends, and whole what no delta told before; return the places of the parts."""
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
        """Report a text in one piece, under another id where that one was used before.

        Nothing is reported where there is no text: reasoning may be an opaque block alone.
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
        """Say whether an endpoint's id can be the key of records: some endpoints have only one."""
        ctx, start = self._ctx, f"{name}:"
        records = (*ctx.turn_messages, *ctx.turn_thoughts)
        taken = any(record.id.startswith(start) for record in records)
        return name.isprintable() and len(name) <= LONGEST_ID and not taken
