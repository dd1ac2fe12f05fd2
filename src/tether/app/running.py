"""Where the command line enters asyncio, and what Ctrl-C and SIGTERM do meanwhile."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

import click

from tether.app.cli import EXIT_INTERRUPTED
from tether.core.errors import Aborted

T = TypeVar("T")

EXIT_TERMINATED = 143
"""As `EXIT_INTERRUPTED`, for SIGTERM."""


class Running:
    """An event loop that runs one piece of work after the other, for use with `with`.

    While work runs, Ctrl-C cancels it and raises `KeyboardInterrupt` once it has cleaned up after
    itself; a second Ctrl-C does not wait for that. SIGTERM cancels it too and ends the program with
    `SystemExit(143)`. Between two pieces of work both signals do what they did before.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what the work returns; raises what it raises."""
        return self._runner.run(_until_terminated(work))


def run_async(main: Coroutine[Any, Any, T], *, interrupted: str = "Interrupted.") -> T:
    """Return what a command's work returns; raises what it raises.

    Ctrl-C cancels it; once it has cleaned up, the program says `interrupted` and ends with 130.
    """
    try:
        with Running() as running:
            return running.run(main)
    except (KeyboardInterrupt, Aborted):
        click.echo(interrupted, err=True)
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
