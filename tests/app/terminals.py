"""A pseudo-terminal with `tether` in it, and an endpoint that is served beside it."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pexpect

from support.faulty_endpoint import FaultyEndpoint, Request, Script

SECONDS = 60
DROPPED = ("COLUMNS", "LINES", "NO_COLOR", "TERM")
"""Variables that say what the terminal of the tests is like."""


@contextmanager
def served(*scripts: Script | Callable[[Request], Script]) -> Generator[FaultyEndpoint]:
    """Yield an endpoint that is served in a thread of its own, as a server elsewhere would be."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    endpoint = FaultyEndpoint(*scripts)
    asyncio.run_coroutine_threadsafe(endpoint.__aenter__(), loop).result(SECONDS)
    try:
        yield endpoint
    finally:
        asyncio.run_coroutine_threadsafe(endpoint.__aexit__(), loop).result(SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(SECONDS)
        loop.close()


@contextmanager
def terminal(
    *words: str | Path, cwd: Path, columns: int = 200, **environ: str
) -> Generator[pexpect.spawn[str]]:
    """Yield `tether` with these words, running in a wide terminal of its own."""
    kept = {name: os.environ[name] for name in os.environ if name not in DROPPED}
    private = {"XDG_STATE_HOME": str(cwd / "state"), "XDG_CONFIG_HOME": str(cwd / "config")}
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tether.app", *map(str, words)],
        cwd=str(cwd),
        env={**kept, "TERM": "xterm-256color", **private, **environ},
        encoding="utf-8",
        timeout=SECONDS,
        dimensions=(50, columns),
    )
    try:
        yield child
    finally:
        child.close(force=True)


def interrupt_typing(child: pexpect.spawn[str]) -> None:
    """Press Ctrl-C at a prompt until there is a new one.

    A signal that comes while the line editor draws a key is noticed at the next key only.
    """
    for _ in range(SECONDS):
        child.sendintr()
        if child.expect(["> ", pexpect.TIMEOUT], timeout=1) == 0:
            return
    raise AssertionError("Ctrl-C brought no new prompt")


def ended(child: pexpect.spawn[str]) -> tuple[int | None, str]:
    """Return the exit code of a process that is about to end, and its last output."""
    child.expect(pexpect.EOF)
    text = child.before or ""
    child.close()
    return child.exitstatus, text
