"""What may go into a database: the same for both, whatever each would have let through."""

from __future__ import annotations

from tether.batteries.storage.sql.database import Arguments
from tether.core.cleaning import clean_text
from tether.core.errors import InputRefused

LARGEST_INTEGER = (1 << 63) - 1


def checked_arguments(arguments: Arguments) -> tuple[str | int | float | bytes | None, ...]:
    """Return the arguments of a statement, lone surrogates replaced.

    Raises `InputRefused` for NUL, which one database cuts at and the other refuses, and for whole
    numbers of more than 64 bits. NUL is not dropped: it would make two ids one.
    """
    return tuple(_checked(argument) for argument in arguments)


def _checked(argument: str | int | float | bytes | None) -> str | int | float | bytes | None:
    if isinstance(argument, str):
        if "\0" in argument:
            raise InputRefused("a text for the store holds the character NUL: take it out")
        return clean_text(argument)
    if isinstance(argument, int) and not -LARGEST_INTEGER <= argument <= LARGEST_INTEGER:
        raise InputRefused(f"a number for the store has more than 64 bits: {argument:.3e}")
    return argument
