"""Tool calls, assembled from the pieces that a chat-completions endpoint sends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tether.batteries.models.chat_completions.request import EXTRA_CONTENT
from tether.batteries.models.wire.reply import (
    ToolRequest,
    as_mapping,
    made_up_id,
    objects,
    text_or_none,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tether.batteries.models.wire.call_sizes import CallSizes

REPLAY = "chat-completions"
"""The tag of the data that endpoints of this wire send with tool calls, and want back."""


class ToolCallPieces:
    """Assembles calls from pieces that may come in any order, by the place of each call.

    A piece without a place belongs to the call with its id, or to the last one. A piece at a place
    that is taken, with another id and a name, is another call: some endpoints give all their calls
    the same place. Any other change of id is noise, and the first id counts. A call that comes
    twice, with the same id, is one call.

    Unreadable data may have been a piece of a call: `is_damaged` reports it. `sizes` raises for
    arguments that are too large.
    """

    __slots__ = ("_by_id", "_by_place", "_calls", "_next_place", "_sizes", "_unread")

    def __init__(self, sizes: CallSizes) -> None:
        self._sizes = sizes
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_place: dict[int, _Call] = {}
        self._next_place = 0
        self._unread = False

    @property
    def is_damaged(self) -> bool:
        """Whether there are calls, and unreadable data that may have been a part of one."""
        return bool(self._calls) and (self._unread or any(call.is_mixed for call in self._calls))

    def lose(self) -> None:
        """Note that a piece of the reply could not be read."""
        self._unread = True

    def add_all(self, calls: object, *, in_places: bool) -> None:
        """Take a list of pieces; `in_places` says that it is complete and in order."""
        pieces = objects(calls)
        if calls is not None and not (isinstance(calls, list) and len(calls) == len(pieces)):
            self.lose()
        for place, piece in enumerate(pieces):
            self.add(piece, place if in_places else None)

    def add(self, piece: Mapping[str, Any], place: int | None = None) -> None:
        """Take the next piece; `place` is its place if it does not name one."""
        given_function = piece.get("function")
        function = as_mapping(given_function)
        if given_function is not None and function is not given_function:
            self.lose()
        id, name = text_or_none(piece.get("id")) or "", text_or_none(function.get("name")) or ""
        given = piece.get("index")
        if isinstance(given, int) and not isinstance(given, bool):
            place = given
        call = self._find(place, id, name)
        if id and not call.id:
            call.id = id
            self._by_id[id] = call
        call.add_name(name)
        self._sizes.add(call, call.add_arguments(function.get("arguments")))
        call.payload = piece.get(EXTRA_CONTENT) or call.payload

    def requests(self) -> tuple[ToolRequest, ...]:
        """Return the calls, in the order of their places."""
        distinct: dict[object, _Call] = {}
        for call in sorted(self._calls, key=lambda call: call.place):
            distinct.setdefault(call.identity if call.id else call.place, call)
        return tuple(call.request() for call in distinct.values())

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

    __slots__ = ("arguments", "id", "is_text", "name", "payload", "place")

    def __init__(self, place: int) -> None:
        self.place = place
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.is_text = True
        self.payload: Any = None

    @property
    def identity(self) -> tuple[str, str, str]:
        """The parts that two calls share only if they are the same call."""
        return self.id, self.name, "".join(self.arguments)

    @property
    def is_mixed(self) -> bool:
        """Whether the arguments are neither pieces of text nor one value, and so unusable."""
        return not self.is_text and len(self.arguments) > 1

    def add_name(self, piece: str) -> None:
        """Add a piece of the name; some endpoints repeat the whole name with every piece."""
        if not (self.arguments and piece == self.name):
            self.name += piece

    def add_arguments(self, piece: object) -> str:
        """Take a piece of the text and return it; some endpoints send the object itself."""
        if piece is None:
            return ""
        self.is_text = self.is_text and isinstance(piece, str)
        text = piece if isinstance(piece, str) else json.dumps(piece, ensure_ascii=False)
        self.arguments += [text] if text else []
        return text

    def request(self) -> ToolRequest:
        return ToolRequest(
            self.id or made_up_id(self.place),
            self.name,
            "".join(self.arguments),
            self.payload,
            None if self.payload is None else REPLAY,
            self.is_text,
        )
