"""Questions to the database, through one connection that several threads may share."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from tether.core.errors import IndexDamaged, InputRefused
from tether.retrieval.index.failures import damage, translated, was_cut_short
from tether.retrieval.index.schema import roll_back
from tether.retrieval.index.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

Row = tuple[Any, ...]

_BLOCK = 2_000
_AT_ONCE = 500


class Questions:
    """A connection that is asked.

    Each question is a short statement of its own, so that a writer never waits for long. Raises
    `IndexDamaged`, `InputRefused` after it was closed, and `IndexLocked` where a writer blocks for
    very long.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self._lock = Lock()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def ask(self, statement: str, values: tuple[object, ...] = ()) -> list[Row]:
        """Return all rows of a statement."""
        with self._lock:
            try:
                return self._asked(statement, values)
            except sqlite3.OperationalError as error:
                if not was_cut_short(error):
                    raise damage(self.path, error) from error
            roll_back(self.path)
            with translated(self.path):
                return self._asked(statement, values)

    def _asked(self, statement: str, values: tuple[object, ...]) -> list[Row]:
        try:
            return self.connection.execute(statement, values).fetchall()
        except sqlite3.OperationalError:
            raise
        except sqlite3.ProgrammingError as error:
            raise InputRefused("the index was closed; open it again") from error
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter in telling of the former
            raise damage(self.path, error) from error

    @contextmanager
    def together(self) -> Generator[None]:
        """Answer all questions inside from the same state, whatever a writer does meanwhile.

        The writer's next commit waits for the end: keep it short.
        """
        self.ask("BEGIN")
        try:
            yield
        finally:
            self.connection.rollback()

    def ask_for(
        self, statement: str, values: tuple[object, ...], numbers: Sequence[int]
    ) -> Iterator[Row]:
        """Yield one row for each number; raises `IndexDamaged` where one has none."""
        wanted = sorted(set(numbers))
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            rows = self.ask(f"{statement} ({','.join('?' * len(part))})", (*values, *part))
            if len(rows) != len(part):
                raise IndexDamaged(f"{len(part) - len(rows)} rows are missing", file=NAME)
            yield from rows

    def walk(self, statement: str, values: tuple[object, ...]) -> Iterator[Row]:
        """Yield the rows of a statement that orders by, and starts after, its first column."""
        after = -1
        while rows := self.ask(f"{statement} LIMIT {_BLOCK}", (*values, after)):
            yield from rows
            after = rows[-1][0]
