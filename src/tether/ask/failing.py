"""What an answer says that never came to be."""

from __future__ import annotations

from tether.ask.answer import Answer
from tether.ask.turn import AskTurn
from tether.core.errors import Aborted, TetherError
from tether.core.events import ErrorRaised


class Failures:
    """Notes what fails in a turn; the first failure is the reason."""

    def __init__(self) -> None:
        self._first: TetherError | None = None

    def note(self, event: ErrorRaised) -> None:
        """Note a failure."""
        self._first = self._first or event.error

    def answer(self, turn: AskTurn) -> Answer:
        """Return the answer of a turn that has none; without a failure, it was aborted.

        A conversation that was to begin with it did not: its id is "", which begins one again.
        """
        error = Aborted("the turn was aborted") if self._first is None else _root(self._first)
        text = f"{error.message.removesuffix('.')}. {error.help}" if error.help else error.message
        return Answer(
            id=turn.id,
            conversation="" if turn.is_new else turn.conversation,
            question=turn.question,
            text="",
            verdict="failed",
            attempts=turn.attempts,
            model=turn.model.name,
            generation=turn.library.generation,
            corpus=turn.library.corpus,
            ledger=turn.ledger,
            error=(error.code, text),
            created_at=turn.clock.now().isoformat(),
        )


def _root(error: TetherError) -> TetherError:
    """Return our own error at the bottom: the seams say where it failed, and it says why."""
    while isinstance(error.__cause__, TetherError):
        error = error.__cause__
    return error
