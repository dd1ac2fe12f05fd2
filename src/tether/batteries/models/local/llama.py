"""llama.cpp, through the package xllamacpp, which no other file uses.

Its behaviour in version 2026.10: the constructor keeps Python's lock until the model is loaded,
`handle_chat_completions` does not. Errors raised in a callback are swallowed. An answer can be
stopped only from a callback, so requests ask for a callback after each batch of the prompt too,
which also says how much of the prompt was read. The last piece of a stream has timings. A
server always listens on a port: here on the loopback address, with a random key.
"""

from __future__ import annotations

import json
import secrets
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from tether.batteries.budget.errors import ModelContextOverflow
from tether.batteries.models.errors import LocalModelFailed
from tether.batteries.models.local.progress import (
    ReadProgress,
    WriteTimings,
    read_progress,
    write_timings,
)
from tether.core.errors import InputRefused, error_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from xllamacpp import CommonParams, Server

LOOPBACK = "127.0.0.1"
BATCH_ON_CPU = 64
"""Tokens of a prompt between two checks for an abort. More is not faster without a GPU."""

DEEPEST = 100
"""llama.cpp turns a schema into a grammar in time that is exponential in its depth, and cannot be
interrupted."""

COUNTING_SECONDS = 30.0


class Endpoint(NamedTuple):
    """The address of the engine's HTTP server, and its key."""

    base_url: str
    api_key: str

    def __repr__(self) -> str:
        return f"Endpoint(base_url={self.base_url!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaSettings:
    """The settings for running a model."""

    path: Path
    context_window: int
    threads: int | None
    chat_template: str | None
    gpu_layers: int
    seed: int | None
    cache_prompt: bool


class Listener(Protocol):
    """The receiver of an answer."""

    def say(self, item: str | ReadProgress | WriteTimings) -> bool:
        """Take the next piece, as JSON, or news of the progress; return True if nobody needs the
        rest."""
        ...


