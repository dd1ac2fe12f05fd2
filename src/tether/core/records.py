"""Collections of records: in insertion order, compared by identity."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from tether.core.checks import Checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tether.core.errors import InvalidInput

T = TypeVar("T")


class RecordSet(Generic[T]):
    """The same object is held once; two equal objects are two members; order is insertion order.

    The collections of a turn are of this class. Members are added and removed in place; the
    collection itself is never replaced. With `only`, it takes objects of one class, and raises
    `refusal` for others: a text instead of a message would be found only when a prompt is made.
    """

    __slots__ = ("_members", "_only", "_refusal")

    def __init__(
        self,
        members: Iterable[T] = (),
        *,
        only: type[T] | None = None,
        refusal: type[InvalidInput] | None = None,
    ) -> None:
        self._only = only
        self._refusal = refusal
        self._members: dict[int, T] = {}
        self.update(members)

    def add(self, member: T) -> None:
        """Add an object, unless it is here already."""
        if self._only is not None and not isinstance(member, self._only):
            self._check((member,))
        self._members[id(member)] = member

    def update(self, members: Iterable[T]) -> None:
        """Add several objects, or none of them if one is of another class."""
        given = tuple(members)
        self._check(given)
        self._members.update((id(member), member) for member in given)

    def _check(self, members: tuple[T, ...]) -> None:
        """Raise the refusal with the place of every member that does not belong here."""
        only, refusal = self._only, self._refusal
        if only is None or refusal is None:
            return
        check = Checks()
        check.instances("records", members, only, f"a {only.__name__}")
        check.done(refusal)

    def discard(self, member: T) -> None:
        """Remove this very object, if it is here."""
        self._members.pop(id(member), None)

    def clear(self) -> None:
        """Remove everything."""
        self._members.clear()

    def copy(self) -> RecordSet[T]:
        """Return an independent collection of the same objects."""
        twin: RecordSet[T] = RecordSet(only=self._only, refusal=self._refusal)
        twin._members = self._members.copy()
        return twin

    __copy__ = copy

    def __reduce__(self) -> tuple[partial[RecordSet[T]], tuple[list[T]]]:
        # members are known by identity, which a copy gives anew
        return partial(RecordSet, only=self._only, refusal=self._refusal), (list(self),)

    def find(self, matches: Callable[[T], bool]) -> T | None:
        """Return the first member that matches, or None."""
        return next((member for member in self._members.values() if matches(member)), None)

    def replace_where(self, matches: Callable[[T], bool], member: T) -> list[T]:
        """Put `member` where the first match was, drop all other matches, and return the matches.

        Without a match it is appended.
        """
        self._check((member,))
        gone = [held for held in self._members.values() if matches(held)]
        if not gone:
            self.add(member)
            return gone
        first = id(gone[0])
        dropped = {id(held) for held in gone} | {id(member)}
        kept: dict[int, T] = {}
        for key, held in self._members.items():
            if key == first:
                kept[id(member)] = member
            elif key not in dropped:
                kept[key] = held
        self._members = kept
        return gone

    def __iter__(self) -> Iterator[T]:
        return iter(tuple(self._members.values()))

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, member: object) -> bool:
        return id(member) in self._members

    def __repr__(self) -> str:
        return f"RecordSet({list(self._members.values())!r})"
