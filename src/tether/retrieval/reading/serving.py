"""The inside of a reading process: take a request, read, answer, until the pipe is closed."""

from __future__ import annotations

import json
import os
from importlib import import_module
from typing import BinaryIO

from tether.retrieval.reading.answers import answer_message
from tether.retrieval.reading.frames import framed, read_frame, request_from
from tether.retrieval.reading.limits import ReadLimits
from tether.retrieval.reading.one import read_one
from tether.retrieval.reading.requests import Reader
from tether.retrieval.reading.restraint import restrain, start_clock, stop_clock

READY = b"ready"
OUT_OF_MEMORY = 77


def serve_process(reader: str, limits: str) -> None:
    """Serve on the standard input and output of this process, which only messages use then.

    `reader` names a function as `module:function`, and `limits` are those of `ReadLimits` as JSON.
    What parsers print or ask goes nowhere.
    """
    requests, answers = _take_standard_streams()
    module, _, name = reader.partition(":")
    function: Reader = getattr(import_module(module), name)
    bounds = ReadLimits(**json.loads(limits))
    restrain(bounds)
    with requests, answers:
        serve(function, bounds, requests, answers)


def serve(reader: Reader, limits: ReadLimits, requests: BinaryIO, answers: BinaryIO) -> None:
    """Say that all is ready, then answer requests until there are no more.

    A lack of memory ends the process with a status of its own instead of an answer: what is left
    of the memory then is not to be trusted.
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
