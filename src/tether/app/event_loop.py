"""The event loop of the command line, with Ctrl-C and SIGTERM."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, TypeVar

from tether.app.cli import EXIT_INTERRUPTED
from tether.app.terminal.screen import notify
from tether.core.errors import Aborted

T = TypeVar("T")

EXIT_TERMINATED = 143
"""As `EXIT_INTERRUPTED`, for SIGTERM."""


class EventLoop:
    """An event loop that runs one coroutine at a time, for use with `with`.

    While work runs, Ctrl-C cancels it and raises `KeyboardInterrupt` after its clean-up; a second
    Ctrl-C does not wait for that. SIGTERM also cancels it and ends the program with
    `SystemExit(143)`. Between two runs both signals behave as usual.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def __enter__(self) -> EventLoop:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of the work."""
        return self._runner.run(_until_terminated(work))


def run_async(
    main: Coroutine[Any, Any, T], *, interrupted: Callable[[], str] = lambda: "Interrupted."
) -> T:
    """Return the result of a command's work.

    Ctrl-C cancels it; after its clean-up the program prints what `interrupted` returns and ends
    with 130.
    """
    try:
        with EventLoop() as loop:
            return loop.run(main)
    except (KeyboardInterrupt, Aborted):
        notify(interrupted())
        raise SystemExit(EXIT_INTERRUPTED) from None


async def _until_terminated(work: Coroutine[Any, Any, T]) -> T:
    """Run the work; SIGTERM cancels it and ends the program."""
    task = asyncio.ensure_future(work)
    terminated: list[bool] = []

    def terminate() -> None:
        terminated.append(True)
        task.cancel()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, terminate)
    try:
        return await task
    except asyncio.CancelledError:
        if terminated:
            raise SystemExit(EXIT_TERMINATED) from None
        raise
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
