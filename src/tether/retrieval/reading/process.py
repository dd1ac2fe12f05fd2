"""One reading process, seen from outside: started, fed, listened to, and ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import IO, cast

from tether.retrieval.reading.messages import announced, framed, unframed
from tether.retrieval.reading.requests import ReadLimits
from tether.retrieval.reading.server import READY

_PROGRAM = (
    "import json, sys\n"
    "sys.path[:] = json.loads(sys.argv[1])\n"
    "from tether.retrieval.reading.server import serve_process\n"
    "serve_process(sys.argv[2], sys.argv[3])\n"
)
_PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_MOST_AT_ONCE = 1_048_576
_SECONDS_TO_START = 60.0
_SECONDS_OF_GRACE = 2.0


class Process:
    """A process in a separate session that reads one document at a time.

    It gets only its two pipes, and only the environment variables that the interpreter needs, so
    that a file that takes it over finds no secrets. Both pipes are non-blocking: `feed` and
    `listen` do as much as they can at once.
    """

    def __init__(self, reader: str, limits: ReadLimits) -> None:
        self._limits = limits
        self._popen = _started(reader, limits)
        self._unsent = memoryview(b"")
        self._heard = bytearray()
        self._deadline = monotonic() + _SECONDS_TO_START
        self.is_ready = False
        self.served = 0

    @property
    def pid(self) -> int:
        """The id of the process and of its group."""
        return self._popen.pid

    @property
    def input(self) -> int:
        """The descriptor that requests are written to."""
        return _descriptor(self._popen.stdin)

    @property
    def output(self) -> int:
        """The descriptor that answers are read from."""
        return _descriptor(self._popen.stdout)

    @property
    def has_more_to_send(self) -> bool:
        """Whether a part of the request was not sent yet."""
        return bool(self._unsent)

    @property
    def is_late(self) -> bool:
        """Whether it is overdue, although its own clock should have ended it."""
        return monotonic() > self._deadline

    @property
    def says_too_much(self) -> bool:
        """Whether it announced an answer that is longer than the limit."""
        return announced(self._heard) > self._limits.answer_bytes

    @property
    def is_worn(self) -> bool:
        """Whether it has read so many documents that a new process should replace it."""
        return self.served >= self._limits.documents

    def ask(self, message: bytes) -> None:
        """Begin to send a request; the previous one must have been answered."""
        self.served += 1
        self._unsent = memoryview(framed(message))
        if self.is_ready:
            self._allow_one_document()

    def feed(self) -> None:
        """Send as much of the request as the pipe takes."""
        try:
            sent = os.write(self.input, self._unsent[:_MOST_AT_ONCE])
        except BlockingIOError:
            return
        except BrokenPipeError:  # it has ended, which `listen` detects
            sent = len(self._unsent)
        self._unsent = self._unsent[sent:]

    def listen(self) -> bytes | None:
        """Read its output, and return its answer when that is complete.

        Raises `EOFError` if the process has ended.
        """
        said = os.read(self.output, _MOST_AT_ONCE)
        if not said:
            raise EOFError
        self._heard += said
        self._deadline = max(self._deadline, monotonic() + _SECONDS_OF_GRACE)
        message = self._next_message()
        if message == READY and not self.is_ready:
            self.is_ready = True
            self._allow_one_document()
            message = self._next_message()
        return message

    def end(self) -> int:
        """Kill it with its children, and return its exit status, or a signal as a negative number.

        A process that has ended by itself keeps its own status.
        """
        with suppress(subprocess.TimeoutExpired):
            if self.has_hung_up:
                self._popen.wait(_SECONDS_OF_GRACE)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with self._popen as popen:  # closes the pipes and waits
            popen.poll()
        return self._popen.returncode

    @property
    def has_hung_up(self) -> bool:
        """Whether it has ended; valid only while no answer is expected."""
        try:
            return not os.read(self.output, 1)
        except BlockingIOError:
            return False

    def _next_message(self) -> bytes | None:
        message = unframed(self._heard)
        if message is not None:
            del self._heard[: len(framed(b"")) + len(message)]
        return message

    def _allow_one_document(self) -> None:
        self._deadline = monotonic() + self._limits.seconds + _SECONDS_OF_GRACE


def _started(reader: str, limits: ReadLimits) -> subprocess.Popen[bytes]:
    path = json.dumps([str(Path(folder).absolute()) for folder in sys.path])
    bounds = json.dumps(asdict(limits))
    popen = subprocess.Popen(  # noqa: S603  # our own interpreter runs our own program
        [sys.executable, "-I", "-c", _PROGRAM, path, reader, bounds],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        cwd=os.sep,
        env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        start_new_session=True,
    )
    for pipe in (popen.stdin, popen.stdout):
        os.set_blocking(_descriptor(pipe), False)
    return popen


def _descriptor(pipe: IO[bytes] | None) -> int:
    return cast("IO[bytes]", pipe).fileno()  # both are pipes
