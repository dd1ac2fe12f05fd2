"""The abort signal: a request to stop, with a reason."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, TypeVar

from tether.core.errors import Aborted
from tether.runtime.errors import TurnGateAborted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")


class AbortSignal:
    """A switch that goes on once, keeps the reason, and notifies its listeners.

    Pass one to `TurnInput` to stop a turn from outside. A turn listens through a child of it, so a
    turn that aborts itself does not stop the other turns that share the signal. It belongs to the
    thread of its event loop: elsewhere, use `loop.call_soon_threadsafe(signal.abort, reason)`.
    """

    __slots__ = ("_listeners", "_parent", "aborted", "reason")

    def __init__(self) -> None:
        self.aborted = False
        """Whether the signal is on. Read-only; `abort` sets it."""
        self.reason: object = None
        """The argument of `abort`."""
        self._listeners: dict[object, Callable[[], None]] = {}
        self._parent: AbortSignal | None = None

    def abort(self, reason: object = None) -> None:
        """Switch on and call every listener, in order; only the first call counts.

        Errors of listeners are raised as one `ExceptionGroup` after all of them were called.
        """
        if self.aborted:
            return
        self.aborted = True
        self.reason = Aborted("the work was aborted") if reason is None else reason
        failures: list[Exception] = []
        while self._listeners:
            listener = self._listeners.pop(next(iter(self._listeners)))
            try:
                listener()
            except Exception as failure:  # noqa: BLE001  # the others are called first
                failures.append(failure)
        if failures:
            raise ExceptionGroup("listeners of an abort signal failed", failures)

    def abort_for(self, stop: BaseException) -> None:
        """Abort because of a passing exception; errors of listeners are added to it as a note."""
        try:
            self.abort(stop)
        except ExceptionGroup as failures:
            stop.add_note(f"While it passed, {failures!r} was raised.")

    def on_abort(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when the signal goes on, or now if it is on; return an unsubscribe."""
        if self.aborted:
            listener()
            return _nothing
        key = object()
        self._listeners[key] = listener
        return lambda: _forget(self._listeners, key)

    def raise_if_aborted(self) -> None:
        """Raise `Aborted` if the signal is on."""
        if self.aborted:
            raise Aborted(reason=self.reason)

    def child(self) -> AbortSignal:
        """Return a signal that goes on with this one, but not vice versa."""
        child = AbortSignal()
        if self.aborted:
            child.abort(self.reason)
        else:
            child._parent = self
            self._listeners[child] = lambda: child.abort(self.reason)
        return child

    def detach(self) -> None:
        """Stop listening to the parent, so that a finished child leaves no listener there."""
        if self._parent is not None:
            self._parent._listeners.pop(self, None)  # noqa: SLF001  # another of our own kind
            self._parent = None

    async def guard(self, awaitable: Awaitable[T]) -> T:
        """Await something until an abort.

        On an abort the work is cancelled, its end awaited, and `Aborted` raised. Cancelling the
        task that waits here cancels the work too and is passed on unchanged.
        """
        if self.aborted:
            if inspect.iscoroutine(awaitable):
                awaitable.close()
            elif isinstance(awaitable, asyncio.Future):
                awaitable.cancel()
            raise Aborted(reason=self.reason)
        waiter = asyncio.current_task()
        requests = waiter.cancelling() if waiter is not None else 0
        work = asyncio.ensure_future(awaitable)
        unsubscribe = self.on_abort(lambda: _cancel(work))
        try:
            return await work
        except asyncio.CancelledError:
            cancelled_here = waiter is not None and waiter.cancelling() > requests
            if self.aborted and not cancelled_here:
                raise Aborted(reason=self.reason) from None
            raise
        finally:
            unsubscribe()


def is_abort(error: BaseException, signal: AbortSignal) -> bool:
    """Return whether an error is an abort rather than a failure.

    `Aborted` always is. A closed gate, and an error caused by either, is an abort only if the
    signal is on: a gate can also be closed by itself. A group is one if all its errors are.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(is_abort(part, signal) for part in error.exceptions)
    if isinstance(error, Aborted):
        return True
    seen: set[int] = set()
    cause: BaseException | None = error if signal.aborted else None
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, (Aborted, TurnGateAborted)):
            return True
        seen.add(id(cause))
        cause = cause.__cause__
    return False


def carry_out(error: Exception, signal: AbortSignal) -> Exception | None:
    """Abort the signal if the error is an abort; return the error that remains to report.

    That is the error itself if it is not an abort, and otherwise the errors of the signal's
    listeners.
    """
    if not is_abort(error, signal):
        return error
    try:
        signal.abort(_reason(error))
    except ExceptionGroup as failures:
        return failures
    return None


def _reason(error: BaseException) -> object:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (error.reason if isinstance(error, Aborted) else None) or error


def _cancel(work: asyncio.Future[T]) -> None:
    work.cancel()


def _forget(listeners: dict[object, Callable[[], None]], key: object) -> None:
    listeners.pop(key, None)


def _nothing() -> None:
    """Unsubscribe from a signal that keeps no listeners any more."""
