"""A thread that runs one function at a time, first come, first served."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tether.batteries.models.errors import LocalModelFailed

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_END: Any = object()


class _Task:
    """A function to run in the thread."""

    __slots__ = ("_work", "future")

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self.future: Future[None] = Future()

    def perform(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001  # raised again in the caller
            self.future.set_exception(error)
        else:
            self.future.set_result(None)


def _serve(tasks: SimpleQueue[_Task | None]) -> None:
    """Perform the tasks. No task is kept while waiting for the next: its owner may be gone."""
    while (task := tasks.get()) is not None:
        task.perform()
        del task


class Line(Generic[T]):
    """Passes items from work in the thread to its caller, on the caller's event loop."""

    __slots__ = ("_hung_up", "_loop", "_said", "_stopping")

    def __init__(self, stopping: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._said: asyncio.Queue[T] = asyncio.Queue()
        self._stopping = stopping
        self._hung_up = False

    @property
    def is_dead(self) -> bool:
        """Whether nobody listens: the caller is gone, or the worker is being stopped."""
        return self._hung_up or self._stopping.is_set()

    def say(self, item: T) -> bool:
        """Pass an item on; return True if nobody needs the rest."""
        if not self.is_dead:
            try:
                self._loop.call_soon_threadsafe(self._said.put_nowait, item)
            except RuntimeError:  # the caller's loop was closed
                self._hung_up = True
        return self.is_dead

    def end(self, _: object = None) -> None:
        """Mark the end, even if the worker is being stopped."""
        try:
            self._loop.call_soon_threadsafe(self._said.put_nowait, _END)
        except RuntimeError:  # as above
            self._hung_up = True

    def hang_up(self) -> None:
        """Stop listening."""
        self._hung_up = True

    async def listen(self, receive: Callable[[T], object]) -> None:
        """Pass items to `receive` until the end."""
        while (item := await self._said.get()) is not _END:
            receive(item)


class Worker:
    """Runs functions in one thread, first come, first served, for any event loop.

    One function runs at a time, so nothing needs a lock. A caller that is cancelled while waiting
    leaves the queue at once; one that is cancelled during its work does not wait for it, and the
    work sees that its line is dead. The thread starts with the first work. It does not keep the
    process alive, so the owner of a worker must `stop` it: a thread that is killed inside a foreign
    library can crash the process.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._stopping = threading.Event()
        self._closing: Future[None] | None = None
        self._lock = threading.Lock()
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[Line[T]], object], receive: Callable[[T], object]) -> None:
        """Run the work when its turn comes, and pass its items to `receive` in this task.

        Raises the errors of either, and `LocalModelFailed` if the worker was closed.
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
        """Stop the running work, refuse waiting work, run `last`, and end the thread.

        A second call waits for the first. Closing completes even if the waiting task is cancelled.
        """
        await asyncio.shield(asyncio.wrap_future(self._close(last)))

    def stop(self, last: Callable[[], object]) -> None:
        """Close, and block until it is done; for the end of the process or of the owner."""
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
