"""A local model as an executor: the chat-completions wire, with an engine in place of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tether.batteries.models.chat_completions.wire import ChatCompletionsWire
from tether.batteries.models.local.asking import EngineAsker
from tether.batteries.models.local.options import LocalModelOptions
from tether.batteries.models.wire.executor import ModelExecutor
from tether.batteries.models.wire.port import WireErrors
from tether.core.errors import (
    InvalidModelOptions,
    ModelContextOverflow,
    ModelHttpError,
    ModelInvalidToolCallArgs,
    ModelRequestTimeout,
    ModelStreamError,
    ModelStreamStalled,
    RunError,
)

if TYPE_CHECKING:
    from tether.batteries.models.local.engine import LocalEngine
    from tether.core.media import Media
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reporting import Helpers

ERRORS = WireErrors(
    options=InvalidModelOptions,
    overflow=ModelContextOverflow,
    http=ModelHttpError,
    stream=ModelStreamError,
    stalled=ModelStreamStalled,
    timeout=ModelRequestTimeout,
    tool_args=ModelInvalidToolCallArgs,
)


class LocalWire(ChatCompletionsWire):
    """The shape of chat completions, without media: only text goes into the engine."""

    name = "local"
    errors = ERRORS

    def carries(self, media: Media) -> bool:
        """Say whether the wire has a form for this asset."""
        return False


class LocalModel(ModelExecutor):
    """A model in a GGUF file, run in this process by an engine that executors share.

        engine = LocalEngine("model.gguf")
        runner = TurnRunner(storage=storage, executor=LocalModel(engine, auto_ack=True))

    The options are those of `LocalModelOptions`. `model`, `context_window` and `token_encoding` are
    the engine's unless given, so the prompt is counted by the model's own vocabulary and never sent
    where it does not fit. The first iteration loads the model. Closing an executor leaves the
    engine to the others: who made the engine closes it.

    A missing or unfit file, and what the engine does wrong, nacks the dispatch. Raises
    `InvalidModelOptions`, and in an iteration `ModelContextOverflow`.
    """

    STASH_KEY: ClassVar[str] = "local_model"

    def __init__(self, engine: LocalEngine, **options: Any) -> None:
        wire = LocalWire()
        own = {
            "model": engine.name,
            "context_window": engine.context_window,
            "token_encoding": engine.encoding,
        }
        self._engine = engine
        super().__init__(wire, LocalModelOptions, EngineAsker(wire, engine), own | options)

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        """Run one iteration. The model is loaded first, because it counts the prompt."""
        try:
            await ctx.abort_signal.guard(self._engine.load(log=helpers.log))
        except RunError as error:
            if not ctx.is_signalled:
                ctx.nack(error)
            return
        await super().__call__(ctx, helpers)
