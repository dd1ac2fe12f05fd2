"""Asking the small model one thing, outside of any turn."""

from __future__ import annotations

from collections.abc import Sequence

from tether.ask.model import abortable
from tether.core.errors import InvalidInitialMessageValue
from tether.core.message import Message
from tether.runtime.abort import AbortSignal
from tether.runtime.context import Context
from tether.runtime.dispatch import DispatchRunner
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.loop import Executor
from tether.runtime.pipeline import CallNext
from tether.runtime.raw_dispatch import RawDispatch
from tether.runtime.storage import NoopStorage


def spoken(text: str) -> list[Message]:
    """Return a text as what a person says; nothing where it has no character to be read."""
    try:
        return [Message.user(text)] if text.strip() else []
    except InvalidInitialMessageValue:
        return []


class _Heard(NoopStorage):
    """Keeps what was said last, and nothing else."""

    def __init__(self) -> None:
        self.text = ""

    async def store_message(self, ctx: Context, value: Message) -> None:
        self.text = "" if value.content is None else value.content.render(ctx)


async def ask_helper(
    helper: Executor,
    system_prompt: str,
    messages: Sequence[Message],
    *,
    abort_signal: AbortSignal | None,
) -> str:
    """Return what the helper says to the messages, stripped; "" where it fails or says nothing.

    It is asked once: a helper that does not ack is not called again. What it says is stored
    nowhere, and no tool is offered. Raises `Aborted` where the signal is on afterwards;
    cancellation passes.
    """
    heard = _Heard()
    try:
        await DispatchRunner.dispatch(
            executor=abortable(helper),
            raw=RawDispatch(
                system_prompt=system_prompt,
                storage=heard,
                messages=messages,
                abort_signal=abort_signal,
            ),
            input_pipeline=[_once],
        )
    except Exception:  # noqa: BLE001  # an executor may fail with anything; the search goes on
        heard.text = ""
    if abort_signal is not None:
        abort_signal.raise_if_aborted()
    return heard.text.strip()


async def _once(ctx: DispatchContext, call_next: CallNext) -> None:
    """End a dispatch whose executor was called before: what it said then is what there is."""
    if ctx.iteration:
        ctx.ack()
        return
    await call_next()
