"""Collections of records: in insertion order, compared by identity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")


class RecordSet(Generic[T]):
    """The same object is held once; two equal objects are two members; order is insertion order.

    The collections of a turn are of this class. Members are added and removed in place; the
    collection itself is never replaced.
    """

    __slots__ = ("_members",)

    def __init__(self, members: Iterable[T] = ()) -> None:
        self._members: dict[int, T] = {id(member): member for member in members} if members else {}

    def add(self, member: T) -> None:
        """Add an object, unless it is here already."""
        self._members[id(member)] = member

    def update(self, members: Iterable[T]) -> None:
        """Add several objects."""
        for member in members:
            self.add(member)

    def discard(self, member: T) -> None:
        """Remove this very object, if it is here."""
        self._members.pop(id(member), None)

    def clear(self) -> None:
        """Remove everything."""
        self._members.clear()

    def copy(self) -> RecordSet[T]:
        """Return an independent collection of the same objects."""
        twin: RecordSet[T] = RecordSet.__new__(RecordSet)
        twin._members = self._members.copy()
        return twin

    __copy__ = copy

    def __reduce__(self) -> tuple[type[RecordSet[T]], tuple[list[T]]]:
        return RecordSet, (list(self),)  # members are known by identity, which a copy gives anew

    def find(self, matches: Callable[[T], bool]) -> T | None:
        """Return the first member that matches, or None."""
        return next((member for member in self._members.values() if matches(member)), None)

    def replace_where(self, matches: Callable[[T], bool], member: T) -> list[T]:
        """Put `member` where the first match was, drop all other matches, and return the matches.

        Without a match it is appended.
        """
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
