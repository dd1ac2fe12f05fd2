"""One participant, as the application and as the model know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tether.core.checks import Checks, Value, freeze, in_short, refuses_with
from tether.core.errors import InvalidInitialIdentityValue, Problem
from tether.core.tokenizable import TextInput, Tokenizable, text_field


@refuses_with(InvalidInitialIdentityValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Identity(Value):
    """The two names of a participant, kept on one record so that they cannot drift apart.

    `identifier` is the application's key (a row id, an account); `representation` is the name
    that a model may read. Raises `InvalidInitialIdentityValue`.
    """

    identifier: str | int
    representation: Tokenizable

    def __init__(self, *, identifier: str | int, representation: TextInput) -> None:
        check = Checks()
        if not isinstance(identifier, int) or isinstance(identifier, bool):
            identifier = check.identifier("identifier", identifier)
        shown = text_field(check, "representation", representation)
        check.done(InvalidInitialIdentityValue)
        freeze(self, identifier=identifier, representation=shown)

    @classmethod
    def of(cls, value: IdentityInput) -> Identity:
        """Return the identity that `value` means; a bare name is both names at once."""
        match value:
            case Identity():
                return value
            case str():
                return cls(identifier=value, representation=value)
            case Mapping():
                check = Checks()
                fields = check.mapping("", value)
                check.done(InvalidInitialIdentityValue)
                return cls(**fields)
            case _:
                problem = f"must be an Identity, a name or a dictionary, not {in_short(value)}"
                raise InvalidInitialIdentityValue([Problem("", problem)])

    @classmethod
    def named(cls, name: str) -> Identity:
        """Return the identity of a name that is known to be good: a role, never outside input."""
        identity = cls.__new__(cls)
        freeze(identity, identifier=name, representation=Tokenizable(name))
        return identity

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which the constructor accepts."""
        return {"identifier": self.identifier, "representation": str(self.representation)}


IdentityInput = Identity | str | Mapping[str, Any]
"""An Identity, a bare name, or a dictionary with both fields."""
