"""Public names that are loaded when they are first used.

A package that offers many names gives them one table, the module that defines each, and loads none
of them:

    __all__, __getattr__, __dir__ = late_names(__name__, '''
        tether.core.message: Message
        tether.core.registry: ABSENT Registry
    ''')

Checkers read `if TYPE_CHECKING:` imports instead, which a test compares with the table.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # checkers know the name; typing itself is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable


def late_names(
    module: str, table: str
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` for a module that loads its names late."""
    homes = dict[str, str]()
    home = ""
    for word in table.split():
        if word.endswith(":"):
            home = word[:-1]
        else:
            homes[word] = home

    def load(name: str) -> object:
        """Load a public name and keep it."""
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    def names() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*vars(sys.modules[module]), *homes})

    return list(homes), load, names
