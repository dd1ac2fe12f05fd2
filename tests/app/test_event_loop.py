"""Entering asyncio: results and errors pass, Ctrl-C and SIGTERM cancel and end with their codes."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from tether.app.event_loop import EventLoop, run_async
from tether.core.errors import Aborted, InputRefused


async def _seven() -> int:
    await asyncio.sleep(0)
    return 7


async def _signalled(number: signal.Signals, cleaned: list[str]) -> None:
    try:
        os.kill(os.getpid(), number)
        await asyncio.sleep(60)
    finally:
        cleaned.append("up")


async def _aborted() -> None:
    raise Aborted("somebody said so")


async def _refused() -> None:
    raise InputRefused("no")


async def _cancelled() -> None:
    raise asyncio.CancelledError


def test_results_and_errors_pass() -> None:
    assert run_async(_seven()) == 7
    with pytest.raises(InputRefused):
        run_async(_refused())
    with pytest.raises(asyncio.CancelledError):
        run_async(_cancelled())


def test_ctrl_c_lets_the_work_clean_up_and_ends_with_130(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cleaned: list[str] = []
    with pytest.raises(SystemExit) as ended:
        run_async(_signalled(signal.SIGINT, cleaned), interrupted=lambda: "Stopped.")
    assert (ended.value.code, cleaned) == (130, ["up"])
    assert capsys.readouterr().err == "Stopped.\n"


def test_an_abort_is_an_interruption(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run_async(_aborted())
    assert ended.value.code == 130
    assert capsys.readouterr().err == "Interrupted.\n"


def test_sigterm_lets_the_work_clean_up_and_ends_with_143() -> None:
    cleaned: list[str] = []
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        run_async(_signalled(signal.SIGTERM, cleaned))
    assert (ended.value.code, cleaned) == (143, ["up"])
    assert signal.getsignal(signal.SIGTERM) == before


def test_work_goes_on_after_an_interruption() -> None:
    """A session survives Ctrl-C in one of its turns; at its prompt Ctrl-C is Python's own."""
    cleaned: list[str] = []
    with EventLoop() as running:
        with pytest.raises(KeyboardInterrupt):
            running.run(_signalled(signal.SIGINT, cleaned))
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert running.run(_seven()) == 7
    assert cleaned == ["up"]
