"""Amounts of tokens, calls and seconds, checked before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.checks import Checks
from tether.core.errors import InvalidBudget

if TYPE_CHECKING:
    from tether.core.errors import InvalidInput


def whole_number(check: Checks, path: str, value: int, *, least: int = 1) -> int:
    """Return a count: an `int` that is no `bool`, and not less than `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        check.refuse(path, value, f"a whole number from {least} upwards")
    return value


def checked_tokens(
    path: str, value: int, *, least: int = 1, error: type[InvalidInput] = InvalidBudget
) -> int:
    """Return a number of tokens, or raise: 0, negative numbers and NaN are no budget."""
    check = Checks()
    tokens = whole_number(check, path, value, least=least)
    check.done(error)
    return tokens
