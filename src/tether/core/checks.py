"""Validation of values: every field is checked, then one error names all the bad ones.

A value's constructor makes a `Checks`, passes each argument through it, and ends with `done`. The
class decorator `refuses_with` does the same for missing and unknown arguments, which
Python would otherwise report one at a time as `TypeError`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tether.core.clean_text import clean_text
from tether.core.errors import InvalidInput, Problem
from tether.core.times import parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

T = TypeVar("T")


class _Missing:
    """The type of `MISSING`."""

    def __repr__(self) -> str:
        return "nothing"


MISSING: Any = _Missing()
"""Stands for an argument that was not given, so that it can be reported with the others."""

_set_attribute = object.__setattr__
_TOOL_NAME = re.compile("[A-Za-z0-9_-]{1,64}")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def refuses_with(error: type[InvalidInput]) -> Callable[[type[T]], type[T]]:
    """Make a class report missing and unknown arguments as `error`, with all other problems."""

    def decorate(cls: type[T]) -> type[T]:
        construct: Callable[..., None] = cls.__init__
        parameters = list(inspect.signature(construct).parameters.values())[1:]
        known = frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        required = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
        takes_more = any(p.kind is p.VAR_KEYWORD for p in parameters)

        @wraps(construct)
        def __init__(self: T, /, **fields: Any) -> None:  # noqa: N807
            try:
                construct(self, **fields)
            except TypeError:
                missing = dict.fromkeys((name for name in required if name not in fields), MISSING)
                unknown = [] if takes_more else sorted(fields.keys() - known)
                if not missing and not unknown:
                    raise
            else:
                return
            for name in unknown:
                del fields[name]
            not_fields = [Problem(name, "is not a field") for name in unknown]
            try:
                construct(self, **fields, **missing)
            except InvalidInput as invalid:
                raise error([*invalid.problems, *not_fields]) from None
            raise error(not_fields)

        cls.__init__ = __init__  # type: ignore[assignment]  # the same signature, a fuller report
        return cls

    return decorate


class Value:
    """The base of frozen values: equal by fields, and readable. Written once, because dataclasses
    generate these methods for every class, and that is most of their import time."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _field_names(type(self)))

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in _field_names(type(self)))
        return f"{type(self).__name__}({', '.join(shown)})"

    def __hash__(self) -> int:
        """Hash by the first field, which is the key."""
        return hash(getattr(self, _field_names(type(self))[0]))


def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(cast("dict[str, Any]", getattr(kind, "__dataclass_fields__", {})))


def freeze(instance: object, /, **fields: object) -> None:
    """Fill the fields of a frozen value that is being constructed."""
    for name, content in fields.items():
        _set_attribute(instance, name, content)


class Checks:
    """Collects the problems with the arguments of one value.

    Each method takes the field's name and its argument, and returns the clean value. After a
    problem the returned value is whatever came in: it is never seen, because `done` raises.
    """

    __slots__ = ("problems",)

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def fail(self, path: str, message: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(path, message))

    def done(self, error: type[InvalidInput]) -> None:
        """Raise `error` with every problem, if there was one."""
        if self.problems:
            raise error(self.problems)

    def refuse(self, path: str, value: object, expected: str) -> None:
        """Add the problem that `value` is missing, or not as expected."""
        shown = "is required" if value is MISSING else f"must be {expected}, not {in_short(value)}"
        self.fail(path, shown)

    def replay(self, payload: object, compatibility: Any) -> None:
        """A provider's block needs the tag of the wire that understands it."""
        if payload is not None and compatibility is None:
            self.fail("replay_compatibility", "is required where there is a payload")
        if compatibility is not None:
            self.identifier("replay_compatibility", compatibility)

    def tool_name(self, path: str, value: Any) -> str:
        """A name that every provider accepts unchanged."""
        if not isinstance(value, str) or not _TOOL_NAME.fullmatch(value):
            expected = "1 to 64 of the characters a-z, A-Z, 0-9, _ and -"
            self.refuse(path, value, expected)
        return cast("str", value)

    def identifier(self, path: str, value: Any) -> str:
        """A key of an outside system: text without control characters, kept as it is."""
        if isinstance(value, str) and value and value.isprintable():
            return value
        if not isinstance(value, str) or not value or _UNPRINTABLE.search(value):
            self.refuse(path, value, "non-empty text without control characters")
        return cast("str", value)

    def line(self, path: str, value: str | None) -> str | None:
        """Optional free text that is kept as a plain string."""
        if value is None:
            return None
        if isinstance(value, str):
            return clean_text(value)
        self.refuse(path, value, "text")
        return value

    def choice(self, path: str, value: T, allowed: Collection[T]) -> T:
        """One of a closed set."""
        if not isinstance(value, str) or value not in allowed:
            self.refuse(path, value, " or ".join(repr(item) for item in allowed))
        return value

    def flag(self, path: str, value: bool) -> bool:
        """True or False, and nothing that is merely truthy."""
        if not isinstance(value, bool):
            self.refuse(path, value, "True or False")
        return value

    def function(self, path: str, value: T) -> T:
        """Something that can be called."""
        if not callable(value):
            self.refuse(path, value, "callable")
        return value

    def whole_number(self, path: str, value: int, *, least: int = 1) -> int:
        """A count: an `int`, not a `bool`, and not below `least`."""
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.refuse(path, value, f"a whole number of at least {least}")
        return value

    def score(self, path: str, value: float) -> float:
        """A number from 0 to 1."""
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not 0 <= value <= 1:
            self.refuse(path, value, "a number from 0 to 1")
        return value

    def instance(self, path: str, value: T, kind: type | tuple[type, ...], expected: str) -> T:
        """An object of a certain class."""
        if not isinstance(value, kind):
            self.refuse(path, value, expected)
        return value

    def instances(self, path: str, values: Iterable[T], kind: type, expected: str) -> tuple[T, ...]:
        """Any iterable of one class of object, as a tuple."""
        if not _is_list_like(values):
            self.refuse(path, values, f"a list of {expected}")
            return ()
        found = tuple(values)
        for position, value in enumerate(found):
            self.instance(f"{path}[{position}]", value, kind, expected)
        return found

    def mapping(self, path: str, value: Mapping[str, T]) -> dict[str, T]:
        """A dictionary with text keys, as a new dictionary."""
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return dict(value)
        self.refuse(path, value, "a dictionary with text keys")
        return {}

    def time(self, path: str, value: object) -> datetime:
        """A point in time, in any of the accepted forms."""
        try:
            return parse_time(value)
        except ValueError as problem:
            self.fail(path, "is required" if value is MISSING else str(problem))
            return cast("datetime", value)

    def made(self, path: str, make: Callable[[Any], T], value: object) -> T:
        """A part that checks itself: its problems are reported under this field's name."""
        if value is MISSING:
            self.fail(path, "is required")
            return cast("T", value)
        try:
            return make(value)
        except InvalidInput as invalid:
            for inner, message in invalid.problems:
                self.fail(".".join(part for part in (path, inner) if part), message)
            return cast("T", value)


def has_methods(value: object, *names: str) -> bool:
    """Return whether an object has these methods: a fast `isinstance` with a protocol."""
    return not isinstance(value, type) and all(
        callable(getattr(value, name, None)) for name in names
    )


def in_short(value: object) -> str:
    """Return a value's `repr` for an error message: cut if it is long, and safe if it fails."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  # a foreign __repr__, or an integer of 5,000 digits
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= 200 else f"{text[:200]}…"


def _is_list_like(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return True
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
