"""The options of commands, which differ in the case of a letter: `-bp` is not `-bP`."""

from __future__ import annotations

import re

_OPTION = re.compile(r"(?<![\w/-])--?[A-Za-z][\w-]*")


def options_in(text: str) -> frozenset[str]:
    """Return the options in a text as they are written, without their values."""
    return frozenset(_OPTION.findall(text))


def in_other_case(wanted: frozenset[str], named: frozenset[str]) -> frozenset[str]:
    """Return the wanted options that are among the named ones in another case only."""
    folded = {option.lower() for option in named}
    return frozenset(option for option in wanted - named if option.lower() in folded)
