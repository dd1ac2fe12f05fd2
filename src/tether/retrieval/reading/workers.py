"""Reads documents in several processes, each of which may hang or crash."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from selectors import EVENT_READ, EVENT_WRITE, PollSelector
from types import TracebackType

from tether.core.errors import Problem
from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable, InvalidRetrievalSettings, SourceUnavailable
from tether.retrieval.readers.dispatch import read_document
from tether.retrieval.reading.messages import answer_from, request_message
from tether.retrieval.reading.process import Process
from tether.retrieval.reading.requests import Reader, ReadLimits, ReadRequest, ReadResult, read_one
from tether.retrieval.reading.server import OUT_OF_MEMORY

READ_DOCUMENT = "tether.retrieval.readers.dispatch:read_document"

_AHEAD = 4
_SECONDS_BETWEEN_LOOKS = 0.25
_OUT_OF_TIME = (-signal.SIGALRM, -signal.SIGXCPU)


class Workers:
    """At most `count` processes that read documents under limits; a context manager.

    Leaving it ends every process. If a document takes too long, needs too much memory or crashes
    its process, the process is replaced and only that document is unreadable. `reader` names the
    reading function as `module:function`; only the processes import it, with the same search path
    as here. Raises `InvalidRetrievalSettings` if `count` is not positive.
    """

    def __init__(
        self, *, count: int = 2, limits: ReadLimits | None = None, reader: str = READ_DOCUMENT
    ) -> None:
        if count < 1:
            raise InvalidRetrievalSettings([Problem("count", f"must be at least 1, not {count}")])
        self._count = count
        self._limits = limits or ReadLimits()
        self._reader = reader
        self._idle: list[Process] = []
        self._is_busy = False

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every idle process; a running `read_all` ends its own."""
        while self._idle:
            self._idle.pop().end()

    def read_all(self, requests: Iterable[ReadRequest]) -> Generator[ReadResult]:
        """Yield one result for each request, in their order.

        Only a few requests are taken ahead of the results, never all at once. Raises
        `SourceUnavailable` if no process starts, `InvalidRetrievalSettings` while another
        `read_all` is running, and whatever the requests raise. If it stops early, the processes at
        work are ended.
        """
        if self._is_busy:
            problem = Problem("workers", "read one set of documents at a time")
            raise InvalidRetrievalSettings([problem])
        self._is_busy = True
        run = Run(self._reader, self._limits, self._count, self._idle, iter(requests))
        try:
            yield from run.results()
        finally:
            run.end()
            self._is_busy = False


class Run:
    """Gives requests to processes and puts the results back into order.

    Results wait for those before them, and at most a few requests for each process are taken ahead,
    so that one slow document delays a limited number of others. Free processes return to `idle`.
    """

    def __init__(
        self,
        reader: str,
        limits: ReadLimits,
        count: int,
        idle: list[Process],
        requests: Iterator[ReadRequest],
    ) -> None:
        self._reader = reader
        self._limits = limits
        self._count = count
        self._idle = idle
        self._requests = requests
        self._busy: dict[Process, tuple[int, str]] = {}
        self._done: dict[int, ReadResult] = {}
        self._taken = 0
        self._given = 0

    def results(self) -> Iterator[ReadResult]:
        """Yield the results in order."""
        while True:
            self._hand_out()
            if self._given in self._done:
                result = self._done.pop(self._given)
                self._given += 1
                yield result
            elif self._busy:
                self._wait()
            else:
                return

    def end(self) -> None:
        """End the processes that still read."""
        while self._busy:
            self._busy.popitem()[0].end()

    def _hand_out(self) -> None:
        while len(self._busy) < self._count and self._taken - self._given < _AHEAD * self._count:
            request = next(self._requests, None)
            if request is None:
                return
            number, self._taken = self._taken, self._taken + 1
            if len(request.data) > self._limits.bytes:
                self._finish(number, request.key, _too_large(request, self._limits))
            else:
                self._begin(number, request)

    def _begin(self, number: int, request: ReadRequest) -> None:
        process = self._free_process()
        self._busy[process] = number, request.key
        process.ask(request_message(request))
        process.feed()

    def _free_process(self) -> Process:
        while self._idle:
            process = self._idle.pop()
            if not process.has_hung_up:
                return process
            process.end()
        return Process(self._reader, self._limits)

    def _finish(self, number: int, key: str, outcome: Document | DocumentUnreadable) -> None:
        self._done[number] = ReadResult(key=key, outcome=outcome)

    def _wait(self) -> None:
        """Wait until a process can be read from or written to, and attend to all of them."""
        events = self._events()
        for process in tuple(self._busy):
            event = events.get(process.output, 0)
            if events.get(process.input, 0):
                process.feed()
            if event:
                self._hear(process)
            elif process.is_late:
                self._bury(process, self._out_of_time())

    def _events(self) -> dict[int, int]:
        with PollSelector() as selector:
            for process in self._busy:
                selector.register(process.output, EVENT_READ)
                if process.has_more_to_send:
                    selector.register(process.input, EVENT_WRITE)
            return {key.fd: event for key, event in selector.select(_SECONDS_BETWEEN_LOOKS)}

    def _hear(self, process: Process) -> None:
        try:
            message = process.listen()
        except EOFError:
            self._bury(process, None)
            return
        if message is not None:
            self._finish(*self._busy.pop(process), answer_from(message))
            self._keep(process)
        elif process.says_too_much:
            self._bury(process, DocumentUnreadable("its text is too long: split it"))

    def _keep(self, process: Process) -> None:
        if process.is_worn:
            process.end()
        else:
            self._idle.append(process)

    def _bury(self, process: Process, reason: DocumentUnreadable | None) -> None:
        """End a process that failed, and record why its document could not be read."""
        number, key = self._busy.pop(process)
        status = process.end()
        if not process.is_ready:
            raise SourceUnavailable(_no_start(status))
        self._finish(number, key, reason or self._cause(status))

    def _out_of_time(self) -> DocumentUnreadable:
        message = f"reading it took longer than {self._limits.seconds:g} s"
        return DocumentUnreadable(message, retryable=True)  # the machine may have been busy

    def _cause(self, status: int) -> DocumentUnreadable:
        if status in _OUT_OF_TIME:
            return self._out_of_time()
        if status == OUT_OF_MEMORY:
            most = self._limits.megabytes
            return DocumentUnreadable(f"reading it needs more than {most} MB of memory")
        if status == -signal.SIGKILL:
            message = "the system ended its reader, most often for lack of memory"
            return DocumentUnreadable(message, retryable=True)
        return DocumentUnreadable(f"its reader crashed ({_named(status)})")


def _named(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


def _too_large(request: ReadRequest, limits: ReadLimits) -> DocumentUnreadable:
    size, most = len(request.data) / 1e6, limits.bytes / 1e6
    return DocumentUnreadable(f"it has {size:.1f} MB, and at most {most:g} MB are read")


def _no_start(status: int) -> str:
    return f"no process that reads documents could be started ({_named(status)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """Reads documents one after the other in the calling thread, without limits."""

    reader: Reader = read_document

    def read_all(self, requests: Iterable[ReadRequest]) -> Iterator[ReadResult]:
        """Yield one result for each request, in their order."""
        for request in requests:
            yield read_one(self.reader, request)
