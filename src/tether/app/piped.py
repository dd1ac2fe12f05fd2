"""Standard input as a question, or as text that accompanies one."""

from __future__ import annotations

import select
import sys

import click

from tether.app.terminal.screen import notify
from tether.ask.agent import LONGEST_CONTEXT, LONGEST_QUESTION

PATIENCE_S = 2.0
WAITING = "Reading standard input, which accompanies the question. `< /dev/null` leaves it out."
TOO_LONG = (
    f"The piped text is longer than {LONGEST_CONTEXT:,} characters. Pipe the part that matters,"
    ' as in: tail -n 200 error.log | tether ask "What does this mean?"'
)
NO_TEXT = "Standard input is not text, so it cannot accompany a question."


def is_piped() -> bool:
    """Return whether standard input is something else than a person at a terminal."""
    return sys.stdin is not None and not sys.stdin.isatty()


def piped_question() -> str:
    """Return standard input as a question; "" without any."""
    return _read(LONGEST_QUESTION) if sys.stdin is not None else ""


def piped_context() -> str:
    """Return the text in standard input that accompanies a question; "" without any.

    Standard error says that there is some, so that no text goes along unnoticed, and that it is
    waited for where it does not end. Raises `click.UsageError` for too much, and for data that is
    not text.
    """
    if not is_piped():
        return ""
    if not _is_ready():
        notify(WAITING)
    text = _read(LONGEST_CONTEXT).strip()
    if len(text) > LONGEST_CONTEXT:
        raise click.UsageError(TOO_LONG)
    if "\0" in text:
        raise click.UsageError(NO_TEXT)
    if text:
        notify(f"Note: {len(text):,} characters of standard input accompany the question.")
    return text


def _read(most: int) -> str:
    return sys.stdin.buffer.read(most * 4 + 1).decode("utf-8", "replace")


def _is_ready() -> bool:
    """Return whether standard input has something to read, or has ended, within a moment."""
    try:
        return bool(select.select([sys.stdin.fileno()], [], [], PATIENCE_S)[0])
    except (OSError, ValueError):
        return True  # not a stream of the system, so reading it does not wait
