"""Record sets: identity semantics against a naive list."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.errors import InvalidInitialMessageValue
from tether.core.message import Message
from tether.core.records import RecordSet

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Record:
    """Equal to every other record with the same key."""

    key: int


@dataclass(frozen=True)
class Operation:
    """One change: `name` says which, `index` picks the record, `key` what is to be replaced."""

    name: str
    index: int
    key: int


POOL = [Record(number % 3) for number in range(7)]
indices = st.integers(0, len(POOL) - 1)
operations = st.builds(
    Operation,
    st.sampled_from(["add", "add", "add", "discard", "replace", "replace", "clear"]),
    indices,
    st.integers(0, 3),
)


def holds(members: list[Record], record: Record) -> bool:
    return any(member is record for member in members)


def replaced(members: list[Record], key: int, record: Record) -> tuple[list[Record], list[Record]]:
    """The members after a replacement, and those that matched."""
    matches = [member for member in members if member.key == key]
    if not matches:
        return members if holds(members, record) else [*members, record], []
    place = next(number for number, member in enumerate(members) if member is matches[0])
    before, after = (
        [member for member in part if member is not record and not holds(matches, member)]
        for part in (members[:place], members[place:])
    )
    return [*before, record, *after], matches


def applied(
    records: RecordSet[Record], members: list[Record], operation: Operation
) -> list[Record]:
    """Do the operation on both; return the new list."""
    record = POOL[operation.index]
    match operation.name:
        case "add":
            records.add(record)
            return members if holds(members, record) else [*members, record]
        case "discard":
            records.discard(record)
            return [member for member in members if member is not record]
        case "clear":
            records.clear()
            return []
        case _:
            gone = records.replace_where(lambda member: member.key == operation.key, record)
            members, matches = replaced(members, operation.key, record)
            assert_same(gone, matches)
            return members


def assert_same(found: RecordSet[Record] | list[Record], expected: list[Record]) -> None:
    """The very same objects in the very same order."""
    assert [id(record) for record in found] == [id(record) for record in expected]


@given(st.lists(indices), st.lists(operations))
def test_every_change_agrees_with_a_naive_list(start: list[int], changes: list[Operation]) -> None:
    records: RecordSet[Record] = RecordSet(POOL[index] for index in start)
    members: list[Record] = []
    for index in start:
        members = members if holds(members, POOL[index]) else [*members, POOL[index]]
    for change in changes:
        members = applied(records, members, change)
        assert_same(records, members)
        assert len(records) == len(members)
        assert [record in records for record in POOL] == [holds(members, one) for one in POOL]


def test_the_same_object_is_held_once_and_equal_objects_are_two() -> None:
    first, twin = Record(1), Record(1)
    records = RecordSet([first, twin, first])
    assert_same(records, [first, twin])
    assert Record(1) not in records


def test_update_adds_several_in_order() -> None:
    records = RecordSet(POOL[:2])
    records.update(iter([POOL[1], POOL[4], POOL[3]]))
    assert_same(records, [POOL[0], POOL[1], POOL[4], POOL[3]])


def test_an_empty_set_is_falsy_and_has_no_members() -> None:
    records: RecordSet[Record] = RecordSet()
    assert not records
    assert list(records) == []
    assert RecordSet([Record(1)])


def test_find_returns_the_first_match_or_none() -> None:
    records = RecordSet(POOL)
    assert records.find(lambda record: record.key == 1) is POOL[1]
    assert records.find(lambda record: record.key == 9) is None


def test_a_copy_is_independent_and_holds_the_same_objects() -> None:
    original = RecordSet(POOL[:3])
    twin = original.copy()
    assert_same(twin, POOL[:3])
    twin.add(POOL[3])
    original.discard(POOL[0])
    original.replace_where(lambda record: record.key == 1, POOL[4])
    assert_same(twin, POOL[:4])
    assert_same(original, [POOL[4], POOL[2]])


CHANGES: dict[str, Callable[[RecordSet[Record], Record], object]] = {
    "discard": lambda records, record: records.discard(record),
    "add": lambda records, record: records.add(Record(record.key + 10)),
    "clear": lambda records, _: records.clear(),
    "replace": lambda records, record: records.replace_where(
        lambda held: held is record, Record(9)
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_iteration_while_changing_sees_the_members_of_its_beginning(name: str) -> None:
    records = RecordSet(POOL[:3])
    seen: list[Record] = []
    for record in records:
        seen.append(record)
        CHANGES[name](records, record)
    assert_same(seen, POOL[:3])
    left = {"discard": [], "add": [0, 1, 2, 10, 11, 12], "clear": [], "replace": [9, 9, 9]}
    assert [record.key for record in records] == left[name]


def test_unhashable_objects_can_be_members() -> None:
    first: list[int] = []
    second: list[int] = []
    records = RecordSet([first, second])
    assert len(records) == 2
    records.discard(second)
    assert first in records
    assert second not in records


def test_the_representation_lists_the_members() -> None:
    assert repr(RecordSet([Record(1)])) == f"RecordSet([{Record(1)!r}])"


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_a_copy_knows_its_members_by_identity_and_is_independent(duplicate: Any) -> None:
    original: RecordSet[Any] = RecordSet([["a"], ["b"]])
    twin = duplicate(original)
    first = next(iter(twin))
    assert first in twin
    twin.add(first)
    assert len(twin) == 2
    twin.clear()
    assert len(original) == 2


@pytest.mark.parametrize(
    "duplicate", [RecordSet.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_a_collection_of_one_class_refuses_others_and_so_do_its_copies(duplicate: Any) -> None:
    records: Any = duplicate(RecordSet(only=Message, refusal=InvalidInitialMessageValue))
    kept = Message.user("hello")
    with pytest.raises(InvalidInitialMessageValue) as caught:
        records.update([kept, "hello", kept, None])
    assert [problem.path for problem in caught.value.problems] == ["records[1]", "records[3]"]
    for change in (records.add, lambda it: records.replace_where(lambda _: True, it)):
        with pytest.raises(InvalidInitialMessageValue, match="must be a Message, not"):
            change({"role": "user"})
    assert len(records) == 0
    records.add(kept)
    assert list(records) == [kept]
