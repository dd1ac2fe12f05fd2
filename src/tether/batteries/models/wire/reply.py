"""What a model answered, whatever wire it came over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, NamedTuple


class TextDelta(NamedTuple):
    """The next piece of what the model says."""

    text: str


class ReasoningDelta(NamedTuple):
    """The next piece of its reasoning.

    `field` keeps apart what are several pieces of reasoning: by the name of the wire's field, or by
    a name that the wire's reader gives each of its blocks.
    """

    field: str
    text: str


Delta = TextDelta | ReasoningDelta
"""What can be shown before the reply is whole. Not tool calls: half of one is none."""


class Reasoning(NamedTuple):
    """One piece of reasoning, whole. An opaque `payload` goes back as it came, on its wire."""

    field: str
    text: str
    payload: Any = None
    replay_compatibility: str | None = None


class ToolRequest(NamedTuple):
    """A call that the model proposed; `arguments` is read later.

    `payload` is what the wire wants back with the result, if anything. `is_verbatim` says that the
    arguments are the text that the model wrote. False is for what the endpoint made of it, such as
    an object that it had parsed: it may have closed what a limit cut open. Such a call is not run
    in a reply that was cut (`Reply.is_cut`), and neither is one without arguments.
    """

    id: str
    name: str
    arguments: str
    payload: Any = None
    replay_compatibility: str | None = None
    is_verbatim: bool = True


class Usage(NamedTuple):
    """Tokens as the provider counted them; None for what it did not say, or said absurdly."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None

    def to_json(self) -> dict[str, int]:
        """Return what is known."""
        return {name: value for name, value in self._asdict().items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole reply. `finish_reason` is the provider's word, unread; `is_cut` is what the wire says
    about it: that the model did not end by itself, be it for a limit, a filter, a failure, or a
    word that the wire does not know. Calls of a cut reply are run only where the text of their
    arguments is there and whole (see `ToolRequest`). `attempts` counts the requests made."""

    response_id: str | None = None
    model: str | None = None
    text: str = ""
    reasoning: tuple[Reasoning, ...] = ()
    tool_requests: tuple[ToolRequest, ...] = ()
    finish_reason: str | None = None
    is_cut: bool = False
    usage: Usage = field(default_factory=Usage)
    attempts: int | None = None


def made_up_id(place: int) -> str:
    """Return an id for a call that the endpoint gave none: the contract's `call_<index>`, and a
    random part, because the calls of other turns may lack theirs too."""
    return f"call_{place}_{token_hex(4)}"


def token_number(value: object) -> int | None:
    """Return a provider's count if it can be one: a whole number from 0 to a billion."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value <= 1_000_000_000 and value == int(value) else None


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one for anything else: endpoints send null and worse."""
    return value if isinstance(value, Mapping) else {}
