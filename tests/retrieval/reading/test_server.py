"""The inside of a reading process, run in a process of its own because it binds what runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from tether.retrieval.document import Document
from tether.retrieval.reading.messages import PREFIX, answer_from, framed, request_message
from tether.retrieval.reading.requests import ReadLimits, ReadRequest

# The limits are lifted again at the end, so that the process can write down what it ran.
PROGRAM = """
import resource, sys
sys.path[:0] = [sys.argv[1]]
from tether.retrieval.reading.server import serve_process
try:
    serve_process(sys.argv[2], sys.argv[3])
finally:
    for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_AS):
        resource.setrlimit(kind, (resource.getrlimit(kind)[1],) * 2)
"""
TESTS = Path(__file__).parents[2]
FAILING = "retrieval.reading.failing_readers:read"


def run(names: list[str], limits: ReadLimits) -> tuple[int, list[bytes]]:
    requests = [ReadRequest(key=name, name=name, data=b"words") for name in names]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(TESTS), FAILING, json.dumps(asdict(limits))],
        input=b"".join(framed(request_message(request)) for request in requests),
        capture_output=True,
        check=False,
    )
    messages: list[bytes] = []
    left = done.stdout
    while left:
        length = PREFIX + int.from_bytes(left[:PREFIX], "big")
        messages.append(left[PREFIX:length])
        left = left[length:]
    return done.returncode, messages


def test_it_is_ready_then_answers_until_the_pipe_is_closed() -> None:
    status, (ready, *answers) = run(["good", "chatter"], ReadLimits())
    outcomes = [answer_from(answer) for answer in answers]
    assert (status, ready) == (0, b"ready")
    assert [outcome.text for outcome in outcomes if isinstance(outcome, Document)] == ["words", ""]


def test_a_lack_of_memory_has_a_status_of_its_own() -> None:
    status, messages = run(["good", "eat-memory", "good"], ReadLimits(megabytes=1_024))
    assert status == 77
    assert len(messages) == 2


def test_limits_beyond_what_the_system_allows_are_what_it_allows() -> None:
    import resource

    from tether.retrieval.reading.server import limit_softly

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        limit_softly(resource.RLIMIT_NOFILE, before[1] + 1)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
