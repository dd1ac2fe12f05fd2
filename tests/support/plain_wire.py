"""The plainest wire there could be, and what is needed to ask over it without a turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

from tether import AbortSignal, LogEntry
from tether.batteries.budget.errors import ModelContextOverflow
from tether.batteries.models.errors import (
    InvalidModelOptions,
    ModelHttpError,
    ModelInvalidToolCallArgs,
    ModelRequestTimeout,
    ModelStreamError,
    ModelStreamStalled,
)
from tether.batteries.models.wire.exchange import Exchange
from tether.batteries.models.wire.options import ModelOptions
from tether.batteries.models.wire.port import WireErrors
from tether.batteries.models.wire.reply import Delta, ReasoningDelta, Reply, TextDelta
from tether.core.errors import RunError
from tether.core.media import Media
from tether.runtime.clock import SystemClock
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.reports import Log
from tether.runtime.tool import Tool
from tether.trust.prompt import Prompt


class PlainReader:
    """Reads `{"text": …}`, `{"thought": …}`, `{"error": …}` and the end marker `[DONE]`."""

    def __init__(self) -> None:
        self.is_done = False
        self._text = ""

    def feed(self, event: str | None, data: str) -> Iterable[Delta]:
        if data == "[DONE]":
            self.is_done = True
            return []
        body = json.loads(data)
        if not isinstance(body, dict) or not body.keys() & {"text", "thought", "error"}:
            raise ValueError("neither a text nor an error")
        if "error" in body:
            raise ModelStreamError(f"the endpoint says: {body['error']}")
        if "thought" in body:
            return [ReasoningDelta("reasoning", body["thought"])]
        self._text += body["text"]
        return [TextDelta(body["text"])]

    def reply(self) -> Reply:
        if not self._text:
            raise ModelStreamError("the stream said nothing")
        return Reply(text=self._text)


class PlainWire:
    name = "plain"
    errors = WireErrors(
        options=InvalidModelOptions,
        overflow=ModelContextOverflow,
        http=ModelHttpError,
        stream=ModelStreamError,
        stalled=ModelStreamStalled,
        timeout=ModelRequestTimeout,
        tool_args=ModelInvalidToolCallArgs,
    )

    def url(self, options: ModelOptions) -> str:
        return options.endpoint("http://127.0.0.1", "/ask")

    def headers(self, options: ModelOptions) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {options.key()}"} if options.api_key else {}

    def carries(self, media: Media) -> bool:
        return False

    def request(
        self, options: ModelOptions, prompt: Prompt, tools: Sequence[Tool]
    ) -> dict[str, Any]:
        return {}

    def reader(self, options: ModelOptions) -> PlainReader:
        return PlainReader()

    def reply(self, options: ModelOptions, body: Mapping[str, Any]) -> Reply:
        if "text" not in body:
            raise ModelHttpError(f"this is no reply: {json.dumps(body)}")
        return Reply(text=body["text"])


class LogLines:
    """A log outside a turn: `log` writes it, `entries` is what was written."""

    def __init__(self) -> None:
        self.entries: list[LogEntry] = []
        context = SimpleNamespace(
            turn_id="turn", id="dispatch", iteration=1, clock=SystemClock(), record=self._record
        )
        self.log = Log(cast("DispatchContext", context))

    def _record(self, entry: LogEntry) -> None:
        self.entries.append(entry)

    @property
    def kinds(self) -> list[str]:
        return [entry.kind for entry in self.entries]


class Asking:
    """One exchange over the plain wire, and all that came of it."""

    def __init__(self, url: str, exchange: Exchange | None = None, **options: Any) -> None:
        self.exchange = exchange or Exchange(PlainWire(), chance=lambda: 0.5)
        self.options = ModelOptions.model_validate({"model": "m", "base_url": url, **options})
        self.signal = AbortSignal()
        self.lines = LogLines()
        self.said: list[str] = []
        self.on_delta: Callable[[Delta], None] = self._take

    def _take(self, delta: Delta) -> None:
        self.said.append(delta.text)

    async def reply(self, body: Mapping[str, Any] | None = None) -> Reply:
        return await self.exchange.ask(
            self.options,
            body or {"question": "?"},
            signal=self.signal,
            log=self.lines.log,
            on_delta=self.on_delta,
        )

    async def failure(self) -> Any:
        """Return the error that asking ends in."""
        try:
            async with asyncio.timeout(20):
                await self.reply()
        except RunError as error:
            return error
        raise AssertionError("a reply where there should be none")
