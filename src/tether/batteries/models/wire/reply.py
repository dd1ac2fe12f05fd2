"""A model's reply, whatever wire it came over, and the reading of its fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

from tether.batteries.models.ending import CLOSED, Ending

if TYPE_CHECKING:
    from collections.abc import Collection

BETWEEN = "\n\n"
"""Separates texts that the model put out apart from each other."""


class TextDelta(NamedTuple):
    """The next piece of the model's text."""

    text: str


class ReasoningDelta(NamedTuple):
    """The next piece of its reasoning.

    `field` distinguishes several pieces of reasoning: by the name of the wire's field, or by a name
    that the wire's reader gives to each block.
    """

    field: str
    text: str


Delta = TextDelta | ReasoningDelta
"""A piece that can be shown before the reply is whole. Not tool calls: half a call is useless."""


class Reasoning(NamedTuple):
    """One whole piece of reasoning. Its wire sends an opaque `payload` back unchanged."""

    field: str
    text: str
    payload: Any = None
    replay_compatibility: str | None = None


class ToolRequest(NamedTuple):
    """A call that the model proposed; `arguments` is parsed later.

    `payload` is data that the wire wants back with the result. `is_verbatim` says that the
    arguments are the text that the model wrote. False means that the endpoint converted them, for
    instance into a parsed object: it may have completed arguments that a limit had cut. Such a call
    is not run in a reply that was cut (`Reply.is_cut`), and neither is one without arguments.
    """

    id: str
    name: str
    arguments: str
    payload: Any = None
    replay_compatibility: str | None = None
    is_verbatim: bool = True


class Usage(NamedTuple):
    """Tokens as the provider counted them; None for missing or absurd counts."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None

    def to_json(self) -> dict[str, int]:
        """Return the known counts."""
        return {name: value for name, value in self._asdict().items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole reply. `finish_reason` is the provider's word; `is_cut` is the wire's reading of it:
    the model did not end by itself, because of a limit, a filter, a failure, or a reason that the
    wire does not know. Calls of a cut reply are run only if the text of their arguments is complete
    (see `ToolRequest`). `attempts` counts the requests made."""

    response_id: str | None = None
    model: str | None = None
    text: str = ""
    reasoning: tuple[Reasoning, ...] = ()
    tool_requests: tuple[ToolRequest, ...] = ()
    finish_reason: str | None = None
    is_cut: bool = False
    usage: Usage = field(default_factory=Usage)
    attempts: int | None = None

    @property
    def ending(self) -> Ending:
        """How it ended. A cut reply without a reason is one whose connection was closed."""
        unsaid = CLOSED if self.is_cut else ""
        return Ending(reason=self.finish_reason or unsaid, is_cut=self.is_cut)


def made_up_id(place: int) -> str:
    """Return an id for a call without one: the contract's `call_<index>`, and a random part because
    calls of other turns may lack theirs too."""
    return f"call_{place}_{token_hex(4)}"


def token_number(value: object) -> int | None:
    """Return a provider's count if it is plausible: a whole number from 0 to a billion."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value <= 1_000_000_000 and value == int(value) else None


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one for anything else, such as null."""
    return value if isinstance(value, Mapping) else {}


def event_object(data: str | bytes) -> dict[str, Any]:
    """Return the object in an event or a body; raise `ValueError` for anything else.

    NaN and the infinities are refused: the object may be stored and sent again.
    """
    try:
        body = json.loads(data, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("an event is nested too deeply") from None
    if not isinstance(body, dict):
        raise ValueError("an event is not a JSON object")
    return cast("dict[str, Any]", body)


def event_text(body: Mapping[str, Any], name: str) -> str:
    """Return the text under a name of an event; raise `ValueError` if there is no text."""
    value = body.get(name)
    if not isinstance(value, str):
        raise ValueError(f"an event has no text under {name!r}")
    return value


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list; nothing for any other value."""
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in found if isinstance(item, dict)]


def text_or_none(value: object) -> str | None:
    """Return a non-empty text, or None."""
    return value if isinstance(value, str) and value else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


class Reported(NamedTuple):
    """A failure that an endpoint reported, and whether it may pass."""

    why: str
    may_pass: bool


def reported(error: Mapping[str, Any], passing: Collection[str]) -> Reported:
    """Return the failure in an error object; `passing` are the wire's words for passing ones."""
    kind = text_or_none(error.get("code")) or text_or_none(error.get("type")) or "error"
    message = text_or_none(error.get("message")) or "it does not say why"
    return Reported(f"{kind}: {message}", kind in passing)


def numbered(name: str, place: int) -> str:
    """Return the name under which the part at this place is shown; the first has no number."""
    return f"{name}_{place}" if place else name
