"""What lies between a turn and its model: rendering, reading a stream, counting tokens.

The floor of each is what one would write without this package: a join of f-strings, a split at
blank lines, a loop over the lines of a response. Token counts are held against tiktoken, which is
the vocabularies' own implementation and written in Rust.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import httpx2
import tiktoken
from bench import measure
from bench.figures import Figure

from tether import (
    Memory,
    Message,
    NoopStorage,
    Retrievable,
    TurnInput,
    TurnRunner,
    count_tokens,
)
from tether.batteries.models.chat_completions import ChatCompletions
from tether.batteries.models.wire.sse import SseParser
from tether.core.bpe import load_encoding
from tether.trust.records import LoadedMessage, LoadedRetrievable, PromptRecords
from tether.trust.renderer import Renderer

MEGABYTE = 1 << 20
DOCS = Path(__file__).parent.parent / "docs"
RECORDS = 100
CHUNKS = 2_000
ENCODING = "o200k_base"
WHEN = datetime(2026, 1, 1, tzinfo=UTC)
PASSAGE = "Retries wait twice as long each time, up to a limit, and stop at once on an abort. " * 5
DELTA = {"choices": [{"index": 0, "delta": {"content": "token "}, "finish_reason": None}]}
EVENT = b"data: " + json.dumps(DELTA, separators=(",", ":")).encode() + b"\n\n"
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

Work = Callable[[], Awaitable[None]]


def take(rounds: int, seconds: float) -> list[Figure]:
    """Measure everything, in the same rounds as its floor."""
    with asyncio.Runner() as runner:
        samples: dict[str, measure.Sample] = {}
        for name, (work, units) in _cases().items():
            samples[name] = measure.repeated(runner, work, units, seconds)
        taken = measure.best(samples, rounds)
    return [
        _cost("render, 100 records", "µs CPU", 1e6, taken),
        _speed("SSE parse", taken),
        _cost("executor, streamed chunk", "µs CPU", 1e6, taken),
        _speed("token count", taken),
    ]


def _cases() -> dict[str, tuple[Work, int]]:
    """Return what is done, and how many units of work it is; speeds are per byte."""
    stream = EVENT * (MEGABYTE // len(EVENT))
    prose = "".join(page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md")))
    return {
        "render, 100 records": (_render(), 1),
        "floor: render, 100 records": (_join(), 1),
        "SSE parse": (_parse(stream), len(stream)),
        "floor: SSE parse": (_split(stream), len(stream)),
        "executor, streamed chunk": (_turn(), CHUNKS),
        "floor: executor, streamed chunk": (_loop(), CHUNKS),
        "token count": (_count(prose), len(prose)),
        "floor: token count": (_count_by_tiktoken(prose), len(prose)),
    }


def _records() -> PromptRecords:
    """Return 40 passages, 20 memories and 40 messages."""
    passages = (
        Retrievable(
            id=f"r{number}",
            content=PASSAGE,
            trust_tier="first-party" if number % 2 else "third-party-public",
            source=f"https://docs.example/{number}",
            created_at=WHEN,
        )
        for number in range(40)
    )
    return PromptRecords(
        system_prompt="You answer from the passages.",
        memories=tuple(
            Memory(id=f"m{n}", content=PASSAGE, confidence=1, importance=1, created_at=WHEN)
            for n in range(20)
        ),
        retrievables=tuple(LoadedRetrievable(passage, PASSAGE) for passage in passages),
        messages=tuple(
            LoadedMessage(
                Message(
                    id=f"t{n}",
                    role="assistant" if n % 2 else "user",
                    content=PASSAGE,
                    created_at=WHEN,
                )
            )
            for n in range(40)
        ),
    )


def _render() -> Work:
    records, renderer = _records(), Renderer()

    async def work() -> None:
        prompt = renderer.render(records, turn_id="turn")
        if len(prompt.timeline) != 40:
            raise RuntimeError("records are missing")

    return work


def _join() -> Work:
    ids = [f"r{number}" for number in range(RECORDS)]

    async def work() -> None:
        blocks = [f'<record id="{id}" createdAt="{WHEN}">\n{PASSAGE}\n</record>' for id in ids]
        if not "\n".join(blocks):
            raise RuntimeError("records are missing")

    return work


def _parse(stream: bytes) -> Work:
    pieces = [stream[start : start + 4096] for start in range(0, len(stream), 4096)]
    expected = stream.count(b"\n\n")

    async def work() -> None:
        parser = SseParser(MEGABYTE)
        if sum(len(parser.feed(piece)) for piece in pieces) != expected:
            raise RuntimeError("events are missing")

    return work


def _split(stream: bytes) -> Work:
    pieces = [stream[start : start + 4096] for start in range(0, len(stream), 4096)]
    expected = stream.count(b"\n\n")

    async def work() -> None:
        rest, found = b"", 0
        for piece in pieces:
            *events, rest = (rest + piece).split(b"\n\n")
            found += len([event[6:].decode() for event in events])
        if found != expected:
            raise RuntimeError("events are missing")

    return work


def _client() -> httpx2.AsyncClient:
    """Return a client that is answered without a network: both sides pay for httpx2 itself."""

    async def stream() -> AsyncIterator[bytes]:
        for _ in range(CHUNKS // 4):
            yield EVENT * 4
        yield END

    def answer(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=stream())

    return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))


def _turn() -> Work:
    shown: list[str] = []
    model = ChatCompletions(
        model="m", base_url="http://endpoint.invalid/v1", auto_ack=True, client=_client()
    )
    runner = TurnRunner(executor=model, storage=NoopStorage())
    runner.on("message", lambda chunk: shown.append(chunk.a_delta))

    async def work() -> None:
        shown.clear()
        await runner.run(TurnInput(system_prompt="You say tokens."))
        if len("".join(shown)) != 6 * CHUNKS:
            raise RuntimeError("chunks are missing")

    return work


def _loop() -> Work:
    client = _client()

    async def work() -> None:
        shown: list[str] = []
        request = client.stream("POST", "http://endpoint.invalid/v1", json={"stream": True})
        async with request as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    delta = json.loads(line[6:])["choices"][0]["delta"]
                    shown.append(delta.get("content", ""))
        if len("".join(shown)) != 6 * CHUNKS:
            raise RuntimeError("chunks are missing")

    return work


def _count(prose: str) -> Work:
    async def work() -> None:
        if not count_tokens(prose, ENCODING):
            raise RuntimeError("tokens are missing")

    return work


def _count_by_tiktoken(prose: str) -> Work:
    """Count with the encoding's own implementation, in Rust, built from our copy of the ranks."""
    definitions = import_module("tiktoken_ext.openai_public")
    with patch.object(definitions, "load_tiktoken_bpe", lambda *_, **__: {}):
        pattern = definitions.ENCODING_CONSTRUCTORS[ENCODING]()["pat_str"]
    ranks = dict(load_encoding(ENCODING).ranks)
    encoding = tiktoken.Encoding(
        ENCODING, pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
    )
    if len(encoding.encode_ordinary(PASSAGE)) != count_tokens(PASSAGE, ENCODING):
        raise RuntimeError("the counts differ")

    async def work() -> None:
        if not encoding.encode_ordinary(prose):
            raise RuntimeError("tokens are missing")

    return work


def _cost(name: str, unit: str, scale: float, taken: dict[str, float]) -> Figure:
    value, floor = taken[name], taken[f"floor: {name}"]
    return {
        "name": name,
        "value": value * scale,
        "unit": unit,
        "baseline": floor * scale,
        "ratio": value / floor,
    }


def _speed(name: str, taken: dict[str, float]) -> Figure:
    """Return megabytes per CPU second; the ratio is still the cost's, so lower is better."""
    value, floor = taken[name], taken[f"floor: {name}"]
    return {
        "name": name,
        "value": 1 / value / MEGABYTE,
        "unit": "MB/CPU-s",
        "baseline": 1 / floor / MEGABYTE,
        "ratio": value / floor,
    }
