"""What a chat-completions endpoint answers, as bytes of HTTP, and a turn that asks it."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from support.faulty_endpoint import FaultyEndpoint, http_response, sse, streamed
from support.turns import TURN, Ran
from tether.batteries.models.chat_completions import ChatCompletions

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from support.faulty_endpoint import Request, Script
    from tether import TurnInput

DONE = "[DONE]"


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One chunk of a stream."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish}
    return {"id": "resp-1", "model": "served", "choices": [choice]}


def piece(index: int | None, arguments: str | None = None, **fields: Any) -> dict[str, Any]:
    """One piece of a tool call; `name` goes where the wire has it."""
    function = {"name": fields.pop("name")} if "name" in fields else {}
    if arguments is not None:
        function["arguments"] = arguments
    placed = {} if index is None else {"index": index}
    return {**placed, **fields, "function": function}


def stream(*chunks: object) -> bytes:
    """A whole stream of chunks, with its end."""
    return streamed(sse(*chunks, DONE))


def said(*texts: str) -> bytes:
    """A stream that says something, piece by piece."""
    return stream(*(delta(content=text) for text in texts), delta("stop"))


def called(*calls: tuple[str, str, str]) -> bytes:
    """A stream that proposes calls, each with its id, its name and its arguments as text."""
    pieces = [piece(at, args, id=id, name=name) for at, (id, name, args) in enumerate(calls)]
    return stream(*(delta(tool_calls=[it]) for it in pieces), delta("tool_calls"))


def whole(message: dict[str, Any], finish: str = "stop", **fields: Any) -> bytes:
    """A reply in one piece."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    body = {"id": "resp-1", "model": "served", "choices": [choice], **fields}
    return http_response(200, body=body)


def tool_call(id: str, name: str, arguments: str) -> dict[str, Any]:
    """A tool call of a reply in one piece."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


class Asked(Ran):
    """A turn against an endpoint, and what the endpoint was asked."""

    endpoint: FaultyEndpoint
    model: ChatCompletions

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.json() for request in self.endpoint.requests]

    def logged(self, kind: str) -> list[Any]:
        return [entry for entry in self.of("log") if entry.kind == kind]

    @property
    def status(self) -> str:
        (end,) = self.of("dispatch_end")
        return str(end.status)


@asynccontextmanager
async def endpoint_of(
    *scripts: Script | Callable[[Request], Script],
    tools: Any = (),
    runner: Any = None,
    **options: Any,
) -> AsyncGenerator[Asked, None]:
    """A runner whose model sits behind a scripted endpoint; nothing was run yet."""
    async with FaultyEndpoint(*scripts) as endpoint:
        settings: dict[str, Any] = {
            "model": "m",
            "base_url": f"{endpoint.url}/v1",
            "auto_ack": True,
            **options,
        }
        async with ChatCompletions(**settings) as model:
            asked = Asked(model, tools=list(tools), **(runner or {}))
            asked.endpoint, asked.model = endpoint, model
            yield asked


async def asked(
    *scripts: Script | Callable[[Request], Script],
    turn: TurnInput = TURN,
    tools: Any = (),
    runner: Any = None,
    **options: Any,
) -> Asked:
    """Run one turn against an endpoint and return what came of it."""
    async with endpoint_of(*scripts, tools=tools, runner=runner, **options) as run:
        await run.runner.run(turn)
        return run


def arguments(body: dict[str, Any]) -> list[Any]:
    """The arguments of the tool calls in a request's history."""
    calls = [call for it in body["messages"] for call in it.get("tool_calls", ())]
    return [json.loads(call["function"]["arguments"]) for call in calls]
