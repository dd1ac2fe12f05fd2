"""The output items of one response, assembled from all the events about them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tether.batteries.models.errors import ModelStreamError
from tether.batteries.models.wire.reply import BETWEEN, as_mapping, objects, text_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tether.batteries.models.wire.call_sizes import CallSizes

SAID = {"output_text": "text", "refusal": "refusal"}
"""The parts of a message, and the field with the text of each."""

CALL = "function_call"
WHOLE = "completed"
"""The status of a response, or of an item, that is complete."""

ARGUMENTS = "arguments"


class OutputItem(NamedTuple):
    """An item of the output, its place, and the text shown before it came whole."""

    place: int
    body: Mapping[str, Any]
    said: str = ""
    thought: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the item claims to be complete; not all endpoints report it."""
        return self.body.get("status") in (None, WHOLE)

    @property
    def text(self) -> str:
        """The text of a message; a refusal counts, because it is an answer too."""
        is_message = self.body.get("type") == "message"
        parts = objects(self.body.get("content")) if is_message else []
        texts = (text_of(part, SAID.get(str(part.get("type")), "")) for part in parts)
        return "".join(texts) or self.said

    @property
    def reasoning(self) -> str:
        """The text of an item of reasoning."""
        is_reasoning = self.body.get("type") == "reasoning"
        fields = ("summary", "content") if is_reasoning else ()
        parts = [part for field in fields for part in objects(self.body.get(field))]
        texts = (text for part in parts if (text := text_of(part, "text")))
        return BETWEEN.join(texts) or self.thought


class Part(NamedTuple):
    """Where a piece of text belongs: an output item, and a part of it."""

    place: int
    kind: str
    number: int


class OutputItems:
    """Collects items by their places in the output.

    An item comes up to four times: when it begins, in pieces, when it is done, and in the list that
    ends the response. The first whole one counts. Endpoints number, name and list their items
    carelessly, so the list is matched by ids, and by kind where ids are missing. The work is linear
    in the number of items: there may be very many. `sizes` raises for arguments that are too large.
    """

    __slots__ = ("_begun", "_closed", "_ids", "_known", "_pieces", "_sizes", "_whole")

    def __init__(self, sizes: CallSizes) -> None:
        self._sizes = sizes
        self._begun: dict[int, Mapping[str, Any]] = {}
        self._whole: dict[int, Mapping[str, Any]] = {}
        self._pieces: dict[int, dict[Part, list[str]]] = {}
        self._closed: set[int] = set()
        self._ids: dict[str, int] = {}
        self._known: dict[tuple[str, str], dict[str, int]] = {}

    def begin(self, body: Mapping[str, Any]) -> None:
        """Take the beginning of an item; raise `ValueError` if it does not name its place."""
        item, place = as_mapping(body.get("item")), body.get("output_index")
        if not isinstance(place, int):
            raise ValueError("an output item has no index")
        self._begun[place] = item
        if (id := text_or_none(item.get("id"))) is not None:
            self._ids[id] = place
        self._know(place, item)

    def place(self, body: Mapping[str, Any]) -> int:
        """Return the place of the item that an event is about; some events name only its id.

        Raises `ValueError` if the event names neither.
        """
        place = body.get("output_index")
        if not isinstance(place, int):
            name = text_or_none(body.get("item_id"))
            place = None if name is None else self._ids.get(name)
        if place is None:
            raise ValueError("an event does not name its output item")
        return place

    def add(self, part: Part, piece: str) -> None:
        """Take the next piece of a part."""
        if part.kind == ARGUMENTS:
            self._sizes.add(part.place, piece)
        self._pieces.setdefault(part.place, {}).setdefault(part, []).append(piece)

    def close(self, place: int, arguments: str) -> None:
        """Take the whole arguments of a call."""
        self._sizes.put(place, arguments)
        self._pieces.setdefault(place, {})[Part(place, ARGUMENTS, 0)] = [arguments]
        self._closed.add(place)

    def finish(self, body: Mapping[str, Any]) -> None:
        """Take an item that is done; it may have begun under another number."""
        item = as_mapping(body.get("item"))
        known = None if self._holds(body.get("output_index")) else self._same(item)
        self._take(self.place(body) if known is None else known, item)

    def merge(self, listed: object) -> None:
        """Take the list of all items, for those that did not come whole before."""
        given = cast("list[object]", listed) if isinstance(listed, list) else []
        items = {at: as_mapping(item) for at, item in enumerate(given) if isinstance(item, dict)}
        found = {self._same(item) for item in items.values()}
        others = _Others((at, self._held(at)) for at in self._places() if at not in found)
        end = max([-1, *self._places(), *items]) + 1
        for at, item in items.items():
            place = self._same(item)
            place = others.like(item) if place is None else place
            if place is None:
                place, end = (end, end + 1) if self._holds(at) else (at, end)
            if place not in self._whole or _is_empty(self._whole[place]):
                self._take(place, item)

    def items(self) -> list[OutputItem]:
        """Return the items in order, each whole or assembled from its pieces.

        Raises the stream error for half a call.
        """
        return [self._item(place) for place in self._places()]

    def _places(self) -> list[int]:
        return sorted({*self._begun, *self._whole, *self._pieces})

    def _holds(self, place: object) -> bool:
        return place in self._begun or place in self._whole or place in self._pieces

    def _held(self, place: int) -> Mapping[str, Any]:
        return self._whole.get(place) or self._begun.get(place) or self._assembled(place)

    def _take(self, place: int, item: Mapping[str, Any]) -> None:
        if item.get("type") == CALL:
            self._sizes.put(place, _written(item))
        self._whole[place] = item
        self._know(place, item)

    def _know(self, place: int, item: Mapping[str, Any]) -> None:
        """Remember the place of an item. Several calls may share an id, distinguished by their
        arguments: endpoints that have only one id give it to every call."""
        identity = _identity(item)
        if identity is not None:
            known = self._known.setdefault(identity, {})
            if known.get("") == place:
                del known[""]
            known.setdefault(_written(item), place)

    def _same(self, item: Mapping[str, Any]) -> int | None:
        """Return the place of the same item, whole or without arguments, if it is known."""
        identity, written = _identity(item), _written(item)
        known = {} if identity is None else self._known.get(identity, {})
        if known and not written:
            return next(iter(known.values()))
        return known.get(written, known.get(""))

    def _item(self, place: int) -> OutputItem:
        body = self._whole.get(place)
        if not body:
            body = self._assembled(place)
            if body.get("type") == CALL and place not in self._closed:
                raise ModelStreamError("the stream ended inside the arguments of a tool call")
        elif body.get("type") == CALL and _is_empty(body):
            body = {**body, **self._arguments(place)}
        texts = self._texts(place)
        said = "".join(text for part, text in texts if part.kind in SAID)
        thought = [text for part, text in texts if part.kind not in (*SAID, ARGUMENTS)]
        return OutputItem(place, body, said, BETWEEN.join(thought))

    def _texts(self, place: int) -> list[tuple[Part, str]]:
        texts = [(part, "".join(pieces)) for part, pieces in self._pieces.get(place, {}).items()]
        return [(part, text) for part, text in texts if text]

    def _arguments(self, place: int) -> dict[str, str]:
        pieces = self._pieces.get(place, {}).get(Part(place, ARGUMENTS, 0))
        return {} if pieces is None else {ARGUMENTS: "".join(pieces)}

    def _assembled(self, place: int) -> Mapping[str, Any]:
        """Return an item that never came whole, from its pieces.

        Reasoning gets no id, so that it is shown but not sent back: half of it proves nothing.
        """
        begun, arguments = self._begun.get(place, {}), self._arguments(place)
        if arguments or begun.get("type") == CALL:
            return {**begun, "type": CALL, "status": WHOLE, **arguments}
        said = [(part.kind, text) for part, text in self._texts(place) if part.kind in SAID]
        content = [{"type": kind, SAID[kind]: text} for kind, text in said]
        return {"type": "message", "content": content} if said else {"type": "reasoning"}


