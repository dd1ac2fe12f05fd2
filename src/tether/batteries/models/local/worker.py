"""A thread that does one thing at a time, in the order in which it was asked to."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tether.core.errors import LocalModelFailed

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_END: Any = object()


class _Task:
    """Something to be done in the thread."""

    __slots__ = ("_work", "future")

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self.future: Future[None] = Future()

    def perform(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001  # raised again where it was asked for
            self.future.set_exception(error)
        else:
            self.future.set_result(None)


def _serve(tasks: SimpleQueue[_Task | None]) -> None:
    """Perform the tasks. None is kept while waiting for the next: its owner may be gone by then."""
    while (task := tasks.get()) is not None:
        task.perform()
        del task


class Line(Generic[T]):
    """What work in the thread says to the one who asked for it, on the asker's own event loop."""

    __slots__ = ("_hung_up", "_loop", "_said", "_stopping")

    def __init__(self, stopping: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._said: asyncio.Queue[T] = asyncio.Queue()
        self._stopping = stopping
        self._hung_up = False

    @property
    def is_dead(self) -> bool:
        """Whether nobody listens any more: the asker is gone, or the worker is being stopped."""
        return self._hung_up or self._stopping.is_set()

    def say(self, item: T) -> bool:
        """Pass something on; return whether it is of no use to go on."""
        if not self.is_dead:
            try:
                self._loop.call_soon_threadsafe(self._said.put_nowait, item)
            except RuntimeError:  # the loop was closed under the asker's feet
                self._hung_up = True
        return self.is_dead

    def end(self, _: object = None) -> None:
        """Say that nothing more will come, also where the worker is being stopped."""
        try:
            self._loop.call_soon_threadsafe(self._said.put_nowait, _END)
        except RuntimeError:  # as above
            self._hung_up = True

    def hang_up(self) -> None:
        """Stop listening."""
        self._hung_up = True

    async def listen(self, receive: Callable[[T], object]) -> None:
        """Hand over what is said, until the end."""
        while (item := await self._said.get()) is not _END:
            receive(item)


class Worker:
    """Runs functions in one thread, first come, first served, for any event loop.

    One at a time because there is one thread: nothing has to be locked. Who is cancelled while
    waiting loses the place at once; who is cancelled while served is not waited for, and what runs
    sees that its line is dead. The thread starts with the first work. It does not keep the process
    alive, so whoever has a worker has to `stop` it in the end: a thread that is killed inside a
    foreign library can take the process with it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._stopping = threading.Event()
        self._closing: Future[None] | None = None
        self._lock = threading.Lock()
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[Line[T]], object], receive: Callable[[T], object]) -> None:
        """Do the work when its turn comes, and hand what it says to `receive` in this task.

        Raises what either of them raises, and `LocalModelFailed` where the worker was closed.
        """
        line: Line[T] = Line(self._stopping)
        with self._lock:
            self._refuse_if_closed()
            future = self._put(lambda: self._perform(work, line))
        future.add_done_callback(line.end)
        try:
            await line.listen(receive)
        finally:
            line.hang_up()
            future.cancel()
        future.result()

    async def close(self, last: Callable[[], object]) -> None:
        """Stop what runs, refuse what waits, do the last thing, and end the thread.

        Closing again waits for the first. It is carried out even if the task that waits for it
        is cancelled.
        """
        await asyncio.shield(asyncio.wrap_future(self._close(last)))

    def stop(self, last: Callable[[], object]) -> None:
        """Close, and block until it is done; for the end of the process, or of the owner."""
        if self._thread is not None:
            self._close(last)
            if self._thread is not threading.current_thread():
                self._thread.join()

    def _close(self, last: Callable[[], object]) -> Future[None]:
        with self._lock:
            if self._closing is None:
                self._stopping.set()
                self._closing = self._put(last)
                self._tasks.put(None)
            return self._closing

    def _put(self, work: Callable[[], object]) -> Future[None]:
        task = _Task(work)
        self._tasks.put(task)
        if self._thread is None:
            self._thread = threading.Thread(
                target=_serve, args=(self._tasks,), name=self._name, daemon=True
            )
            self._thread.start()
        return task.future

    def _perform(self, work: Callable[[Line[T]], object], line: Line[T]) -> None:
        self._refuse_if_closed()
        work(line)

    def _refuse_if_closed(self) -> None:
        if self._stopping.is_set():
            raise LocalModelFailed(f"{self._name} was closed: make a new one to go on")
