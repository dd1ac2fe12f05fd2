"""The reader of chat-completions replies, streamed or in one piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tether.batteries.models.chat_completions.calls import ToolCallPieces
from tether.batteries.models.ending import OWN_ENDS
from tether.batteries.models.wire.call_sizes import CallSizes
from tether.batteries.models.wire.reply import (
    Reasoning,
    ReasoningDelta,
    Reply,
    TextDelta,
    Usage,
    as_mapping,
    event_object,
    objects,
    text_or_none,
    token_number,
)
from tether.core.checks import in_short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tether.batteries.models.errors import ModelStreamError
    from tether.batteries.models.wire.port import WireErrors
    from tether.batteries.models.wire.reply import Delta

DONE = "[DONE]"


class ReplyPieces:
    """The known parts of a reply. Only one message is read: the choice with index 0."""

    __slots__ = ("_errors", "_finish", "_id", "_model", "_reasoning", "_text", "_usage", "calls")

    def __init__(
        self, fields: Sequence[str], errors: WireErrors, sizes: CallSizes | None = None
    ) -> None:
        self._errors = errors
        self._reasoning = ReasoningPieces(fields)
        self.calls = ToolCallPieces(sizes or CallSizes())
        self._text: list[str] = []
        self._id: str | None = None
        self._model: str | None = None
        self._finish: str | None = None
        self._usage = Usage()

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._text)

    def add_envelope(self, body: Mapping[str, Any]) -> None:
        """Take the fields around the choices; the first id and the last usage count."""
        self._id = self._id or text_or_none(body.get("id"))
        self._model = self._model or text_or_none(body.get("model"))
        if isinstance(body.get("usage"), Mapping):
            self._usage = _usage(body["usage"])

    def add(self, message: Mapping[str, Any]) -> Iterator[Delta]:
        """Take a message, or the next piece of one, and yield its deltas.

        A refusal is something that the model says, so it is text. The old `function_call` is a tool
        call.
        """
        yield from self._reasoning.add(message)
        for text in (*_texts(message.get("content")), text_or_none(message.get("refusal"))):
            if text:
                self._text.append(text)
                yield TextDelta(text)
        if isinstance(message.get("function_call"), Mapping):
            self.calls.add({"function": message["function_call"]}, 0)

    def finish(self, reason: object) -> None:
        """Take the finish reason."""
        self._finish = text_or_none(reason) or self._finish

    def reply(self, *, ended: bool) -> Reply:
        """Return the whole reply; `ended` says that the endpoint marked its end.

        Raises the stream error if a lost piece may have been a part of a call.
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
            is_cut=not ended if self._finish is None else self._finish not in OWN_ENDS,
            usage=self._usage,
        )


class StreamReader:
    """Reads a streamed reply, chunk by chunk. `sizes` raises for arguments that are too large."""

    __slots__ = ("_errors", "_has_gap", "_pieces", "_seen", "is_done")

    def __init__(
        self, fields: Sequence[str], errors: WireErrors, sizes: CallSizes | None = None
    ) -> None:
        self._errors = errors
        self._pieces = ReplyPieces(fields, errors, sizes)
        self._seen = False
        self._has_gap = False
        self.is_done = False
        """Whether the wire's end marker was seen."""

    def feed(self, event: str | None, data: str) -> Iterator[Delta]:
        """Take the data of one event; raises `ValueError` if it is unreadable.

        Raises the stream error for a failure that the endpoint reports. Unreadable data is a loss
        if the stream continues after it; otherwise it is where the stream broke off.
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
        """Return the whole reply; raises the stream error if there was no piece of one."""
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
    """Return a reply that came in one piece; raises the http error if the body has none."""
    choice = None if is_error(body) else _first_choice(body)
    if choice is None:
        said = error_message(body)
        raise errors.http(f"the body contains no reply: {said}", http_status=200)
    pieces = ReplyPieces(fields, errors)
    pieces.add_envelope(body)
    message = as_mapping(choice.get("message"))
    for _ in pieces.add(message):
        pass  # the deltas are not needed: the reply is shown whole
    pieces.calls.add_all(message.get("tool_calls"), in_places=True)
    pieces.finish(choice.get("finish_reason"))
    return pieces.reply(ended=True)


def is_error(body: Mapping[str, Any]) -> bool:
    """Say whether an endpoint reports a failure, in either of the two usual forms."""
    return bool(body.get("error")) or body.get("object") == "error"


def error_message(body: Mapping[str, Any]) -> str:
    """Return the message of an endpoint's error."""
    error = body.get("error")
    said = as_mapping(error).get("message") or error or body.get("message") or body
    return said if isinstance(said, str) else in_short(said)


def _first_choice(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the choice with index 0; endpoints may send no choices, or null."""
    return next(
        (it for it in objects(body.get("choices")) if it.get("index", 0) in (0, None)), None
    )


def _texts(content: object) -> Iterator[str | None]:
    """Yield the texts of a content, which is a text or a list of parts."""
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


class ReasoningPieces:
    """Assembles reasoning, which endpoints send in one field, in another, or in both.

    Fields with the same text are one piece of reasoning. The field that came first is shown as it
    arrives. Another is held back while it only repeats the first, and is shown from its beginning
    once it differs.
    """

    __slots__ = ("_fields", "_shown", "_texts")

    def __init__(self, fields: Sequence[str]) -> None:
        self._fields = fields
        self._texts: dict[str, str] = {}
        self._shown: set[str] = set()

    def add(self, message: Mapping[str, Any]) -> Iterator[ReasoningDelta]:
        """Take the fields of a message, or of a piece of one, in their order of precedence."""
        pieces = [(name, message.get(name)) for name in self._fields]
        given = [(name, piece) for name, piece in pieces if isinstance(piece, str) and piece]
        for name, piece in given:
            self._texts[name] = self._texts.get(name, "") + piece
        for name, piece in given:
            if name in self._shown:
                yield ReasoningDelta(name, piece)
            elif not self._repeats(name):
                self._shown.add(name)
                yield ReasoningDelta(name, self._texts[name])

    def whole(self) -> tuple[Reasoning, ...]:
        """Return the pieces of reasoning in the order of their beginnings."""
        kept: dict[str, Reasoning] = {}
        for name, text in self._texts.items():
            if name in self._shown or all(text != other.text for other in kept.values()):
                kept[name] = Reasoning(name, text)
        return tuple(kept.values())

    def _repeats(self, name: str) -> bool:
        first = next(iter(self._texts))
        return name != first and self._texts[first].startswith(self._texts[name])
