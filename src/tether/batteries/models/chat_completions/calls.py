"""Tool calls, put together from what a chat-completions endpoint sends of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tether.batteries.models.chat_completions.request import EXTRA_CONTENT
from tether.batteries.models.wire.reply import ToolRequest, as_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

REPLAY = "chat-completions"
"""The tag of the blocks that this wire's endpoints send beside tool calls, and want back."""


class ToolCallPieces:
    """Assembles calls from pieces that may come in any order, by the place each call has.

    A piece without a place belongs to the call of its id, or to the last one. A piece at a place
    that is taken, with another id and a name of its own, is another call: some endpoints give all
    their calls the same place. Any other change of id is noise, and the first id stands.
    """

    __slots__ = ("_by_id", "_by_place", "_calls", "_next_place")

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_place: dict[int, _Call] = {}
        self._next_place = 0

    def add(self, piece: Mapping[str, Any], place: int | None = None) -> None:
        """Take the next piece; `place` is where it belongs if it does not say so itself."""
        function = as_mapping(piece.get("function"))
        id, name = _text(piece.get("id")), _text(function.get("name"))
        given = piece.get("index")
        if isinstance(given, int) and not isinstance(given, bool):
            place = given
        call = self._find(place, id, name)
        if id and not call.id:
            call.id = id
            self._by_id[id] = call
        call.add_name(name)
        call.add_arguments(_arguments(function.get("arguments")))
        call.payload = piece.get(EXTRA_CONTENT) or call.payload

    def requests(self) -> tuple[ToolRequest, ...]:
        """Return the calls, in the order of their places."""
        return tuple(call.request() for call in sorted(self._calls, key=lambda call: call.place))

    def _find(self, place: int | None, id: str, name: str) -> _Call:
        if place is None:
            last = self._calls[-1] if self._calls and not id else None
            return self._by_id.get(id) or last or self._started(self._next_place)
        known = self._by_place.get(place) or self._started(place)
        if name and known.name and id and known.id not in ("", id):
            known = self._by_place[place] = self._started(self._next_place)
        return known

    def _started(self, place: int) -> _Call:
        call = _Call(place)
        self._calls.append(call)
        self._by_place.setdefault(place, call)
        self._next_place = max(self._next_place, place + 1)
        return call


class _Call:
    """One call so far."""

    __slots__ = ("arguments", "id", "name", "payload", "place")

    def __init__(self, place: int) -> None:
        self.place = place
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.payload: Any = None

    def add_name(self, piece: str) -> None:
        """Names come in pieces, or whole again with every piece of the arguments."""
        if not (self.arguments and piece == self.name):
            self.name += piece

    def add_arguments(self, piece: str) -> None:
        if piece:
            self.arguments.append(piece)

    def request(self) -> ToolRequest:
        return ToolRequest(
            self.id or f"call_{self.place}",
            self.name,
            "".join(self.arguments),
            self.payload,
            None if self.payload is None else REPLAY,
        )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _arguments(value: object) -> str:
    """Return arguments as text; some endpoints send the object itself."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
