"""A chat-completions reply, streamed or in one piece."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from tether.batteries.models.chat_completions.calls import ToolCallPieces
from tether.batteries.models.chat_completions.reasoning import ReasoningPieces
from tether.batteries.models.wire.reply import (
    Reply,
    TextDelta,
    Usage,
    as_mapping,
    token_number,
)
from tether.core.checks import in_short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tether.batteries.models.wire.port import WireErrors
    from tether.batteries.models.wire.reply import Delta

DONE = "[DONE]"
CUT = frozenset({"length", "max_tokens", "model_length"})
"""The words by which endpoints say that a limit of tokens ended the reply."""


class ReplyPieces:
    """What is known of a reply. One message is read: the choice with index 0."""

    __slots__ = ("_calls", "_finish", "_id", "_model", "_reasoning", "_text", "_usage")

    def __init__(self, fields: Sequence[str]) -> None:
        self._reasoning = ReasoningPieces(fields)
        self._calls = ToolCallPieces()
        self._text: list[str] = []
        self._id: str | None = None
        self._model: str | None = None
        self._finish: str | None = None
        self._usage = Usage()

    @property
    def text(self) -> str:
        """What was said so far."""
        return "".join(self._text)

    def add_envelope(self, body: Mapping[str, Any]) -> None:
        """Take what stands around the choices; the first id and the last usage count."""
        self._id = self._id or _text(body.get("id")) or None
        self._model = self._model or _text(body.get("model")) or None
        if isinstance(body.get("usage"), Mapping):
            self._usage = _usage(body["usage"])

    def add(self, message: Mapping[str, Any]) -> Iterator[Delta]:
        """Take a message, or the next piece of one, and yield what can be shown of it.

        A refusal is what the model says, so it is text. The old `function_call` is a tool call.
        """
        yield from self._reasoning.add(message)
        for text in (*_texts(message.get("content")), _text(message.get("refusal"))):
            if text:
                self._text.append(text)
                yield TextDelta(text)
        if isinstance(message.get("function_call"), Mapping):
            self._calls.add({"function": message["function_call"]}, 0)

    def add_calls(self, calls: object, *, in_places: bool) -> None:
        """Take tool calls; `in_places` says that the list is whole and its order their place."""
        for place, piece in enumerate(_mappings(calls)):
            self._calls.add(piece, place if in_places else None)

    def finish(self, reason: object) -> None:
        """Take the reason for which the endpoint says it stopped."""
        self._finish = _text(reason) or self._finish

    def reply(self, *, ended: bool) -> Reply:
        """Return the whole; `ended` says that the endpoint said it was."""
        return Reply(
            response_id=self._id,
            model=self._model,
            text=self.text,
            reasoning=self._reasoning.whole(),
            tool_requests=self._calls.requests(),
            finish_reason=self._finish,
            is_cut=self._finish in CUT or (self._finish is None and not ended),
            usage=self._usage,
        )


class StreamReader:
    """Reads a streamed reply, chunk by chunk."""

    __slots__ = ("_errors", "_pieces", "_seen", "is_done")

    def __init__(self, fields: Sequence[str], errors: WireErrors) -> None:
        self._errors = errors
        self._pieces = ReplyPieces(fields)
        self._seen = False
        self.is_done = False
        """Whether the wire's own end was seen."""

    def feed(self, event: str | None, data: str) -> Iterator[Delta]:
        """Take the data of one event; `ValueError` for what cannot be read.

        Raises the stream error for a failure that the endpoint reports.
        """
        if data.strip() == DONE:
            self.is_done = True
            return iter(())
        try:
            chunk = json.loads(data)
        except RecursionError:
            raise ValueError("is nested too deeply") from None
        if not isinstance(chunk, Mapping):
            raise ValueError(f"must be a JSON object, not {in_short(chunk)}")
        return iter(list(self._deltas(cast("Mapping[str, Any]", chunk))))

    def reply(self) -> Reply:
        """Return the whole reply; raises the stream error where there never was any."""
        if not self._seen and not self.is_done:
            raise self._errors.stream("the stream ended without a single piece of a reply")
        return self._pieces.reply(ended=self.is_done)

    def _deltas(self, chunk: Mapping[str, Any]) -> Iterator[Delta]:
        if chunk.get("error"):
            message = f"the endpoint reported a failure in mid-stream: {error_message(chunk)}"
            raise self._errors.stream(message, partial=self._pieces.text)
        self._pieces.add_envelope(chunk)
        choice = _first_choice(chunk)
        if choice is None:
            return
        self._seen = True
        delta = as_mapping(choice.get("delta"))
        yield from self._pieces.add(delta)
        self._pieces.add_calls(delta.get("tool_calls"), in_places=False)
        self._pieces.finish(choice.get("finish_reason"))


def whole_reply(body: Mapping[str, Any], fields: Sequence[str], errors: WireErrors) -> Reply:
    """Return a reply that came in one piece; raises the http error where the body holds none."""
    choice = None if body.get("error") else _first_choice(body)
    if choice is None:
        said = error_message(body)
        raise errors.http(f"the body holds no reply: {said}", http_status=200)
    pieces = ReplyPieces(fields)
    pieces.add_envelope(body)
    message = as_mapping(choice.get("message"))
    for _ in pieces.add(message):
        pass  # what can be shown is shown whole, from the reply
    pieces.add_calls(message.get("tool_calls"), in_places=True)
    pieces.finish(choice.get("finish_reason"))
    return pieces.reply(ended=True)


def error_message(body: Mapping[str, Any]) -> str:
    """Return what an endpoint says went wrong."""
    error = body.get("error")
    said = as_mapping(error).get("message") or error or body
    return said if isinstance(said, str) else in_short(said)


def _first_choice(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the choice that is read; endpoints also send none at all, and choices of null."""
    return next(
        (it for it in _mappings(body.get("choices")) if it.get("index", 0) in (0, None)), None
    )


def _mappings(value: object) -> list[Mapping[str, Any]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, Mapping)]


def _texts(content: object) -> Iterator[str]:
    """Yield the texts of a content, which is text or a list of parts."""
    yield _text(content)
    for part in _mappings(content):
        yield _text(part.get("text")) or _text(part.get("refusal"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _usage(usage: Mapping[str, Any]) -> Usage:
    given = as_mapping(usage.get("prompt_tokens_details"))
    made = as_mapping(usage.get("completion_tokens_details"))
    return Usage(
        input_tokens=token_number(usage.get("prompt_tokens")),
        output_tokens=token_number(usage.get("completion_tokens")),
        cached_tokens=token_number(given.get("cached_tokens")),
        reasoning_tokens=token_number(made.get("reasoning_tokens")),
    )
