"""A streamed reply of the Responses API, taken apart event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.models.responses.output import (
    BETWEEN,
    SAID,
    failure_of,
    reasoning_field,
    reply_of,
)
from tether.batteries.models.wire.reading import event_object, event_text, objects
from tether.batteries.models.wire.reply import ReasoningDelta, TextDelta, as_mapping
from tether.core.errors import ModelStreamError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tether.batteries.models.responses.options import ResponsesOptions
    from tether.batteries.models.wire.reply import Delta, Reply

ARGUMENTS = "arguments"

PIECES = {
    "response.output_text.delta": ("output_text", "content_index"),
    "response.refusal.delta": ("refusal", "content_index"),
    "response.reasoning_summary_text.delta": ("summary_text", "summary_index"),
    "response.reasoning_text.delta": ("reasoning_text", "content_index"),
    "response.function_call_arguments.delta": (ARGUMENTS, ""),
}
"""Events that bring a piece of a part: of which kind, and under which name they number it."""


class _Part(NamedTuple):
    """Where a piece of text belongs: an output item, and a part of it."""

    place: int
    kind: str
    number: int


class ResponsesReader:
    """Collects output items. Pieces are for showing; a whole item, when it comes, replaces them."""

    __slots__ = (
        "_begun",
        "_closed",
        "_done",
        "_options",
        "_places",
        "_response",
        "_said",
        "_thought",
        "_told",
        "_whole",
    )

    def __init__(self, options: ResponsesOptions) -> None:
        self._options = options
        self._response: dict[str, Any] = {}
        self._begun: dict[int, Mapping[str, Any]] = {}
        self._whole: dict[int, Mapping[str, Any]] = {}
        self._places: dict[str, int] = {}
        self._told: dict[_Part, list[str]] = {}
        self._closed: set[int] = set()
        self._said: _Part | None = None
        self._thought: _Part | None = None
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
                self._begin(told)
            case "response.output_item.done":
                self._whole[self._place(told)] = as_mapping(told.get("item"))
            case "response.function_call_arguments.done":
                self._close(told)
            case "response.created" | "response.completed" | "response.incomplete":
                self._take(as_mapping(told.get("response")))
                self._done = kind != "response.created"
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
        places = {*self._begun, *self._whole, *(part.place for part in self._told)}
        items = {place: self._whole.get(place) or self._assembled(place) for place in places}
        return reply_of(self._options, self._response, items)

    def _begin(self, told: Mapping[str, Any]) -> None:
        item = as_mapping(told.get("item"))
        place = told.get("output_index")
        if not isinstance(place, int):
            raise ValueError("an output item does not say where it belongs")
        self._begun[place] = item
        if isinstance(item.get("id"), str):
            self._places[item["id"]] = place

    def _place(self, told: Mapping[str, Any]) -> int:
        """Return the place of the item that an event is about; some name only the item."""
        place = told.get("output_index")
        if not isinstance(place, int):
            item = told.get("item_id") or as_mapping(told.get("item")).get("id")
            place = self._places.get(item) if isinstance(item, str) else None
        if place is None:
            raise ValueError("an event does not say which output item it is about")
        return place

    def _close(self, told: Mapping[str, Any]) -> None:
        place = self._place(told)
        self._told[_Part(place, ARGUMENTS, 0)] = [event_text(told, ARGUMENTS)]
        self._closed.add(place)

    def _take(self, response: Mapping[str, Any]) -> None:
        self._response |= response
        self._whole |= dict(enumerate(objects(response.get("output"))))

    def _piece(self, told: Mapping[str, Any], kind: str, numbered: str) -> Iterable[Delta]:
        number = told.get(numbered)
        part = _Part(self._place(told), kind, number if isinstance(number, int) else 0)
        piece = event_text(told, "delta")
        self._told.setdefault(part, []).append(piece)
        if not piece or kind == ARGUMENTS:
            return ()
        if kind in SAID:
            apart = self._said is not None and self._said.place != part.place
            self._said = part
            return (TextDelta(BETWEEN + piece if apart else piece),)
        before, self._thought = self._thought, part
        apart = before is not None and before.place == part.place and before != part
        return (ReasoningDelta(reasoning_field(part.place), BETWEEN + piece if apart else piece),)

    def _assembled(self, place: int) -> dict[str, Any]:
        """Return an item that never came whole, from its pieces.

        Reasoning gets no id, so that it is shown and not sent back: half of it proves nothing.
        Raises the stream error for a call: half a call is none.
        """
        begun = self._begun.get(place, {})
        parts = {part: "".join(told) for part, told in self._told.items() if part.place == place}
        arguments = parts.get(_Part(place, ARGUMENTS, 0))
        if arguments is not None or begun.get("type") == "function_call":
            if place not in self._closed:
                raise ModelStreamError("the stream ended inside the arguments of a tool call")
            return {**begun, "type": "function_call", ARGUMENTS: arguments}
        if any(part.kind in SAID for part in parts):
            content = [{"type": p.kind, SAID[p.kind]: text} for p, text in parts.items()]
            return {"type": "message", "content": content}
        return {"type": "reasoning", "content": [{"text": text} for text in parts.values()]}


def _failure(told: object) -> ModelStreamError:
    why, may_pass = failure_of(as_mapping(told))
    message = f"the endpoint reported a failure in mid-stream: {why}"
    return ModelStreamError(message, retryable=may_pass)
