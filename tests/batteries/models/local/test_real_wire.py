"""A real model over a real wire, with OpenAI's own client as a second opinion.

The endpoint is the HTTP server that llama.cpp brings along. Each of the askers below sends the same
messages. All find the prompt in the model's cache up to its last token, so that the numbers that
the model computes, and with them the words, are the same to the last digit.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from openai import AsyncOpenAI

from support.local_engine import SAME_PROMPT, said, talk
from tether.batteries.models.chat_completions import ChatCompletions
from tether.batteries.models.local import Endpoint, LocalEngine, LocalModel

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "minimal_assembly.py"


@pytest.fixture
async def endpoint(engine: LocalEngine) -> Endpoint:
    """Where the model listens, with the prompt of `talk` in its cache."""
    assert said(await talk(LocalModel(engine, **SAME_PROMPT)))
    return await engine.endpoint()


async def test_our_executor_and_openais_client_get_the_same_words(
    engine: LocalEngine, endpoint: Endpoint
) -> None:
    bodies: list[dict[str, Any]] = []

    async def note(request: httpx2.Request) -> None:
        bodies.append(json.loads(await request.aread()))

    answers: dict[str, str] = {}
    fresh = httpx2.Limits(max_keepalive_connections=0)  # the engine closes idle ones on its own
    async with httpx2.AsyncClient(event_hooks={"request": [note]}, limits=fresh) as http:
        for stream in (True, False):
            model = ChatCompletions(
                client=http,
                model=engine.name,
                base_url=endpoint.base_url,
                api_key=endpoint.api_key,
                stream=stream,
                **SAME_PROMPT,
            )
            run = await talk(model)
            assert run.errors == []
            assert (len(run.of("message")) > 3) is stream
            (answers[f"ours, {stream=}"],) = said(run)
    async with AsyncOpenAI(
        base_url=endpoint.base_url, api_key=endpoint.api_key, max_retries=0
    ) as client:
        for body in bodies:
            answers[f"theirs, stream={body['stream']}"] = await asked(client, body)
    (answers["in the process"],) = said(await talk(LocalModel(engine, **SAME_PROMPT)))
    assert len(answers) == 5
    assert len(set(answers.values())) == 1, answers
    assert next(iter(answers.values())).strip()


async def asked(client: AsyncOpenAI, body: dict[str, Any]) -> str:
    """Return what OpenAI's client gets for the very body that our executor sent."""
    if not body["stream"]:
        whole = await client.chat.completions.create(**body)
        return str(whole.choices[0].message.content)
    pieces: list[str] = []
    async with await client.chat.completions.create(**body) as stream:
        async for chunk in cast("Any", stream):
            pieces += [choice.delta.content or "" for choice in chunk.choices]
    assert len(pieces) > 3
    return "".join(pieces)


async def test_the_minimal_assembly_streams_a_real_models_words(endpoint: Endpoint) -> None:
    """As a reader of the README runs it. The model may talk for long: the beginning is enough."""
    settings = {
        "OPENAI_BASE_URL": endpoint.base_url,
        "OPENAI_API_KEY": endpoint.api_key,
        "OPENAI_MODEL": "SmolLM2",
        "PYTHONIOENCODING": "utf-8",
    }
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", str(EXAMPLE), "Tell me a long story."),
        env=os.environ | settings,
        stdout=asyncio.subprocess.PIPE,
    )
    assert program.stdout is not None
    pieces = [await program.stdout.read(1 << 16) for _ in range(3)]
    ended_by_itself = program.returncode is not None
    program.terminate()
    await program.communicate()
    assert all(pieces), "the program ended before it had said three words"
    assert b"".join(pieces).decode().strip()
    assert not ended_by_itself, "all came at once, at the end"
