"""The executor over a wire: one iteration of a dispatch is one request."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

from tether.batteries.models.wire.finishing import Timing, log_failure, log_finish
from tether.batteries.models.wire.lenient import kept_options
from tether.batteries.models.wire.options import merged_options
from tether.batteries.models.wire.reply import as_mapping
from tether.batteries.models.wire.settle import refuse_too_many, settle
from tether.batteries.models.wire.showing import Showing
from tether.batteries.models.wire.window import counted_prompt, require_window
from tether.core.errors import InvalidRenderer, Problem, RunError
from tether.runtime.tool import ArtifactTool
from tether.trust.loading import load_records
from tether.trust.nonces import Nonces
from tether.trust.renderer import Renderer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import Asker, Wire
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reporting import Helpers, Log
    from tether.runtime.tool import Tool


class ModelExecutor:
    """Asks a model: merges options, renders, counts, sends, shows, stores and runs what it calls.

    Options come in three layers, the later over the earlier: those given here, those of
    `executor()`, and those that a middleware puts into the stash under `STASH_KEY` for as long as
    they lie there. They are checked here and again, merged, in every iteration.

    What the endpoint does wrong nacks the dispatch and stores nothing. A prompt that cannot be sent
    (options, window, media) raises before any request. An abort does neither.
    """

    STASH_KEY: ClassVar[str] = "model"

    def __init__(
        self, wire: Wire, kind: type[ModelOptions], asker: Asker, options: Mapping[str, Any]
    ) -> None:
        self._wire = wire
        self._kind = kind
        self._asker = asker
        self._nonces = Nonces()
        self._layers: tuple[Mapping[str, Any], ...] = (kept_options(options),)
        self._told({})

    def executor(self, **overrides: Any) -> Self:
        """Return the same executor with other options over its own; it shares the connection.

        Subclasses name their keywords, for type checkers. Raises the wire's options error.
        """
        twin = copy(self)
        twin._layers = (*self._layers, kept_options(overrides))  # noqa: SLF001  # another of our own kind
        twin._told({})  # noqa: SLF001
        return twin

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        """Run one iteration."""
        wire, log = self._wire, helpers.log
        stashed = ctx.stash.get(self.STASH_KEY)
        options, renderer = self._told({} if stashed is None else stashed)
        require_window(options, wire.errors)
        loading = load_records(ctx, carries=wire.carries, encoding=options.token_encoding)
        records = await ctx.abort_signal.guard(loading)
        prompt = renderer.render(records, turn_id=ctx.turn_id, warn=log.warn)
        tools = ctx.tools.visible()
        self._look_at_tool_choice(options, tools, log)
        counting = counted_prompt(options, prompt, tools, wire.errors, log)
        tokens = await ctx.abort_signal.guard(counting)
        await self._ask(ctx, helpers, options, wire.request(options, prompt, tools), tokens)

    async def aclose(self) -> None:
        """Close the connections, of every twin too; an unused executor needs no closing."""
        await self._asker.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _told(self, stashed: Mapping[str, Any]) -> tuple[ModelOptions, Renderer]:
        """Return the merged options, and the renderer that they ask for."""
        error = self._wire.errors.options
        options = merged_options(self._kind, (*self._layers, stashed), error)
        try:
            renderer = Renderer(
                nonces=options.nonces or self._nonces,
                steps=options.steps,
                self_identity=options.self_identity,
                bucket_order=options.bucket_order,
                thought_surfacing=options.thought_surfacing,
                replay_compatibility=options.replay_compatibility,
                unsupported_media=options.unsupported_media,
            )
        except InvalidRenderer as invalid:
            raise error(invalid.problems) from None
        return options, renderer

    def _look_at_tool_choice(self, options: ModelOptions, tools: Sequence[Tool], log: Log) -> None:
        """Warn of a choice that forces a reader of artifacts, which the next turn will not have."""
        forced = _forced_tool(options)
        if not any(_is_forged(tool) and tool.name == forced for tool in tools):
            return
        message = f"the tool {forced!r} reads this turn's artifacts and goes with them"
        if options.strict_tool_choice:
            raise self._wire.errors.options([Problem("tool_choice", message)])
        log.warn("tool-choice-forged-artifact", message, {"tool": forced})

    async def _ask(
        self,
        ctx: DispatchContext,
        helpers: Helpers,
        options: ModelOptions,
        body: Mapping[str, Any],
        tokens: int | None,
    ) -> None:
        """Send the request and settle what comes back; nack what the endpoint did wrong."""
        showing, clock, errors = Showing(ctx, helpers), ctx.clock, self._wire.errors
        started = clock.monotonic()
        try:
            reply = await self._asker.ask(
                options, body, signal=ctx.abort_signal, log=helpers.log, on_delta=showing.show
            )
            refuse_too_many(options, errors, reply)
        except RunError as error:
            spent = (clock.monotonic() - started) * 1000
            log_failure(helpers.log, error, spent, wire=self._wire.name, options=options)
            if not ctx.is_signalled:
                ctx.nack(error)
            return
        first = None if showing.first_at is None else (showing.first_at - started) * 1000
        timing = Timing((clock.monotonic() - started) * 1000, first)
        wire = self._wire.name
        log_finish(helpers.log, reply, timing, wire=wire, options=options, prompt_tokens=tokens)
        shown = showing.complete(reply)
        await settle(ctx, helpers, reply, shown, options=options, errors=errors)


def _is_forged(tool: Tool) -> bool:
    return isinstance(tool, ArtifactTool) and tool.ephemeral


def _forced_tool(options: ModelOptions) -> str | None:
    """Return the tool that the wire's `tool_choice` names, in any of the wires' forms."""
    choice = as_mapping(getattr(options, "tool_choice", None))
    return as_mapping(choice.get("function")).get("name") or choice.get("name")