class LlamaServer:
    """A loaded model. Everything here blocks; `complete` is for one thread at a time."""

    def __init__(self, settings: LlamaSettings) -> None:
        import xllamacpp  # noqa: PLC0415  # 100 MB, and only with tether[local]

        key = secrets.token_urlsafe(32)
        try:
            self._server: Server | None = xllamacpp.Server(
                _filled(xllamacpp.CommonParams(), settings, key)
            )
        except (RuntimeError, ValueError) as error:
            raise LocalModelFailed(
                f"llama.cpp could not load {settings.path.name!r} ({error_text(error)}); it may be "
                f"damaged, of an architecture that this version does not know, too large for the "
                f"memory, or the chat template is invalid"
            ) from error
        # A server that is dropped before its loop has begun waits for its end forever, with
        # Python's lock held. An answer from the loop proves that it runs.
        self._server.handle_metrics()
        self._name = settings.path.name
        self.endpoint = Endpoint(f"{self._server.listening_address}/v1", key)

    def complete(self, body: Mapping[str, Any], listener: Listener) -> None:
        """Answer a request, piece by piece, for as long as somebody listens.

        Raises `LocalModelFailed` if the model or the request fails or nobody listens any longer,
        `ModelContextOverflow` if the prompt is too long, and `InputRefused` for a request that
        llama.cpp must not get.
        """
        answer = _Answer(listener)
        request = _request(body)
        if self._server is None:
            raise LocalModelFailed(f"{self._name!r} was closed")
        try:
            self._server.handle_chat_completions(request, answer.take)
        except (RuntimeError, ValueError) as error:
            raise LocalModelFailed(f"llama.cpp refused: {error_text(error)}") from error
        answer.check(self._name)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in a text, by the model's vocabulary."""
        content = {"content": text, "add_special": False, "parse_special": False}
        return len(self._post("/tokenize", content)["tokens"])

    def close(self) -> None:
        """Stop, and release the memory."""
        self._server = None

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Call the server over HTTP for a function that its methods lack."""
        headers = {
            "Authorization": f"Bearer {self.endpoint.api_key}",
            "Content-Type": "application/json",
        }
        port = urlsplit(self.endpoint.base_url).port
        with closing(HTTPConnection(LOOPBACK, port, timeout=COUNTING_SECONDS)) as connection:
            try:
                connection.request("POST", path, _json(body).encode(), headers)
                return dict(json.loads(connection.getresponse().read()))
            except (OSError, HTTPException, ValueError) as error:
                raise LocalModelFailed(f"{self._name!r} does not answer: {error!r}") from error


def require_package() -> None:
    """Raise `InputRefused` if llama.cpp is not installed."""
    if find_spec("xllamacpp") is None:
        raise InputRefused("a local model needs xllamacpp: pip install 'tether[local]'")


def _filled(params: CommonParams, settings: LlamaSettings, key: str) -> CommonParams:
    """Set the parameters: one request at a time, and only for this process."""
    params.model.path = str(settings.path)
    params.model_alias = {settings.path.name}
    params.n_ctx = settings.context_window
    params.n_parallel = 1
    params.n_gpu_layers = settings.gpu_layers
    params.fit_params = False  # use the given settings, without guessing from the memory
    params.warmup = False  # a trial run with Python's lock held
    if not settings.gpu_layers:
        params.n_batch = params.n_ubatch = BATCH_ON_CPU
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = settings.threads or -1
    if settings.chat_template is not None:
        params.chat_template = settings.chat_template
    if settings.seed is not None:
        params.sampling.seed = settings.seed
    params.cache_prompt = settings.cache_prompt
    params.cache_ram_mib = 0  # else up to 8 GiB of earlier prompts
    params.verbosity = 0
    _shut(params, key)
    return params


def _shut(params: CommonParams, key: str) -> None:
    """Restrict the HTTP server to the necessary functions, and to clients with the key."""
    params.hostnames = [LOOPBACK]
    params.port = 0
    params.api_keys = [key]
    params.cors_origins = ""  # not "*": no web page may read an answer
    params.endpoint_metrics = True  # answered by the server's loop: see where it is made
    params.endpoint_slots = False
    params.ui = False
    params.n_threads_http = 2


def _request(body: Mapping[str, Any]) -> str:
    """Return the request for llama.cpp: always as a stream, so that it can be stopped."""
    if _is_deeper(body, DEEPEST):
        raise InputRefused(f"the request is nested more than {DEEPEST} levels deep")
    asked = {**body, "stream": True, "return_progress": True}
    asked["stream_options"] = {"include_usage": True}
    try:
        return _json(asked)
    except (TypeError, ValueError) as error:
        raise InputRefused(f"the request is not JSON: {error_text(error)}") from error


def _json(value: object) -> str:
    """Return JSON text, with `?` for characters that UTF-8 cannot encode."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace").decode()


def _is_deeper(value: object, levels: int) -> bool:
    if isinstance(value, dict):
        return levels == 0 or any(_is_deeper(item, levels - 1) for item in value.values())
    if isinstance(value, (list, tuple)):
        return levels == 0 or any(_is_deeper(item, levels - 1) for item in value)
    return False


class _Answer:
    """Takes the pieces of one answer, and keeps an error until it can be raised."""

    __slots__ = ("_error", "_listener", "_was_cut")

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._error: Mapping[str, Any] | None = None
        self._was_cut = False

    def take(self, data: str) -> bool:
        """Take the next piece; return True to stop llama.cpp."""
        piece = json.loads(data)
        if "error" in piece:
            self._error = piece["error"]
        elif "prompt_progress" in piece:
            self._was_cut = self._listener.say(read_progress(piece))
        else:
            timings = write_timings(piece)
            if timings is not None:
                self._listener.say(timings)
            self._was_cut = self._listener.say(data)
        return self._was_cut

    def check(self, name: str) -> None:
        """Raise the error, if there was one."""
        if self._error is not None:
            raise _failure(self._error, name)
        if self._was_cut:
            raise LocalModelFailed(f"{name!r} was closed before its answer had ended")


def _failure(error: Mapping[str, Any], name: str) -> Exception:
    total = error.get("n_prompt_tokens")
    if error.get("type") == "exceed_context_size_error" and isinstance(total, int):
        return ModelContextOverflow(
            total=total,
            limit=error["n_ctx"],
            encoding=encoding_of(name),
            per_bucket={"request": total},
        )
    return LocalModelFailed(f"llama.cpp failed: {error.get('message', error)}")


def encoding_of(name: str) -> str:
    """Return the name of a model's encoding for `count_tokens`."""
    return f"gguf:{name}"
