"""The executor over a wire: each iteration of a dispatch sends one request."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tether.batteries.budget.meter import PromptMeter
from tether.batteries.models.ending import leave_ending
from tether.batteries.models.wire.delivery import ReplyDisplay, deliver, refuse_too_many
from tether.batteries.models.wire.layers import kept_options, merged_options
from tether.batteries.models.wire.reply import as_mapping
from tether.core.errors import Problem, RunError
from tether.core.tokens import count_tokens
from tether.runtime.forge import offered_tools
from tether.runtime.tool import ArtifactTool
from tether.trust.errors import InvalidRenderer
from tether.trust.loader import load_records
from tether.trust.nonces import Nonces
from tether.trust.renderer import Renderer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import Asker, Wire, WireErrors
    from tether.batteries.models.wire.reply import Reply
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers, Log
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt


class ModelExecutor:
    """Calls a model: merges options, renders, counts, sends, shows, stores and runs tool calls.

    Options come in three layers, each overriding the one before: those given here, those of
    `executor()`, and those that a middleware keeps in the stash under `STASH_KEY`. They are checked
    here and again, merged, in every iteration.

    A reply that was cut is stored, and `ending_of` says that it was. A failure of the endpoint
    nacks the dispatch and stores nothing. A prompt that cannot be sent
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
        self._settings({})

    def executor(self, **overrides: Any) -> Self:
        """Return a copy with these options over its own; it shares the connections.

        Subclasses name their keywords for type checkers. Raises the wire's options error.
        """
        twin = copy(self)
        twin._layers = (*self._layers, kept_options(overrides))  # noqa: SLF001  # another of our own kind
        twin._settings({})  # noqa: SLF001
        return twin

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        """Run one iteration."""
        wire, log = self._wire, helpers.log
        stashed = ctx.stash.get(self.STASH_KEY)
        options, renderer = self._settings({} if stashed is None else stashed)
        require_window(options, wire.errors)
        loading = load_records(ctx, carries=wire.carries, encoding=options.token_encoding)
        records = await ctx.abort_signal.guard(loading)
        prompt = renderer.render(records, turn_id=ctx.turn_id, warn=log.warn)
        tools = offered_tools(ctx, forced=_forced_tool(options))
        self._check_tool_choice(options, tools, log)
        counting = counted_prompt(options, prompt, tools, wire.errors, log)
        tokens = await ctx.abort_signal.guard(counting)
        await self._ask(ctx, helpers, options, wire.request(options, prompt, tools), tokens)

    async def aclose(self) -> None:
        """Close the connections, which copies share; an unused executor needs no closing."""
        await self._asker.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _settings(self, stashed: Mapping[str, Any]) -> tuple[ModelOptions, Renderer]:
        """Return the merged options, and the renderer that they describe."""
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
                question_buckets=options.question_buckets,
            )
        except InvalidRenderer as invalid:
            raise error(invalid.problems) from None
        return options, renderer

    def _check_tool_choice(self, options: ModelOptions, tools: Sequence[Tool], log: Log) -> None:
        """Warn of a choice that forces a reader of artifacts, which the next turn does not have."""
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
        """Send the request and deliver the reply; nack on a failure of the endpoint."""
        showing, clock, errors = ReplyDisplay(ctx, helpers), ctx.clock, self._wire.errors
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
        leave_ending(ctx, reply.ending)
        await deliver(ctx, helpers, reply, shown, options=options, errors=errors)


def _is_forged(tool: Tool) -> bool:
    return isinstance(tool, ArtifactTool) and tool.ephemeral


def _forced_tool(options: ModelOptions) -> str | None:
    """Return the tool that `tool_choice` names, in any wire's form."""
    choice = as_mapping(getattr(options, "tool_choice", None))
    return as_mapping(choice.get("function")).get("name") or choice.get("name")


def require_window(options: ModelOptions, errors: WireErrors) -> None:
    """Raise the wire's options error for a `token_encoding` without a `context_window`.

    Not at construction: either may come from another layer of the options.
    """
    if options.token_encoding is not None and options.context_window is None:
        needed = "is required with token_encoding: how many tokens does the model take?"
        raise errors.options([Problem("context_window", needed)])


