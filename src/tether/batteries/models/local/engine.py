"""The engine that runs a GGUF file: loaded on first use, shared, one completion at a time."""

from __future__ import annotations

import weakref
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tether.batteries.models.errors import InvalidModelOptions
from tether.batteries.models.local.gguf import LoadProgress, LoadReports, read_gguf
from tether.batteries.models.local.llama import (
    LlamaServer,
    LlamaSettings,
    encoding_of,
    require_package,
)
from tether.batteries.models.local.progress import ReadProgress, WorkReports, WriteTimings
from tether.batteries.models.local.worker import Worker
from tether.batteries.models.progress import logged_work
from tether.core.checks import Checks
from tether.core.errors import InputRefused
from tether.core.tokens import count_tokens, register_estimator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from tether.batteries.models.local.llama import Endpoint
    from tether.batteries.models.local.worker import Line
    from tether.batteries.models.progress import OnWork
    from tether.runtime.reports import Log

LOADING = "local-model-loading"
"""The kind of the log entries about loading."""

Said = str | LoadProgress | ReadProgress | WriteTimings
"""The news of a request: a piece of its answer, or how far it is."""

ESTIMATED_LIKE = "llama2"
"""The encoding for token counts while the model is not loaded."""


class LocalEngine:
    """Runs the model of one GGUF file in this process.

    Nothing is read before the first use. Then the model is loaded in a thread, and stays until
    `aclose`, or until the engine is garbage-collected or the process ends. Any number of executors,
    on one event loop after another, may share it: completions run one at a time, in the order of
    the requests.

    `context_window` is the number of tokens for prompt and answer together. llama.cpp chooses
    `threads` unless given. `chat_template` (Jinja) replaces the one in the file; `gpu_layers` is
    the number of layers on a GPU, if the package was built for one; `seed` makes sampling
    repeatable. `cache_prompt` reuses the beginning that a prompt shares with the one before: much
    faster in a conversation, but the last digits of the numbers, and rarely a word, then depend on
    earlier prompts. `on_progress` is called on the event loop that caused the loading.

    Raises `InvalidModelOptions` for unusable settings. In use, raises `InputRefused` if the file or
    the package (`tether[local]`) is missing or unfit, and `LocalModelFailed` if the engine fails or
    was closed; after a failure it can be used again.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        context_window: int = 4096,
        threads: int | None = None,
        chat_template: str | None = None,
        gpu_layers: int = 0,
        seed: int | None = None,
        cache_prompt: bool = True,
        on_progress: Callable[[LoadProgress], object] | None = None,
    ) -> None:
        checks = Checks()
        checks.instance("path", path, (str, PathLike), "the path of a GGUF file")
        checks.whole_number("context_window", context_window)
        checks.whole_number("gpu_layers", gpu_layers, least=0)
        if threads is not None:
            checks.whole_number("threads", threads)
        if seed is not None:
            checks.whole_number("seed", seed, least=0)
        checks.line("chat_template", chat_template)
        checks.flag("cache_prompt", cache_prompt)
        if on_progress is not None:
            checks.function("on_progress", on_progress)
        checks.done(InvalidModelOptions)
        self._settings = LlamaSettings(
            path=Path(path),
            context_window=context_window,
            threads=threads,
            chat_template=chat_template,
            gpu_layers=gpu_layers,
            seed=seed,
            cache_prompt=cache_prompt,
        )
        self._on_progress = on_progress
        self._reading_speed: float | None = None
        self._held = _Held(self._settings)
        self._worker = Worker(f"the local model {self.name}")
        weakref.finalize(self, self._worker.stop, self._held.close)

    @property
    def name(self) -> str:
        """The file's name."""
        return self._settings.path.name

    @property
    def context_window(self) -> int:
        """The number of tokens that fit."""
        return self._settings.context_window

    @property
    def encoding(self) -> str:
        """The encoding of this model for `count_tokens`: exact once the model is loaded.

        Before that, and after closing, the counts are marked as estimates.
        """
        return encoding_of(self.name)

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._held.server is not None

    @property
    def reading_speed(self) -> float | None:
        """The tokens of a prompt that it read in a second, last time; None before the first."""
        return self._reading_speed

    async def pace(self, text: str, on_work: OnWork | None = None) -> float | None:
        """Return the reading speed; where it is not known, read this text to measure it.

        Begin your prompts with the text: they find it read. None for a text that is too short.
        Raises as `complete` does.
        """
        if self._reading_speed is None:
            asked = [{"role": "system", "content": text}, {"role": "user", "content": "Hello"}]
            await self.complete({"messages": asked, "max_tokens": 1}, _ignore, on_work=on_work)
        return self._reading_speed

    async def load(self, *, log: Log | None = None) -> None:
        """Load the model unless it is loaded."""
        server = self._held.server
        if server is None:
            reports = self._reports(log, None)
            await self._worker.run(self._open, lambda progress: self._tell(progress, log, reports))
        else:
            self._held.count_with(server)

    async def complete(
        self,
        body: Mapping[str, Any],
        on_chunk: Callable[[str], object],
        *,
        log: Log | None = None,
        on_work: OnWork | None = None,
    ) -> None:
        """Answer a chat-completions request, when its turn comes.

        Each piece goes to `on_chunk` as the JSON that an endpoint would stream, while the next is
        produced. `on_work` hears what the model is doing; without it the log does. Cancelling
        leaves the queue, or stops the model at the next token. Raises `ModelContextOverflow` for a
        prompt that does not fit.
        """

        reports = self._reports(log, on_work)

        def answer(line: Line[Said]) -> None:
            self._open(line).complete(body, line)

        def receive(said: Said) -> None:
            if isinstance(said, LoadProgress):
                self._tell(said, log, reports)
            elif isinstance(said, ReadProgress):
                self._reading_speed = said.per_second or self._reading_speed
                reports.read(said)
            elif isinstance(said, WriteTimings):
                reports.wrote(said)
            else:
                reports.piece()
                on_chunk(said)

        await self._worker.run(answer, receive)

    async def endpoint(self) -> Endpoint:
        """Load the model, and return the address of its HTTP server, for any client.

        llama.cpp always starts that server: on 127.0.0.1, and only for clients with the key. Its
        requests do not wait in this engine's queue, but in llama.cpp's own.
        """
        server = self._held.server
        if server is not None:
            return server.endpoint
        found: list[Endpoint] = []

        def find(line: Line[LoadProgress]) -> None:
            found.append(self._open(line).endpoint)

        silent = self._reports(None, None)
        await self._worker.run(find, lambda progress: self._tell(progress, None, silent))
        return found[0]

    async def aclose(self) -> None:
        """Stop the running completion, refuse waiting ones, and release the memory permanently."""
        await self._worker.close(self._held.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _open(self, line: Line[Any]) -> LlamaServer:
        return self._held.opened(line.say)

    def _reports(self, log: Log | None, on_work: OnWork | None) -> WorkReports:
        heard = on_work if on_work is not None or log is None else logged_work(log)
        return WorkReports(self.name, heard)

    def _tell(self, progress: LoadProgress, log: Log | None, reports: WorkReports) -> None:
        if log is not None and progress.stage in ("starting", "loaded"):
            megabytes = f"{progress.bytes_total / 1e6:.0f} MB"
            spent = "" if progress.stage == "starting" else f" in {progress.seconds:.1f} s"
            message = f"{progress.stage}: {progress.model}, {megabytes}{spent}"
            log.info(LOADING, message, progress._asdict())
        reports.load(progress)
        if self._on_progress is not None:
            self._on_progress(progress)


class _Held:
    """The state of the worker's thread: the loaded model, if there is one."""

    def __init__(self, settings: LlamaSettings) -> None:
        self._settings = settings
        self._encoding = encoding_of(settings.path.name)
        self.server: LlamaServer | None = None
        register_estimator(self._encoding, _estimate)

    def opened(self, report: Callable[[LoadProgress], bool]) -> LlamaServer:
        """Return the loaded model; load it first if necessary."""
        server = self.server
        if server is None:
            server = self.server = self._load(report)
        self.count_with(server)
        return server

    def count_with(self, server: LlamaServer) -> None:
        """Let the model count its tokens; again, as an engine of the same name may have replaced
        it."""
        register_estimator(self._encoding, server.count_tokens, estimated=False)

    def close(self) -> None:
        if self.server is not None:
            register_estimator(self._encoding, _estimate)
            self.server.close()
            self.server = None

    def _load(self, report: Callable[[LoadProgress], bool]) -> LlamaServer:
        settings = self._settings
        require_package()
        facts = read_gguf(settings.path)
        if settings.context_window > facts.trained_window:
            raise InputRefused(
                f"context_window={settings.context_window} is more than {settings.path.name!r} was "
                f"trained for: {facts.trained_window} tokens"
            )
        reports = LoadReports(settings.path.name, facts.size, report)
        reports.tell("starting")
        reports.read_ahead(settings.path)
        reports.go_on("opening")
        server = LlamaServer(settings)
        reports.tell("loaded")
        return server


def _ignore(_piece: str) -> None: ...


def _estimate(text: str) -> int:
    return int(count_tokens(text, ESTIMATED_LIKE))
