"""A real model in this process: it answers, stops when it is told to, and serves one at a time."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from support.local_engine import HELLO, WINDOW, Watch, answer, word
from tether.batteries.budget.errors import ModelContextOverflow
from tether.batteries.models.errors import InvalidModelOptions, LocalModelFailed
from tether.batteries.models.local.engine import LocalEngine
from tether.batteries.models.local.gguf import LoadProgress
from tether.batteries.models.local.llama import LlamaServer, LlamaSettings
from tether.core.errors import InputRefused
from tether.core.tokens import count_tokens

LONG = HELLO | {"max_tokens": 600, "ignore_eos": True}
"""Would take as many tokens as the window holds, nearly."""


class Cancelling:
    """Asks for a long answer, and cancels once so many pieces of it have come."""

    def __init__(self, engine: LocalEngine, *, after: int) -> None:
        self._left = after
        self.pieces: list[str] = []
        self.task = asyncio.create_task(engine.complete(LONG, self._take))

    def _take(self, piece: str) -> None:
        self.pieces.append(piece)
        self._left -= 1
        if self._left == 0:
            self.task.cancel()


async def test_the_model_answers_word_by_word_while_the_loop_goes_on(engine: LocalEngine) -> None:
    beats, seen = 0, list[int]()
    task = asyncio.create_task(engine.complete(HELLO, lambda _: seen.append(beats)))
    while not task.done():
        beats += 1
        await asyncio.sleep(0.001)
    await task
    assert len(seen) >= HELLO["max_tokens"]
    assert len(set(seen)) > 3, "the pieces did not come one by one"


async def test_the_answer_is_words_and_ends_with_the_usage(engine: LocalEngine) -> None:
    pieces: list[str] = []
    await engine.complete(HELLO, pieces.append)
    assert "hello" in "".join(map(word, pieces)).lower()
    assert json.loads(pieces[-1])["usage"]["completion_tokens"] == HELLO["max_tokens"]
    assert json.loads(pieces[0])["model"] == engine.name


async def test_the_same_question_gets_the_same_answer_at_temperature_0(engine: LocalEngine) -> None:
    body = HELLO | {"cache_prompt": False}
    assert await answer(engine, body) == await answer(engine, body)


async def test_an_answer_keeps_to_a_json_schema(engine: LocalEngine) -> None:
    schema = {
        "type": "object",
        "properties": {
            "polite": {"type": "boolean"},
            "words": {"type": "array", "items": {"enum": ["hello", "hi"]}, "maxItems": 2},
        },
        "required": ["polite", "words"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "greeting", "schema": schema}}
    said = await answer(engine, HELLO | {"response_format": form, "max_tokens": 60})
    jsonschema.validate(json.loads(said), schema)


async def test_a_cancelled_answer_stops_at_the_next_token_and_the_next_one_works(
    engine: LocalEngine, watch: Watch
) -> None:
    cancelled = Cancelling(engine, after=3)
    with pytest.raises(asyncio.CancelledError):
        await cancelled.task
    assert len(cancelled.pieces) == 3
    assert await answer(engine, HELLO)
    assert watch.pieces[0] < 30, "the model went on"


async def test_a_prompt_is_not_read_to_its_end_for_nobody(
    engine: LocalEngine, watch: Watch
) -> None:
    """Without a listener llama.cpp would read a dozen batches first."""
    await answer(engine, HELLO)
    long = [{"role": "user", "content": "word " * (WINDOW - 200)}]
    task = asyncio.create_task(answer(engine, HELLO | {"messages": long}))
    while len(watch.batches) < 2 or watch.batches[1] == 0:
        await asyncio.sleep(0.001)
    task.cancel()
    assert await answer(engine, HELLO)
    assert task.cancelled()
    assert watch.batches[1] <= 3
    assert watch.pieces[1] == 0


async def test_who_is_cancelled_in_the_queue_never_reaches_the_model(
    engine: LocalEngine, watch: Watch
) -> None:
    first = Cancelling(engine, after=3)
    waiting = asyncio.create_task(engine.complete(HELLO | {"user": "waiting"}, lambda _: None))
    last = asyncio.create_task(answer(engine, HELLO | {"user": "last"}))
    await asyncio.sleep(0)
    waiting.cancel()
    assert await last
    assert waiting.cancelled()
    assert first.task.cancelled()
    assert [body.get("user") for body in watch.bodies] == [None, "last"]
    assert watch.most_at_once == 1


async def test_answers_are_made_one_at_a_time_in_the_order_of_asking(
    engine: LocalEngine, watch: Watch
) -> None:
    bodies = [HELLO | {"user": str(number), "max_tokens": 2} for number in range(4)]
    await asyncio.gather(*(answer(engine, body) for body in bodies))
    assert [body["user"] for body in watch.bodies] == ["0", "1", "2", "3"]
    assert watch.most_at_once == 1


async def test_a_prompt_beyond_the_window_is_a_typed_error_and_the_next_one_works(
    engine: LocalEngine,
) -> None:
    text = "word " * (WINDOW + 1)
    with pytest.raises(ModelContextOverflow) as overflow:
        await answer(engine, {"messages": [{"role": "user", "content": text}]})
    assert overflow.value.limit == WINDOW < overflow.value.total
    assert overflow.value.encoding == engine.encoding
    assert await answer(engine, HELLO)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"response_format": {"type": "poem"}}, "response_format"),
        ({"max_tokens": -5}, "max_tokens"),
        ({"messages": "hello"}, "messages"),
    ],
)
async def test_what_llama_refuses_is_told_and_the_next_one_works(
    engine: LocalEngine, fields: dict[str, Any], why: str
) -> None:
    with pytest.raises(LocalModelFailed, match=why):
        await answer(engine, HELLO | fields)
    assert await answer(engine, HELLO | {"max_tokens": 1})


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": [schema]}
    return schema


@pytest.mark.parametrize(
    ("odd", "why"),
    [(nested(1000), "nested"), (float("nan"), "not JSON"), ({1, 2}, "not JSON")],
)
async def test_a_request_that_llama_must_not_see_is_refused(
    engine: LocalEngine, odd: Any, why: str, watch: Watch
) -> None:
    with pytest.raises(InputRefused, match=why):
        await answer(engine, HELLO | {"odd": odd})


async def test_text_that_utf8_cannot_say_is_replaced(engine: LocalEngine) -> None:
    body = HELLO | {"messages": [{"role": "user", "content": "\ud800?"}], "max_tokens": 1}
    await answer(engine, body)
    assert count_tokens("\ud800", engine.encoding) == count_tokens("?", engine.encoding)


async def test_loading_is_reported_and_leaves_an_exact_counter(smollm2: Path) -> None:
    reports: list[LoadProgress] = []
    async with LocalEngine(
        smollm2, context_window=256, threads=1, cache_prompt=False, on_progress=reports.append
    ) as engine:
        assert not engine.is_loaded
        assert count_tokens("hello", engine.encoding).estimated
        await engine.load()
        assert engine.is_loaded
        assert not count_tokens("hello", engine.encoding).estimated
        LocalEngine(smollm2)  # of the same name: knows nothing yet
        await engine.load()
        assert not count_tokens("hello", engine.encoding).estimated
    size = smollm2.stat().st_size  # noqa: ASYNC240
    assert [report.stage for report in reports if report.stage != "reading"] == [
        "starting",
        "opening",
        "loaded",
    ]
    read = [report.bytes_read for report in reports]
    assert read == sorted(read)
    assert (read[0], read[-1]) == (0, size)
    assert len(set(read)) > 5, "the reading of the file was not reported as it went"
    assert all(report.bytes_total == size for report in reports)
    assert all(earlier.seconds <= later.seconds for earlier, later in pairwise(reports))
    assert not engine.is_loaded
    assert count_tokens("hello", engine.encoding).estimated


async def test_a_model_that_nobody_waits_for_is_not_loaded(smollm2: Path) -> None:
    async def load() -> None:
        await engine.load()

    engine = LocalEngine(smollm2, on_progress=lambda _: loading.cancel())
    loading = asyncio.create_task(load())
    with pytest.raises(asyncio.CancelledError):
        await loading
    await engine.aclose()
    assert not engine.is_loaded


async def test_tokens_are_counted_as_the_model_reads_them(engine: LocalEngine) -> None:
    """The other opinion is the count that llama.cpp makes of whole templated requests."""
    await engine.load()
    empty = await prompt_tokens(engine, "")
    for text in ("hello world", "Grüße, 世界! 🙂", "a\n\n  b\t1234567"):
        counted = count_tokens(text, engine.encoding)
        assert counted == await prompt_tokens(engine, text) - empty
        assert not counted.estimated
    assert count_tokens("", engine.encoding) == 0
    assert count_tokens("<|im_end|>", engine.encoding) > 1, "a payload was read as a command"


async def prompt_tokens(engine: LocalEngine, text: str) -> int:
    body = {"messages": [{"role": "user", "content": text}]}
    return int((await post(engine, "/chat/completions/input_tokens", body))["input_tokens"])


async def post(engine: LocalEngine, path: str, body: Any, *, key: str | None = None) -> Any:
    endpoint = await engine.endpoint()
    request = urllib.request.Request(
        endpoint.base_url + path,
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {endpoint.api_key if key is None else key}",
            "Content-Type": "application/json",
            "Origin": "http://evil.example",
        },
    )

    def asked() -> Any:
        with urllib.request.urlopen(request, timeout=30) as response:
            assert response.headers["Access-Control-Allow-Origin"] in (None, "")
            return json.loads(response.read())

    return await asyncio.to_thread(asked)


async def test_the_http_server_that_llama_brings_is_for_those_who_know_the_key(
    engine: LocalEngine,
) -> None:
    endpoint = await engine.endpoint()
    assert endpoint.base_url.startswith("http://127.0.0.1:")
    assert len(endpoint.api_key) >= 43, "256 bits"
    assert endpoint.api_key not in repr(endpoint)
    with pytest.raises(urllib.error.HTTPError) as refused:
        await post(engine, "/chat/completions/input_tokens", {}, key="guess")
    assert refused.value.code == 401
    refused.value.close()


def test_one_engine_serves_event_loops_one_after_the_other(engine: LocalEngine) -> None:
    answers = {asyncio.run(answer(engine, HELLO)) for _ in range(2)}
    assert len(answers) == 1


async def test_an_engine_can_be_used_after_its_file_was_missing(
    smollm2: Path, tmp_path: Path
) -> None:
    path = tmp_path / smollm2.name
    async with LocalEngine(path, context_window=256, threads=1) as engine:
        with pytest.raises(InputRefused, match="No such file"):
            await answer(engine, HELLO)
        path.write_bytes(b"GGUF")
        with pytest.raises(InputRefused, match="has 4 bytes"):
            await engine.load()
        path.unlink()
        path.symlink_to(smollm2)
        assert await answer(engine, HELLO | {"max_tokens": 1})


async def test_a_window_that_the_model_was_not_trained_for_is_refused(smollm2: Path) -> None:
    async with LocalEngine(smollm2, context_window=8193) as engine:
        with pytest.raises(InputRefused, match="trained for: 8192 tokens"):
            await engine.load()


async def test_a_template_that_is_none_is_the_engines_failure(smollm2: Path) -> None:
    engine = LocalEngine(smollm2, context_window=256, threads=1, chat_template="{{ nope((")
    async with engine:
        with pytest.raises(LocalModelFailed, match="could not load 'SmolLM2"):
            await engine.load()
        assert not engine.is_loaded


async def test_a_template_of_ones_own_takes_the_place_of_the_models(smollm2: Path) -> None:
    template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    engine = LocalEngine(
        smollm2, context_window=256, threads=1, chat_template=template, gpu_layers=1, seed=1
    )
    async with engine:
        assert await prompt_tokens(engine, "hello world") == 2


async def test_without_the_package_the_extra_is_named(
    smollm2: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    async with LocalEngine(smollm2) as engine:
        with pytest.raises(InputRefused, match=r"pip install 'tether\[local\]'"):
            await engine.load()


def test_settings_that_are_none_are_refused_all_at_once() -> None:
    with pytest.raises(InvalidModelOptions) as invalid:
        LocalEngine(
            3,  # type: ignore[arg-type]
            context_window=0,
            threads=0,
            gpu_layers=True,
            seed=-1,
            chat_template=3,  # type: ignore[arg-type]
            cache_prompt="yes",  # type: ignore[arg-type]
            on_progress="loud",  # type: ignore[arg-type]
        )
    assert {problem.path for problem in invalid.value.problems} == {
        *("path", "context_window", "threads", "gpu_layers", "seed"),
        *("chat_template", "cache_prompt", "on_progress"),
    }


async def test_closing_stops_the_answer_refuses_the_queue_and_frees_the_model(
    smollm2: Path, watch: Watch
) -> None:
    engine = LocalEngine(smollm2, context_window=WINDOW, threads=1)
    begun = asyncio.Event()
    running = asyncio.create_task(engine.complete(LONG, lambda _: begun.set()))
    waiting = asyncio.create_task(answer(engine, HELLO))
    await begun.wait()
    await engine.aclose()
    await engine.aclose()
    assert not engine.is_loaded
    for refused in (running, waiting, answer(engine, HELLO), engine.load()):
        with pytest.raises(LocalModelFailed, match="was closed"):
            await refused
    assert watch.pieces[0] < 30, "the model went on"
    assert len(watch.pieces) == 1


def test_a_model_that_was_closed_says_so(smollm2: Path) -> None:
    server = LlamaServer(
        LlamaSettings(
            path=smollm2,
            context_window=256,
            threads=1,
            chat_template=None,
            gpu_layers=0,
            seed=None,
            cache_prompt=True,
        )
    )
    assert server.count_tokens("hello world") == 2
    server.close()
    with pytest.raises(LocalModelFailed, match="does not answer"):
        server.count_tokens("hello world")
    with pytest.raises(LocalModelFailed, match="was closed"):
        server.complete(HELLO, Deaf())


class Deaf:
    """A listener that never was there."""

    def say(self, item: object) -> bool:
        return True


async def test_an_engine_that_is_forgotten_is_closed(smollm2: Path) -> None:
    engine = LocalEngine(smollm2, context_window=256, threads=1)
    await engine.load()
    name, known = f"the local model {engine.name}", set(threading.enumerate())
    del engine
    gc.collect()
    while not any(thread.name == name for thread in known - set(threading.enumerate())):
        await asyncio.sleep(0.01)


LEFT_ALONE = """
import asyncio, contextlib, sys, threading
from tether.batteries.models.local.engine import LocalEngine

begun = threading.Event()
engine = LocalEngine(sys.argv[1], context_window=512, threads=1)
body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 400, "ignore_eos": True}

async def ask():
    with contextlib.suppress(Exception):
        await engine.complete(body, lambda _: begun.set())

threading.Thread(target=asyncio.run, args=(ask(),), daemon=True).start()
begun.wait()
print("leaving")
"""


def test_a_process_ends_although_its_engine_is_answering(smollm2: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LEFT_ALONE, str(smollm2)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "leaving\n", "")