async def counted_prompt(
    options: ModelOptions, prompt: Prompt, tools: Sequence[Tool], errors: WireErrors, log: Log
) -> int | None:
    """Return the number of tokens in the prompt, None without an encoding to count in.

    Raises the wire's overflow error if it does not fit; a text that is too long on its own is then
    not counted to its end. Other tasks run while a long prompt is counted.
    """
    encoding, limit = options.token_encoding, options.context_window
    if encoding is None or limit is None:
        return None
    meter = PromptMeter(encoding, enough=limit)
    await meter.look_at(prompt)
    per_bucket = meter.measure(prompt, tools)
    total = sum(per_bucket.values())
    usage = {"total": total, "limit": limit, "per_bucket": per_bucket}
    log.debug("context-window-usage", f"{total} of {limit} tokens of {encoding}", usage)
    if total > limit:
        raise errors.overflow(
            total=total,
            limit=limit,
            encoding=encoding,
            per_bucket=per_bucket,
            is_minimum=meter.is_cut_short,
        )
    return total


FINISHED = "generation-finished"
"""The kind of the log entry for a whole reply; its payload contains only known facts."""

FAILED = "generation-failed"
"""The kind of the log entry for a failed request, with the code of its error."""


class Timing(NamedTuple):
    """The duration of a request, and the time until its first delta, if it had any."""

    duration_ms: float
    time_to_first_delta_ms: float | None


def log_finish(
    log: Log,
    reply: Reply,
    timing: Timing,
    *,
    wire: str,
    options: ModelOptions,
    prompt_tokens: int | None,
) -> None:
    """Log a whole reply with its cost; warn if the model was cut short."""
    calls = len(reply.tool_requests)
    if options.stream:
        log.debug("accumulator-finalised", f"{calls} tool calls", {"tool_calls": calls})
    facts = {
        "wire": wire,
        "model": options.model,
        "response_model": reply.model,
        "response_id": reply.response_id,
        "finish_reason": reply.finish_reason,
        "usage": known_usage(options, reply, prompt_tokens),
        "streamed": options.stream,
        "attempts": reply.attempts,
        **timing._asdict(),
    }
    known = {name: fact for name, fact in facts.items() if fact is not None}
    log.info(FINISHED, f"{options.model} finished in {timing.duration_ms:.0f} ms", known)
    if reply.is_cut:
        reason = {"finish_reason": reply.finish_reason}
        log.warn("reply-cut", "the model had to stop before it was done", reason)


def log_failure(
    log: Log, error: RunError, duration_ms: float, *, wire: str, options: ModelOptions
) -> None:
    """Log a request that failed after all attempts."""
    facts = {
        "wire": wire,
        "model": options.model,
        "error": error.code,
        "streamed": options.stream,
        "attempts": getattr(error, "attempts", None),
        "duration_ms": duration_ms,
    }
    known = {name: fact for name, fact in facts.items() if fact is not None}
    log.info(FAILED, f"{options.model} failed: {error.code}", known)


def known_usage(options: ModelOptions, reply: Reply, prompt_tokens: int | None) -> dict[str, Any]:
    """Return the provider's counts, with our own for missing or absurd ones."""
    usage, encoding = reply.usage, options.token_encoding
    is_known = usage.input_tokens is not None and usage.output_tokens is not None
    if is_known or encoding is None or prompt_tokens is None:
        return usage.to_json()
    own = usage._replace(
        input_tokens=prompt_tokens if usage.input_tokens is None else usage.input_tokens,
        output_tokens=_output_tokens(reply, encoding)
        if usage.output_tokens is None
        else usage.output_tokens,
    )
    return own.to_json() | {"estimated": True}


def _output_tokens(reply: Reply, encoding: str) -> int:
    texts = [reply.text, *(part.text for part in reply.reasoning)]
    texts += [text for request in reply.tool_requests for text in (request.name, request.arguments)]
    return sum(count_tokens(text, encoding) for text in texts)
