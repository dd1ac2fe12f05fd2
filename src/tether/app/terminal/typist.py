"""Lines typed by a person, with a history, or lines of a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType

from tether.app.files import state_folder

MOST_LINES = 1_000
PRIVATE = 0o600


class Typist:
    """The source of lines. `is_person` is True at a terminal."""

    def __init__(self, *, is_person: bool) -> None:
        self.is_person = is_person

    @classmethod
    def of_process(cls) -> Typist:
        """Return the typist of this process: a person if input and output are a terminal."""
        return cls(is_person=sys.stdin.isatty() and sys.stdout.isatty())

    def line(self, prompt: str) -> str:
        """Return the next line; raises `EOFError` at the end, and `KeyboardInterrupt`."""
        return input(prompt if self.is_person else "")

    def agrees(self, question: str) -> bool:
        """Ask a person yes or no; anything but a yes is a no."""
        try:
            return self.line(f"{question} [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:
            return False


@contextmanager
def typist(history: Path) -> Generator[Typist]:
    """Yield the typist; at a terminal with a history that only this user can read.

    Bytes that cannot be decoded become replacement characters.
    """
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    person = Typist.of_process()
    readline = _readline() if person.is_person else None
    if readline is not None:
        _load(readline, history)
    try:
        yield person
    finally:
        if readline is not None:
            _save(readline, history)


def history_file(environ: Mapping[str, str]) -> Path:
    """Return the path of the chat history, in the user's state folder."""
    folder = state_folder(environ) or Path.home() / ".local" / "state" / "tether"
    return folder / "chat_history"


def _readline() -> ModuleType | None:
    """Return the module for line editing, which some builds of Python lack."""
    try:
        return import_module("readline")
    except ImportError:
        return None


def _load(readline: ModuleType, history: Path) -> None:
    """Read the history; one that cannot be read counts as empty."""
    readline.set_history_length(MOST_LINES)
    with suppress(OSError):
        readline.read_history_file(history)


def _save(readline: ModuleType, history: Path) -> None:
    """Write the history to a file that is made private first."""
    with suppress(OSError):
        history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(history, os.O_CREAT | os.O_WRONLY, PRIVATE))
        history.chmod(PRIVATE)
        readline.write_history_file(history)
