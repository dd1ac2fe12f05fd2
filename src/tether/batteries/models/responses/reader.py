"""A streamed reply of the Responses API, taken apart event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.batteries.models.responses.items import ARGUMENTS, OutputItems, Part
from tether.batteries.models.responses.output import (
    MAY_PASS,
    REASONING_FIELD,
    SAID,
    WHOLE,
    reply_of,
)
from tether.batteries.models.wire.parts import BETWEEN, numbered, reported
from tether.batteries.models.wire.reading import event_object, event_text, text_or_none
from tether.batteries.models.wire.reply import ReasoningDelta, TextDelta, as_mapping
from tether.core.errors import ModelStreamError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tether.batteries.models.responses.options import ResponsesOptions
    from tether.batteries.models.wire.reply import Delta, Reply

PIECES = {
    "response.output_text.delta": ("output_text", "content_index"),
    "response.refusal.delta": ("refusal", "content_index"),
    "response.reasoning_summary_text.delta": ("summary_text", "summary_index"),
    "response.reasoning_text.delta": ("reasoning_text", "content_index"),
    "response.function_call_arguments.delta": (ARGUMENTS, ""),
}
"""Events that bring a piece of a part: of which kind, and under which name they number it."""


class ResponsesReader:
    """Collects output items. Pieces are for showing; a whole item, when it comes, replaces them."""

    __slots__ = ("_done", "_items", "_options", "_response", "_said", "_thought")

    def __init__(self, options: ResponsesOptions) -> None:
        self._options = options
        self._response: dict[str, Any] = {}
        self._items = OutputItems()
        self._said: Part | None = None
        self._thought: Part | None = None
        self._done = False

    @property
    def is_done(self) -> bool:
        """Whether the response is complete, or as complete as it will be."""
        return self._done

    def feed(self, event: str | None, data: str) -> Iterable[Delta]:
        """Take one event; kinds that are not known say nothing."""
        told = event_object(data)
        kind = told.get("type") or event
        match kind:
            case "response.output_item.added":
                self._items.begin(told)
            case "response.output_item.done":
                self._items.finish(told)
            case "response.function_call_arguments.done":
                self._items.close(self._items.place(told), event_text(told, ARGUMENTS))
            case "response.created":
                self._response |= as_mapping(told.get("response"))
            case "response.completed" | "response.incomplete":
                self._end(kind, as_mapping(told.get("response")))
            case "response.failed":
                raise _failure(as_mapping(told.get("response")).get("error"))
            case "error":
                raise _failure(told.get("error") or told)
            case str() if kind in PIECES:
                return self._piece(told, *PIECES[kind])
            case _:
                pass
        return ()

    def reply(self) -> Reply:
        """Return the whole reply; the end must have come, and with it every call that began."""
        if not self._done:
            raise ModelStreamError("the stream ended before the response was complete")
        return reply_of(self._options, self._response, self._items.items())

    def _end(self, kind: str, response: Mapping[str, Any]) -> None:
        """Take the end. It is complete only if the event and the response both say so."""
        said = text_or_none(response.get("status")) or WHOLE
        status = said if kind == "response.completed" else "incomplete"
        self._response |= {**response, "status": status}
        self._items.merge(response.get("output"))
        self._done = True

    def _piece(self, told: Mapping[str, Any], kind: str, name: str) -> Iterable[Delta]:
        number = told.get(name)
        part = Part(self._items.place(told), kind, number if isinstance(number, int) else 0)
        piece = event_text(told, "delta")
        self._items.add(part, piece)
        if not piece or kind == ARGUMENTS:
            return ()
        if kind in SAID:
            apart = self._said is not None and self._said.place != part.place
            self._said = part
            return (TextDelta(BETWEEN + piece if apart else piece),)
        before, self._thought = self._thought, part
        apart = before is not None and before.place == part.place and before != part
        field = numbered(REASONING_FIELD, part.place)
        return (ReasoningDelta(field, BETWEEN + piece if apart else piece),)


def _failure(told: object) -> ModelStreamError:
    why, may_pass = reported(as_mapping(told), MAY_PASS)
    message = f"the endpoint reported a failure in mid-stream: {why}"
    return ModelStreamError(message, retryable=may_pass)