class _Others:
    """Items that no id in a list matched, by kind: the next of a kind may be the listed one."""

    __slots__ = ("_waiting",)

    def __init__(self, items: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        self._waiting: dict[tuple[str, bool], deque[int]] = {}
        for place, item in items:
            self._waiting.setdefault(_likeness(item), deque()).append(place)

    def like(self, item: Mapping[str, Any]) -> int | None:
        """Remove the next item of the same kind and return its place.

        Two calls that both have an id are different calls.
        """
        kind, is_named_call = _likeness(item)
        keys = [(kind, False)] if is_named_call else [(kind, False), (kind, True)]
        waiting = [self._waiting[key] for key in keys if self._waiting.get(key)]
        return min(waiting, key=lambda places: places[0]).popleft() if waiting else None


def _likeness(item: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the kind of an item, and whether it is a call with an id."""
    kind = str(item.get("type"))
    return kind, kind == CALL and _identity(item) is not None


def _identity(item: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the identity of an item: for a call, the id that its result will name."""
    id, call_id = text_or_none(item.get("id")), text_or_none(item.get("call_id"))
    known_by = (call_id or id) if item.get("type") == CALL else id
    return None if known_by is None else (str(item.get("type")), known_by)


def _written(item: Mapping[str, Any]) -> str:
    return str(item.get(ARGUMENTS) or "")


def _is_empty(item: Mapping[str, Any]) -> bool:
    """Say whether a message has no text, or a call no arguments."""
    if item.get("type") == CALL:
        return not item.get(ARGUMENTS)
    return item.get("type") == "message" and not OutputItem(0, item).text


def text_of(part: Mapping[str, Any], name: str) -> str:
    """Return the text under a name; empty without one."""
    return text_or_none(part.get(name)) or ""
