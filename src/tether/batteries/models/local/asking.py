"""Asking an engine what an exchange asks an endpoint."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tether.batteries.models.local.template_tokens import TokenStripper, strip_template_tokens
from tether.batteries.models.wire.reply import ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tether.batteries.models.local.engine import LocalEngine
    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import Wire
    from tether.batteries.models.wire.reply import Delta, Reply
    from tether.runtime.abort import AbortSignal
    from tether.runtime.reporting import Log


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
        """Return the whole reply; deltas are handed over as they come, if the options say so.

        The limits of time count from the question, the time in the queue included. Raises the
        wire's errors, `LocalModelFailed`, and `Aborted` when the signal goes on: the model then
        stops at its next token.
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
        loop = asyncio.get_running_loop()
        idle_seconds = _seconds(options.stream_idle_timeout_ms)
        whole, idle = asyncio.timeout(_seconds(options.request_timeout_ms)), asyncio.timeout(None)

        def take(data: str) -> None:
            if idle_seconds is not None:
                idle.reschedule(loop.time() + idle_seconds)
            for delta in reader.feed(None, data):
                shown.show(delta)

        try:
            async with whole, idle:
                await self._engine.complete(body, take, log=log)
        except TimeoutError:
            self._raise_if_late(options, whole, idle, shown)
            raise  # somebody else's
        shown.finish()
        return _stripped(reader.reply())

    def _raise_if_late(
        self,
        options: ModelOptions,
        whole: asyncio.Timeout,
        idle: asyncio.Timeout,
        shown: _Shown,
    ) -> None:
        errors, name = self._wire.errors, self._engine.name
        if idle.expired():
            limit = options.stream_idle_timeout_ms
            message = f"{name} made no token for {limit} ms"
            raise errors.stalled(message, partial=shown.text) from None
        if whole.expired():
            limit = options.request_timeout_ms
            message = f"{name} did not finish in {limit} ms"
            phase = "answering" if shown.has_begun else "waiting"
            raise errors.timeout(message, phase=phase) from None


class _Shown:
    """Hands deltas over without template tokens, and keeps what was said."""

    __slots__ = ("_is_wanted", "_on_delta", "_said", "_strippers", "has_begun")

    def __init__(self, on_delta: Callable[[Delta], None], *, is_wanted: bool) -> None:
        self._on_delta = on_delta
        self._is_wanted = is_wanted
        self._strippers: dict[str | None, TokenStripper] = {}
        self._said: list[str] = []
        self.has_begun = False

    @property
    def text(self) -> str:
        """What was said so far."""
        return "".join(self._said)

    def show(self, delta: Delta) -> None:
        """Take the next delta; the fields of reasoning and the text are stripped each by itself."""
        self.has_begun = True
        field = None if isinstance(delta, TextDelta) else delta.field
        stripper = self._strippers.setdefault(field, TokenStripper())
        self._tell(field, stripper.feed(delta.text))

    def finish(self) -> None:
        """Hand over what waited to become a token, and did not."""
        for field, stripper in self._strippers.items():
            self._tell(field, stripper.finish())

    def _tell(self, field: str | None, text: str) -> None:
        if not text:
            return
        if field is None:
            self._said.append(text)
        if self._is_wanted:
            self._on_delta(TextDelta(text) if field is None else ReasoningDelta(field, text))


def _stripped(reply: Reply) -> Reply:
    """Return the reply as it was shown."""
    thoughts = [part._replace(text=strip_template_tokens(part.text)) for part in reply.reasoning]
    text = strip_template_tokens(reply.text)
    return replace(reply, text=text, reasoning=tuple(thoughts))


def _seconds(milliseconds: int) -> float | None:
    return milliseconds / 1000 if milliseconds else None
