"""A chat-completions reply, streamed or in one piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tether.batteries.models.chat_completions.calls import ToolCallPieces
from tether.batteries.models.chat_completions.reasoning import ReasoningPieces
from tether.batteries.models.wire.reading import event_object, objects, text_or_none
from tether.batteries.models.wire.reply import Reply, TextDelta, Usage, as_mapping, token_number
from tether.core.checks import in_short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tether.batteries.models.wire.port import WireErrors
    from tether.batteries.models.wire.reply import Delta
    from tether.core.errors import ModelStreamError

DONE = "[DONE]"
ENDED = frozenset({"stop", "tool_calls", "function_call"})
"""The words by which endpoints say that the model ended by itself. There are many for limits,
filters and failures, so that any other word is taken for one of those."""


class ReplyPieces:
    """What is known of a reply. One message is read: the choice with index 0."""

    __slots__ = ("_errors", "_finish", "_id", "_model", "_reasoning", "_text", "_usage", "calls")

    def __init__(self, fields: Sequence[str], errors: WireErrors) -> None:
        self._errors = errors
        self._reasoning = ReasoningPieces(fields)
        self.calls = ToolCallPieces()
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
        self._id = self._id or text_or_none(body.get("id"))
        self._model = self._model or text_or_none(body.get("model"))
        if isinstance(body.get("usage"), Mapping):
            self._usage = _usage(body["usage"])

    def add(self, message: Mapping[str, Any]) -> Iterator[Delta]:
        """Take a message, or the next piece of one, and yield what can be shown of it.

        A refusal is what the model says, so it is text. The old `function_call` is a tool call.
        """
        yield from self._reasoning.add(message)
        for text in (*_texts(message.get("content")), text_or_none(message.get("refusal"))):
            if text:
                self._text.append(text)
                yield TextDelta(text)
        if isinstance(message.get("function_call"), Mapping):
            self.calls.add({"function": message["function_call"]}, 0)

    def finish(self, reason: object) -> None:
        """Take the reason for which the endpoint says it stopped."""
        self._finish = text_or_none(reason) or self._finish

    def reply(self, *, ended: bool) -> Reply:
        """Return the whole; `ended` says that the endpoint said it was.

        Raises the stream error where something is missing that may have been a part of a call.
        """
        if self.calls.is_damaged:
            damaged = "a part of the reply could not be read, so none of its calls was run"
            raise self._errors.stream(damaged, partial=self.text)
        return Reply(
            response_id=self._id,
            model=self._model,
            text=self.text,
            reasoning=self._reasoning.whole(),
            tool_requests=self.calls.requests(),
            finish_reason=self._finish,
            is_cut=not ended if self._finish is None else self._finish not in ENDED,
            usage=self._usage,
        )


class StreamReader:
    """Reads a streamed reply, chunk by chunk."""

    __slots__ = ("_errors", "_has_gap", "_pieces", "_seen", "is_done")

    def __init__(self, fields: Sequence[str], errors: WireErrors) -> None:
        self._errors = errors
        self._pieces = ReplyPieces(fields, errors)
        self._seen = False
        self._has_gap = False
        self.is_done = False
        """Whether the wire's own end was seen."""

    def feed(self, event: str | None, data: str) -> Iterator[Delta]:
        """Take the data of one event; `ValueError` for what cannot be read.

        Raises the stream error for a failure that the endpoint reports. What cannot be read is a
        loss if the stream goes on behind it; otherwise it is where the stream broke off.
        """
        if self._has_gap:
            self._pieces.calls.lose()
        if data.strip() == DONE:
            self.is_done = True
            return iter(())
        try:
            chunk = event_object(data)
        except ValueError:
            if event == "error":
                raise self._failure(data) from None
            self._has_gap = self._has_gap or bool(data.strip())
            raise
        if event == "error" or is_error(chunk):
            raise self._failure(error_message(chunk))
        return iter(list(self._deltas(chunk)))

    def reply(self) -> Reply:
        """Return the whole reply; raises the stream error where there never was any."""
        if not self._seen:
            raise self._errors.stream("the stream ended without a single piece of a reply")
        return self._pieces.reply(ended=self.is_done)

    def _failure(self, why: str) -> ModelStreamError:
        message = f"the endpoint reported a failure in mid-stream: {why}"
        return self._errors.stream(message, partial=self._pieces.text)

    def _deltas(self, chunk: Mapping[str, Any]) -> Iterator[Delta]:
        self._pieces.add_envelope(chunk)
        choice = _first_choice(chunk)
        if choice is None:
            return
        self._seen = True
        delta = as_mapping(choice.get("delta"))
        yield from self._pieces.add(delta)
        self._pieces.calls.add_all(delta.get("tool_calls"), in_places=False)
        self._pieces.finish(choice.get("finish_reason"))


def whole_reply(body: Mapping[str, Any], fields: Sequence[str], errors: WireErrors) -> Reply:
    """Return a reply that came in one piece; raises the http error where the body holds none."""
    choice = None if is_error(body) else _first_choice(body)
    if choice is None:
        said = error_message(body)
        raise errors.http(f"the body holds no reply: {said}", http_status=200)
    pieces = ReplyPieces(fields, errors)
    pieces.add_envelope(body)
    message = as_mapping(choice.get("message"))
    for _ in pieces.add(message):
        pass  # what can be shown is shown whole, from the reply
    pieces.calls.add_all(message.get("tool_calls"), in_places=True)
    pieces.finish(choice.get("finish_reason"))
    return pieces.reply(ended=True)


def is_error(body: Mapping[str, Any]) -> bool:
    """Say whether an endpoint tells of a failure, in either of the two ways there are."""
    return bool(body.get("error")) or body.get("object") == "error"


def error_message(body: Mapping[str, Any]) -> str:
    """Return what an endpoint says went wrong."""
    error = body.get("error")
    said = as_mapping(error).get("message") or error or body.get("message") or body
    return said if isinstance(said, str) else in_short(said)


def _first_choice(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the choice that is read; endpoints also send none at all, and choices of null."""
    return next(
        (it for it in objects(body.get("choices")) if it.get("index", 0) in (0, None)), None
    )


def _texts(content: object) -> Iterator[str | None]:
    """Yield the texts of a content, which is text or a list of parts."""
    yield text_or_none(content)
    for part in objects(content):
        yield text_or_none(part.get("text")) or text_or_none(part.get("refusal"))


def _usage(usage: Mapping[str, Any]) -> Usage:
    given = as_mapping(usage.get("prompt_tokens_details"))
    made = as_mapping(usage.get("completion_tokens_details"))
    return Usage(
        input_tokens=token_number(usage.get("prompt_tokens")),
        output_tokens=token_number(usage.get("completion_tokens")),
        cached_tokens=token_number(given.get("cached_tokens")),
        reasoning_tokens=token_number(made.get("reasoning_tokens")),
    )
