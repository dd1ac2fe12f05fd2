"""Reading in processes: every document gets a result, and nothing of any process is left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable, InvalidRetrievalSettings, SourceUnavailable
from tether.retrieval.reading.messages import request_message
from tether.retrieval.reading.process import Process
from tether.retrieval.reading.requests import ReadLimits, ReadRequest, ReadResult
from tether.retrieval.reading.workers import Here, Workers

FAILING = "retrieval.reading.failing_readers:read"
QUICK = ReadLimits(seconds=0.6, megabytes=512)


def request(name: str, data: bytes = b"words", key: str = "") -> ReadRequest:
    return ReadRequest(key=key or name, name=name, data=data)


def said(result: ReadResult) -> str:
    """Return the text of a document, or the reason why there is none."""
    outcome = result.outcome
    return outcome.text if isinstance(outcome, Document) else f"unreadable: {outcome.message}"


def read(names: list[str], limits: ReadLimits = QUICK, count: int = 2) -> list[str]:
    with Workers(count=count, limits=limits, reader=FAILING) as workers:
        return [said(result) for result in workers.read_all(map(request, names))]


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(process: int) -> bool:
    deadline = time.monotonic() + 10
    while is_alive(process) and not is_zombie(process) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(process) or is_zombie(process)


def is_zombie(process: int) -> bool:
    """Return whether a process of another parent has ended, though nobody has asked for it yet."""
    try:
        return ") Z " in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_documents_of_all_kinds_come_back_as_they_are_read_here() -> None:
    requests = [
        ReadRequest(
            key="a.md", name="a.md", data=b"# One\n\nWords. More.\n", url="https://a.example"
        ),
        ReadRequest(key="b.rst", name="b.rst", data=b"Two\n===\n\n* item\n\n``x``_.\n"),
        ReadRequest(key="c", name="c", data=b"<h1>Three</h1><p>Words", content_type="text/html"),
        ReadRequest(key="d.html", name="d.html", data=b"<div></div>"),
        ReadRequest(key="e.txt", name="e.txt", data="Grüße \U0001f600\n".encode()),
        ReadRequest(
            key="f.md", name="f.md", data=b"## What's new?", title="News", anchors="vitepress"
        ),
    ]
    with Workers(count=2) as workers:
        there = list(workers.read_all(requests))
    here = list(Here().read_all(requests))
    assert [result.key for result in there] == ["a.md", "b.rst", "c", "d.html", "e.txt", "f.md"]
    for one, other in zip(there, here, strict=True):
        assert said(one) == said(other)
        if isinstance(one.outcome, Document):
            assert one.outcome == other.outcome


FAILURES = [
    ("hang", "took longer than 0.6 s"),
    ("spin", "took longer than 0.6 s"),
    ("eat-memory", "needs more than 512 MB of memory"),
    ("crash", "crashed (SIGABRT)"),
    ("exit", "crashed (exit status 3)"),
    ("be-killed", "lack of memory"),
    ("refuse", "no reader takes it"),
    ("stumble", "its parser failed: KeyError: '/Root'"),
    ("nest", "its parser failed: RecursionError"),
    ("write-a-file", "No usable temporary directory"),
]


def test_one_bad_document_never_stops_the_rest() -> None:
    names = [name for failure in FAILURES for name in (failure[0], "good")]
    results = read(names)
    for (name, reason), bad, good in zip(FAILURES, results[::2], results[1::2], strict=True):
        assert bad.startswith("unreadable: "), name
        assert reason in bad, name
        assert good == "words", name


def test_a_process_that_ignores_its_clock_is_ended_from_outside() -> None:
    assert read(["ignore-the-clock", "good"], ReadLimits(seconds=0.1)) == [
        "unreadable: reading it took longer than 0.1 s",
        "words",
    ]


def test_what_parsers_print_and_ask_goes_nowhere() -> None:
    assert read(["chatter", "good"]) == ["", "words"]


def test_a_process_sees_no_secret_of_this_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    with (tmp_path / "open").open("wb"):
        environment, opened = read(["tell-environment", "tell-descriptors"], count=1)
    assert set(environment.split()) <= {"LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}
    assert opened == "0 1 2 3 4"


def test_a_document_that_is_too_large_is_not_even_sent() -> None:
    limits = ReadLimits(bytes=1_000_000)
    with Workers(count=1, limits=limits, reader=FAILING) as workers:
        large = [request("a", b"x" * 1_000_001), request("b", b"x" * 1_000_000)]
        results = [said(result) for result in workers.read_all(large)]
    assert results == ["unreadable: it has 1.0 MB, and at most 1 MB are read", "x" * 1_000_000]


def test_an_answer_that_is_too_long_is_refused() -> None:
    limits = ReadLimits(answer_bytes=1_000_000)
    assert read(["long-answer", "good"], limits) == [
        "unreadable: its text is too long: split it",
        "words",
    ]


def test_a_process_is_reused_until_it_is_worn() -> None:
    with Workers(count=1, limits=ReadLimits(documents=3), reader=FAILING) as workers:
        first = [said(result) for result in workers.read_all(map(request, ["tell-process"] * 2))]
        second = [said(result) for result in workers.read_all(map(request, ["tell-process"] * 3))]
    assert len({*first, second[0]}) == 1
    assert len({second[0], *second[1:]}) == 2


def test_results_keep_the_order_of_the_requests_whatever_takes_how_long() -> None:
    names = ["hang", *(f"document {number}" for number in range(20))]
    with Workers(count=2, limits=QUICK, reader=FAILING) as workers:
        results = list(workers.read_all(request(name) for name in names))
    assert [result.key for result in results] == names


def test_requests_are_taken_only_a_few_ahead() -> None:
    taken: list[int] = []

    def requests() -> Iterator[ReadRequest]:
        for number in range(100):
            taken.append(number)
            yield request("good", key=str(number))

    with Workers(count=2, limits=QUICK, reader=FAILING) as workers:
        for given, _ in enumerate(workers.read_all(requests())):
            assert len(taken) <= given + 1 + 4 * 2
    assert len(taken) == 100


def test_nothing_is_left_when_the_consumer_stops_early() -> None:
    before = descriptors()
    with Workers(count=2, reader=FAILING) as workers:
        reading = workers.read_all(map(request, ["tell-process", "hang", "hang", "hang"]))
        process = int(said(next(reading)))
        reading.close()
    assert not is_alive(process)
    assert descriptors() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_nothing_is_left_when_taking_the_requests_fails() -> None:
    def requests() -> Iterator[ReadRequest]:
        yield request("hang")
        raise OSError("the disk is gone")

    before = descriptors()
    with (
        Workers(count=2, reader=FAILING) as workers,
        pytest.raises(OSError, match="the disk is gone"),
    ):
        list(workers.read_all(requests()))
    assert descriptors() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_workers_go_on_after_a_reading_that_was_stopped() -> None:
    with Workers(count=2, reader=FAILING) as workers:
        for _ in workers.read_all(map(request, ["good", "hang"])):
            break
        assert [said(result) for result in workers.read_all([request("good")])] == ["words"]


def test_what_a_process_started_ends_with_it() -> None:
    with Workers(count=1, reader=FAILING) as workers:
        (result,) = workers.read_all([request("leave-a-child")])
        child = int(said(result))
        assert is_alive(child)
    assert wait_until_gone(child)


def test_one_reading_at_a_time() -> None:
    with Workers(count=1, reader=FAILING) as workers:
        first = workers.read_all([request("good"), request("good")])
        next(first)
        with pytest.raises(InvalidRetrievalSettings, match="one set of documents at a time"):
            next(workers.read_all([request("good")]))
        assert said(next(first)) == "words"


def test_no_documents_need_no_process() -> None:
    before = descriptors()
    with Workers(reader=FAILING) as workers:
        assert list(workers.read_all([])) == []
        assert descriptors() == before


def test_a_reader_that_cannot_be_imported_is_no_document_s_fault() -> None:
    with (
        Workers(reader="no.such.module:read") as workers,
        pytest.raises(SourceUnavailable, match="could be started"),
    ):
        list(workers.read_all([request("good")]))


def test_a_stopped_process_is_found_out() -> None:
    limits = ReadLimits(seconds=0.2)
    with Workers(count=1, limits=limits, reader=FAILING) as workers:
        (told,) = workers.read_all([request("tell-process")])
        os.kill(int(said(told)), signal.SIGSTOP)
        (result,) = workers.read_all([request("good", b"x" * 500_000)])
        assert said(result) == "unreadable: reading it took longer than 0.2 s"


def test_a_process_that_ended_while_it_was_idle_costs_no_document() -> None:
    with Workers(count=1, reader=FAILING) as workers:
        (told,) = workers.read_all([request("tell-process")])
        os.kill(int(said(told)), signal.SIGKILL)
        assert wait_until_gone(int(said(told)))
        assert [said(result) for result in workers.read_all([request("good")])] == ["words"]


def test_a_process_is_fed_as_fast_as_it_takes_and_no_faster() -> None:
    process = Process(FAILING, QUICK)
    process.ask(request_message(request("good", b"x" * 5_000_000)))
    for _ in range(9):
        process.feed()
    assert process.has_more_to_send
    os.killpg(process.pid, signal.SIGKILL)
    while process.has_more_to_send:
        process.feed()
    with pytest.raises(EOFError):
        process.listen()
    assert process.end() == -signal.SIGKILL


def test_numbers_of_processes_and_limits_are_positive() -> None:
    with pytest.raises(InvalidRetrievalSettings, match="count: must be at least 1"):
        Workers(count=0)
    with pytest.raises(InvalidRetrievalSettings, match=r"seconds.*bytes"):
        ReadLimits(seconds=0, bytes=-1)


def test_reading_here_gives_results_too_but_no_protection() -> None:
    from retrieval.reading import failing_readers

    here = Here(reader=failing_readers.read)
    results = [said(result) for result in here.read_all(map(request, ["stumble", "good"]))]
    assert results == ["unreadable: its parser failed: KeyError: '/Root'", "words"]
    with pytest.raises(MemoryError):
        list(here.read_all([request("eat-memory-here")]))


def test_a_reason_is_an_error_of_its_own() -> None:
    with Workers(count=1, reader=FAILING) as workers:
        (result,) = workers.read_all([request("refuse")])
    assert isinstance(result.outcome, DocumentUnreadable)
    assert result.outcome.code == "E_DOCUMENT_UNREADABLE"
