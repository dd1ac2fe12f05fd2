"""The example with a real model, against a server that plays one."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from support.chat_replies import said
from support.faulty_endpoint import FaultyEndpoint, http_response

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "minimal_assembly.py"


async def printed(*words: str, **environment: str) -> tuple[int | None, str, str]:
    """Run the example as a reader would; return its exit status and its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", str(EXAMPLE), *words),
        env=kept | {"PYTHONIOENCODING": "utf-8"} | environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await program.communicate()
    return program.returncode, out.decode(), err.decode()


async def test_it_streams_an_answer_to_the_question() -> None:
    async with FaultyEndpoint(said("Hel", "lo, Ada.")) as endpoint:
        settings = {"OPENAI_BASE_URL": f"{endpoint.url}/v1", "OPENAI_MODEL": "tiny"}
        assert await printed("Hello?", **settings) == (0, "Hello, Ada.\n", "")
    (request,) = endpoint.requests
    body = request.json()
    assert body["model"] == "tiny"
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "Hello?" in body["messages"][1]["content"]


async def test_it_says_what_went_wrong() -> None:
    async with FaultyEndpoint(http_response(401, body={"error": {"message": "who?"}})) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_MODEL": "m", "OPENAI_API_KEY": "k"}
        status, out, err = await printed(**settings)
    assert (status, out) == (0, "")
    assert "E_OPENAI_CHAT_COMPLETIONS_HTTP_ERROR" in err
    assert "401" in err


async def test_it_says_what_it_needs() -> None:
    status, out, err = await printed()
    assert (status, out) == (1, "")
    assert "OPENAI_BASE_URL" in err
