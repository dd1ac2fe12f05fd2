"""The input and the state of one turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tether.core.checks import Checks, freeze, refuses_with
from tether.core.ids import new_id
from tether.core.registry import Registry
from tether.core.tokenizable import TextInput, Tokenizable, text_field
from tether.runtime.abort import AbortSignal
from tether.runtime.bus import FanOut
from tether.runtime.context import Context
from tether.runtime.dispatch_context import DispatchContext, DispatchState
from tether.runtime.errors import InvalidTurnContext

if TYPE_CHECKING:
    from tether.runtime.bus import EventSink


@refuses_with(InvalidTurnContext)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class TurnInput:
    """The input of a turn.

    `stash` seeds the turn's registry and has to be nested, as `Registry.all()` returns it.
    `abort_signal` stops the turn from outside. Raises `InvalidTurnContext`.
    """

    system_prompt: Tokenizable
    standing_instructions: tuple[Tokenizable, ...]
    stash: Registry
    abort_signal: AbortSignal | None

    def __init__(
        self,
        *,
        system_prompt: TextInput,
        standing_instructions: Iterable[TextInput] = (),
        stash: Mapping[str, Any] | None = None,
        abort_signal: AbortSignal | None = None,
    ) -> None:
        check = Checks()
        if abort_signal is not None:
            check.instance("abort_signal", abort_signal, AbortSignal, "an AbortSignal")
        freeze(
            self,
            system_prompt=text_field(check, "system_prompt", system_prompt, may_be_empty=True),
            standing_instructions=texts_field(
                check, "standing_instructions", standing_instructions
            ),
            stash=check.made("stash", Registry, stash),
            abort_signal=abort_signal,
        )
        check.done(InvalidTurnContext)


class TurnContext(Context):
    """The context of one `run()`, shared by its two pipelines.

    Its collections start empty. Writing through it persists a record and does nothing else; the
    writes of a dispatch reach its collections at the end of each iteration.
    """

    __slots__ = ()

    def derive(self, listeners: EventSink | None = None) -> tuple[DispatchContext, DispatchState]:
        """Return a dispatch context that starts as a copy of this turn, and the loop's side of it.

        The stash, the collections and the tools are copies. The abort signal is a child: stopping
        the turn stops the dispatch, but not vice versa. Storage, gates and clock are the
        turn's.
        """
        services = self._services
        if listeners is not None:
            services = services._replace(sink=FanOut(services.sink, listeners))
        state = DispatchState(self._collections)
        dispatch = DispatchContext(
            id=new_id(),
            turn_id=self._id,
            system_prompt=self._system_prompt,
            stash=self._stash.clone(),
            collections=self._collections.copy(),
            tools=self._tools.copy(),
            abort_signal=self._abort_signal.child(),
            services=services,
            state=state,
        )
        return dispatch, state


def texts_field(check: Checks, path: str, values: Iterable[TextInput]) -> tuple[Tokenizable, ...]:
    """Wrap every text of a list; report anything else as a problem."""
    found = check.instances(path, values, object, "texts")
    return tuple(text_field(check, f"{path}[{i}]", value) for i, value in enumerate(found))
