"""The inside of a reading process: it answers requests until the pipe is closed, under limits."""

from __future__ import annotations

import json
import math
import os
import resource
import signal
from importlib import import_module
from typing import BinaryIO

from tether.retrieval.reading.messages import answer_message, framed, read_frame, request_from
from tether.retrieval.reading.requests import Reader, ReadLimits, read_one

READY = b"ready"
OUT_OF_MEMORY = 77

_MEGABYTE = 1_048_576


def serve_process(reader: str, limits: str) -> None:
    """Serve on the standard input and output of this process, which only messages use then.

    `reader` names a function as `module:function`, and `limits` are those of `ReadLimits` as JSON.
    The output of parsers is discarded.
    """
    requests, answers = _take_standard_streams()
    module, _, name = reader.partition(":")
    function: Reader = getattr(import_module(module), name)
    bounds = ReadLimits(**json.loads(limits))
    restrain(bounds)
    with requests, answers:
        serve(function, bounds, requests, answers)


def serve(reader: Reader, limits: ReadLimits, requests: BinaryIO, answers: BinaryIO) -> None:
    """Report that the process is ready, then answer requests until there are no more.

    A lack of memory ends the process with a special status instead of an answer, because the state
    of the process is unknown then.
    """
    _say(answers, READY)
    while (message := read_frame(requests)) is not None:
        _say(answers, _answer(reader, limits, message))


def _answer(reader: Reader, limits: ReadLimits, message: bytes) -> bytes:
    start_clock(limits.seconds)
    try:
        return answer_message(read_one(reader, request_from(message)).outcome)
    except MemoryError:
        raise SystemExit(OUT_OF_MEMORY) from None
    finally:
        stop_clock()


def _say(answers: BinaryIO, message: bytes) -> None:
    answers.write(framed(message))
    answers.flush()


def _take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return requests, answers


def restrain(limits: ReadLimits) -> None:
    """Limit the memory of this process, and forbid it to write files and core dumps.

    Only the soft limits are set, which suffices against files that confuse a parser.
    """
    limit_softly(resource.RLIMIT_AS, limits.megabytes * _MEGABYTE)
    limit_softly(resource.RLIMIT_FSIZE, 0)
    limit_softly(resource.RLIMIT_CORE, 0)


def start_clock(seconds: float) -> None:
    """Let the system end this process when the time is up, whatever code is running then.

    An unhandled signal ends a process even inside a parser written in C. The limit on processor
    time covers the cases that the clock misses: threads, and a clock that was stopped.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit_softly(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + seconds) + 1)


def stop_clock() -> None:
    """Stop the clock; the limit on processor time is set again each time."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def limit_softly(kind: int, value: int) -> None:
    """Set a soft limit of this process, or the hard limit if that is lower."""
    _, hard = resource.getrlimit(kind)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (allowed, hard))
