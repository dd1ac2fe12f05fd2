"""The state of one dispatch: the turn's, copied, plus the signal that ends the loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from tether.core.plain_data import canonical_json
from tether.runtime.context import Context
from tether.runtime.deltas import Delta
from tether.runtime.errors import LlmExecutionAlreadySignalled, LlmExecutionNacked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tether.core.registry import Registry
    from tether.core.tokenizable import Tokenizable
    from tether.runtime.abort import AbortSignal
    from tether.runtime.bus import ObservabilityEvent
    from tether.runtime.context import Services
    from tether.runtime.deltas import CollectionName, Collections, Operation
    from tether.runtime.tool_registry import ToolRegistry

T = TypeVar("T")


class DispatchState:
    """The loop's side of a dispatch: its position, the signal, and the unflushed changes."""

    __slots__ = ("_parent", "acked", "deltas", "iteration", "nack_error")

    def __init__(self, parent: Collections | None) -> None:
        self._parent = parent
        self.iteration = 0
        self.acked = False
        self.nack_error: Exception | None = None
        self.deltas: list[Delta] = []

    def flush(self) -> None:
        """Apply the queued changes to the turn, if any, and empty the queue."""
        if self._parent is not None:
            for delta in self.deltas:
                self._parent.apply(delta)
        self.deltas.clear()

    def discard(self) -> None:
        """Drop the queued changes."""
        self.deltas.clear()


class DispatchContext(Context):
    """The context of the executor and the middlewares around it.

    Writes change this context's own collections first, then storage, and are kept as deltas: the
    turn sees them only if the iteration ends well.
    """

    __slots__ = ("_on_ack", "_record", "_state", "_turn_id")

    def __init__(
        self,
        *,
        id: str,
        turn_id: str,
        system_prompt: Tokenizable,
        stash: Registry,
        collections: Collections,
        tools: ToolRegistry,
        abort_signal: AbortSignal,
        services: Services,
        state: DispatchState,
    ) -> None:
        super().__init__(
            id=id,
            system_prompt=system_prompt,
            stash=stash,
            collections=collections,
            tools=tools,
            abort_signal=abort_signal,
            services=services,
        )
        self._turn_id = turn_id
        self._record = services.sink.record
        self._state = state
        self._on_ack: dict[object, Callable[[], object]] = {}

    @property
    def turn_id(self) -> str:
        """The key of the turn; a standalone dispatch has its own."""
        return self._turn_id

    @property
    def record(self) -> Callable[[ObservabilityEvent], None]:
        """Reports an event to the observers of this dispatch; never raises."""
        return self._record

    @property
    def iteration(self) -> int:
        """The current pass through the executor, counted from 0. Limit the loop with it."""
        return self._state.iteration

    @property
    def is_acked(self) -> bool:
        """Whether the dispatch was acknowledged."""
        return self._state.acked

    @property
    def nack_error(self) -> Exception | None:
        """The error of `nack`, if it was called."""
        return self._state.nack_error

    @property
    def is_signalled(self) -> bool:
        """Whether `ack` or `nack` was called; check it before signalling from several places."""
        return self._state.acked or self._state.nack_error is not None

    def ack(self) -> None:
        """Acknowledge the dispatch: it is done, and the loop ends at its next check.

        The `on_ack` handlers run now, in order; an error in one does not affect the others.
        Raises `LlmExecutionAlreadySignalled`.
        """
        self._refuse_second_signal("ack")
        self._state.acked = True
        for handler in tuple(self._on_ack.values()):
            try:
                handler()
            except Exception:  # noqa: BLE001, S112  # the ack stays valid; see above
                continue

    def nack(self, error: Exception | str | Mapping[str, Any] | None = None) -> None:
        """Give up the dispatch with an error; the loop ends at its next check.

        Text, or an object with a JSON form, becomes the message of an `LlmExecutionNacked`.
        Raises `LlmExecutionAlreadySignalled`.
        """
        self._refuse_second_signal("nack")
        self._state.nack_error = error if isinstance(error, Exception) else _as_error(error)

    def on_ack(self, handler: Callable[[], object]) -> Callable[[], None]:
        """Call `handler` on `ack`, never on `nack`; return a way to unsubscribe."""
        key = object()
        self._on_ack[key] = handler
        return lambda: _forget(self._on_ack, key)

    def tool_call_count(self, checksum: str) -> int:
        """Return how many calls of this turn have this checksum, to detect a model in a loop."""
        return sum(call.checksum == checksum for call in self._collections.tool_calls)

    async def _write(
        self,
        collection: CollectionName,
        operation: Operation,
        value: T,
        persist: Callable[[Context, T], Awaitable[None]],
    ) -> None:
        """Change the local collections, persist, then queue the delta: in this order.

        If persisting fails or is cancelled, the local change stays and no delta is queued.
        """
        delta = Delta(collection, operation, value)
        self._collections.apply(delta)
        await persist(self, value)
        self._state.deltas.append(delta)

    def _refuse_second_signal(self, signal: str) -> None:
        if self.is_signalled:
            given = "acked" if self._state.acked else f"nacked with {self._state.nack_error!r}"
            raise LlmExecutionAlreadySignalled(f"cannot {signal}: the dispatch was {given} before")


def _as_error(reason: object) -> LlmExecutionNacked:
    if reason is None:
        return LlmExecutionNacked("the dispatch was nacked without an error")
    return LlmExecutionNacked(reason if isinstance(reason, str) else canonical_json(reason))


def _forget(handlers: dict[object, Callable[[], Any]], key: object) -> None:
    handlers.pop(key, None)
