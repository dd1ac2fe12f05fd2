"""Whether a prompt fits the model's window: asked before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.batteries.budget.measuring import PromptMeter
from tether.core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import WireErrors
    from tether.runtime.reporting import Log
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt


def require_window(options: ModelOptions, errors: WireErrors) -> None:
    """Raise the wire's options error where tokens can be counted but nothing says how many fit.

    Not at construction: either half may come from another layer of the options.
    """
    if options.token_encoding is not None and options.context_window is None:
        needed = "is required beside token_encoding: how many tokens does the model take?"
        raise errors.options([Problem("context_window", needed)])


async def counted_prompt(
    options: ModelOptions, prompt: Prompt, tools: Sequence[Tool], errors: WireErrors, log: Log
) -> int | None:
    """Return how many tokens the prompt is, None where nothing says how to count them.

    Raises the wire's overflow error where it does not fit; a text that alone is too long is then
    not counted to its end. Other tasks get their turn while a long prompt is counted.
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
