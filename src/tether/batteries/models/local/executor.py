"""The executor for a local model: its options, its wire, and the replies of its engine."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import field_validator

from tether.batteries.http.limits import Timeouts
from tether.batteries.models.chat_completions.executor import ChatCompletionsWire
from tether.batteries.models.chat_completions.options import ChatCompletionsOptions
from tether.batteries.models.wire.executor import ModelExecutor
from tether.batteries.models.wire.port import MODEL_ERRORS
from tether.batteries.models.wire.reply import ReasoningDelta, TextDelta
from tether.core.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tether.batteries.models.local.engine import LocalEngine
    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import Wire
    from tether.batteries.models.wire.reply import Delta, Reply
    from tether.core.media import Media
    from tether.runtime.abort import AbortSignal
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers, Log


class LocalModelOptions(ChatCompletionsOptions):
    """The options of chat completions, without those about a network."""

    @field_validator(
        *("api_key", "base_url", "connect_timeout_ms", "headers", "retry", "total_timeout_ms"),
        mode="before",
    )
    @classmethod
    def _there_is_no_network(cls, _: object) -> object:
        raise ValueError("is for an endpoint, and this model runs in the process")


class LocalWire(ChatCompletionsWire):
    """The chat-completions protocol without media: the engine takes only text."""

    name = "local"
    errors = MODEL_ERRORS

    def carries(self, media: Media) -> bool:
        """Say whether the wire can carry this asset."""
        return False


class LocalModel(ModelExecutor):
    """A model in a GGUF file, run in this process by an engine that executors share.

        engine = LocalEngine("model.gguf")
        runner = TurnRunner(storage=storage, executor=LocalModel(engine, auto_ack=True))

    The options are those of `LocalModelOptions`. `model`, `context_window` and `token_encoding` are
    the engine's unless given, so the prompt is counted with the model's vocabulary and never sent
    if it does not fit. The first iteration loads the model. Closing an executor does not close the
    engine, which may be shared.

    A missing or unfit file, or a failure of the engine, nacks the dispatch. Raises
    `InvalidModelOptions`, and in an iteration `ModelContextOverflow`.
    """

    STASH_KEY: ClassVar[str] = "local_model"

    def __init__(self, engine: LocalEngine, **options: Any) -> None:
        wire = LocalWire()
        own = {
            "model": engine.name,
            "context_window": engine.context_window,
            "token_encoding": engine.encoding,
        }
        self._engine = engine
        super().__init__(wire, LocalModelOptions, EngineAsker(wire, engine), own | options)

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        """Run one iteration. The model is loaded first, because it counts the prompt."""
        try:
            await ctx.abort_signal.guard(self._engine.load(log=helpers.log))
        except RunError as error:
            if not ctx.is_signalled:
                ctx.nack(error)
            return
        await super().__call__(ctx, helpers)


class EngineAsker:
    """Gets replies from an engine, without the chat-template tokens that a model may write."""

    __slots__ = ("_engine", "_wire")

    def __init__(self, wire: Wire, engine: LocalEngine) -> None:
        self._wire = wire
        self._engine = engine

    async def ask(
        self,
        options: ModelOptions,
        body: Mapping[str, Any],
        *,
        signal: AbortSignal,
        log: Log,
        on_delta: Callable[[Delta], None],
    ) -> Reply:
        """Return the whole reply; deltas go to `on_delta` as they arrive, if the options say so.

        Time limits include the time in the queue. Raises the wire's errors, `LocalModelFailed`, and
        `Aborted` when the signal is set: the model then stops at its next token.
        """
        return await signal.guard(self._ask(options, body, log, on_delta))

    async def aclose(self) -> None:
        """Do nothing: the engine is shared."""

    async def _ask(
        self,
        options: ModelOptions,
        body: Mapping[str, Any],
        log: Log,
        on_delta: Callable[[Delta], None],
    ) -> Reply:
        reader, shown = self._wire.reader(options), _Shown(on_delta, is_wanted=options.stream)
        timeouts = Timeouts(
            whole_ms=options.request_timeout_ms, idle_ms=options.stream_idle_timeout_ms
        )

        def take(data: str) -> None:
            timeouts.restart_idle()
            for delta in reader.feed(None, data):
                shown.show(delta)

        try:
            async with timeouts.running():
                await self._engine.complete(body, take, log=log)
        except TimeoutError:
            self._raise_if_late(options, timeouts, shown)
            raise  # from a time-out outside
        shown.finish()
        return _stripped(reader.reply())

    def _raise_if_late(self, options: ModelOptions, timeouts: Timeouts, shown: _Shown) -> None:
        errors, name = self._wire.errors, self._engine.name
        if timeouts.is_stalled:
            limit = options.stream_idle_timeout_ms
            message = f"{name} produced no token for {limit} ms"
            raise errors.stalled(message, partial=shown.text) from None
        if timeouts.is_over:
            limit = options.request_timeout_ms
            message = f"{name} did not finish in {limit} ms"
            phase = "answering" if shown.has_begun else "waiting"
            raise errors.timeout(message, phase=phase) from None


class _Shown:
    """Passes deltas on without template tokens, and keeps the text."""

    __slots__ = ("_is_wanted", "_on_delta", "_said", "_strippers", "has_begun")

    def __init__(self, on_delta: Callable[[Delta], None], *, is_wanted: bool) -> None:
        self._on_delta = on_delta
        self._is_wanted = is_wanted
        self._strippers: dict[str | None, TokenStripper] = {}
        self._said: list[str] = []
        self.has_begun = False

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._said)

    def show(self, delta: Delta) -> None:
        """Take the next delta; each field of reasoning and the text are stripped separately."""
        self.has_begun = True
        field = None if isinstance(delta, TextDelta) else delta.field
        stripper = self._strippers.setdefault(field, TokenStripper())
        self._pass_on(field, stripper.feed(delta.text))

    def finish(self) -> None:
        """Pass on held-back text that did not become a token."""
        for field, stripper in self._strippers.items():
            self._pass_on(field, stripper.finish())

    def _pass_on(self, field: str | None, text: str) -> None:
        if not text:
            return
        if field is None:
            self._said.append(text)
        if self._is_wanted:
            self._on_delta(TextDelta(text) if field is None else ReasoningDelta(field, text))


def _stripped(reply: Reply) -> Reply:
    """Return the reply without template tokens."""
    thoughts = [part._replace(text=strip_template_tokens(part.text)) for part in reply.reasoning]
    text = strip_template_tokens(reply.text)
    return replace(reply, text=text, reasoning=tuple(thoughts))


TEMPLATE_TOKENS = (
    "<|python_tag|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|turn>",
    "<turn|>",
    "<|tool>",
    "<tool|>",
    "<|tool_response>",
    "<tool_response|>",
    "<eos>",
    "<bos>",
    "<pad>",
    "<s>",
    "</s>",
)
"""The tokens in the templates of Llama, Qwen and SmolLM, Gemma, and Mistral."""

_ANY = re.compile("|".join(map(re.escape, TEMPLATE_TOKENS)))
_BEGUN = frozenset(token[:length] for token in TEMPLATE_TOKENS for length in range(1, len(token)))


def strip_template_tokens(text: str) -> str:
    """Return the text without tokens, including those that appear when others are removed."""
    stripped = _ANY.sub("", text)
    while stripped != text:
        text, stripped = stripped, _ANY.sub("", stripped)
    return stripped


class TokenStripper:
    """Strips a text that arrives in pieces: a possible beginning of a token waits for the rest.

    The returned pieces together equal `strip_template_tokens` of the whole text.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece and return the text that can be shown."""
        text = strip_template_tokens(self._held + piece)
        end = _end_of_shown(text)
        self._held = text[end:]
        return text[:end]

    def finish(self) -> str:
        """Return the text that was held back: it was not a token."""
        rest, self._held = self._held, ""
        return rest


def _end_of_shown(text: str) -> int:
    """Return the start of the incomplete tokens at the end of the text.

    There may be several, since one inside another may yet be completed and removed. Every token has
    its only `<` at the start.
    """
    end = len(text)
    while (begin := text.rfind("<", 0, end)) >= 0 and text[begin:end] in _BEGUN:
        end = begin
    return end
