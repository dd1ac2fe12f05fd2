"""Turns over any wire: a model behind a scripted endpoint, and what both sides saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.faulty_endpoint import FaultyEndpoint
from support.turns import TURN, Ran
from tether import tool
from tether.batteries.models.wire.exchange import Exchange
from tether.batteries.models.wire.executor import ModelExecutor
from tether.batteries.testing import MemoryStorage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from support.faulty_endpoint import Script
    from tether import CallNext, Context
    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import ReplyReader, Wire, WireErrors
    from tether.batteries.models.wire.reply import Reply
    from tether.core.media import Media
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt


async def remember(ctx: Context, call_next: CallNext) -> None:
    """A middleware that reads what was said before."""
    ctx.turn_messages.update(await ctx.fetch_messages())
    await call_next()


def wiping(paths: list[str]) -> Tool:
    """A tool that does the worst when it is called without arguments, and writes down what."""

    @tool
    async def wipe(path: str = "/") -> str:
        """Delete everything below a path."""
        paths.append(path)
        return f"deleted {path}"

    return wipe


class RecordingWire:
    """Another wire that remembers the prompts it made requests of."""

    def __init__(self, inner: Wire) -> None:
        self.inner = inner
        self.prompts: list[Prompt] = []

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def errors(self) -> WireErrors:
        return self.inner.errors

    def url(self, options: ModelOptions) -> str:
        return self.inner.url(options)

    def headers(self, options: ModelOptions) -> Mapping[str, str]:
        return self.inner.headers(options)

    def carries(self, media: Media) -> bool:
        return self.inner.carries(media)

    def request(
        self, options: ModelOptions, prompt: Prompt, tools: Sequence[Tool]
    ) -> dict[str, Any]:
        self.prompts.append(prompt)
        return self.inner.request(options, prompt, tools)

    def reader(self, options: ModelOptions) -> ReplyReader:
        return self.inner.reader(options)

    def reply(self, options: ModelOptions, body: Mapping[str, Any]) -> Reply:
        return self.inner.reply(options, body)


class WireTurn(Ran):
    """A turn that was run, the records it left, and what the endpoint was asked."""

    endpoint: FaultyEndpoint
    storage: MemoryStorage
    prompts: Sequence[Prompt] = ()

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.json() for request in self.endpoint.requests]

    @property
    def status(self) -> str:
        (end,) = self.of("dispatch_end")
        return str(end.status)

    def logged(self, kind: str) -> list[Any]:
        return [entry for entry in self.of("log") if entry.kind == kind]

    @property
    def said(self) -> list[str]:
        return [str(it.content) for it in self.storage.session().messages if it.role == "assistant"]

    @property
    def thought(self) -> list[str]:
        return [str(it.content) for it in self.storage.session().thoughts]


async def run_turn(
    kind: Callable[..., ModelExecutor],
    path: str,
    *scripts: Script,
    messages: Sequence[Any] = (),
    runner: Mapping[str, Any] | None = None,
    **options: Any,
) -> WireTurn:
    """Run one turn of an executor against an endpoint that plays these scripts."""
    async with FaultyEndpoint(*scripts) as endpoint:
        given = {"model": "m", "base_url": endpoint.url + path, "auto_ack": True, **options}
        async with kind(**given) as model:
            return await _ran(endpoint, model, messages, runner or {})


async def run_recorded(
    wire: Wire,
    kind: type[ModelOptions],
    path: str,
    *scripts: Script,
    messages: Sequence[Any] = (),
    runner: Mapping[str, Any] | None = None,
    **options: Any,
) -> WireTurn:
    """Do the same with a wire, whose prompts are kept."""
    recording = RecordingWire(wire)
    async with FaultyEndpoint(*scripts) as endpoint:
        given = {"model": "m", "base_url": endpoint.url + path, "auto_ack": True, **options}
        async with ModelExecutor(recording, kind, Exchange(recording), given) as model:
            turn = await _ran(endpoint, model, messages, runner or {})
    turn.prompts = recording.prompts
    return turn


async def _ran(
    endpoint: FaultyEndpoint,
    model: ModelExecutor,
    messages: Sequence[Any],
    runner: Mapping[str, Any],
) -> WireTurn:
    storage = MemoryStorage(messages=messages)
    given = {"turn_input_pipeline": [remember], **runner}
    turn = WireTurn(model, storage=storage, **given)
    turn.endpoint, turn.storage = endpoint, storage
    await turn.runner.run(TURN)
    return turn
