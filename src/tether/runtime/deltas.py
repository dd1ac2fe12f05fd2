"""Changes to a context's records, and the collections they apply to.

A dispatch applies each change to its own copies at once and keeps it as a `Delta`; at the end of an
iteration the deltas are applied to the turn's collections in the same way, or thrown away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tether.core.errors import (
    InvalidInitialMemoryValue,
    InvalidInitialMessageValue,
    InvalidInitialRetrievableValue,
    InvalidInitialThoughtValue,
    InvalidInitialToolCallValue,
)
from tether.core.memory import Memory
from tether.core.message import Message
from tether.core.records import RecordSet
from tether.core.retrievable import Retrievable
from tether.core.thought import Thought
from tether.core.tokenizable import Tokenizable
from tether.core.tool_call import ToolCall
from tether.runtime.errors import InvalidInitialStandingInstructionValue

if TYPE_CHECKING:
    from collections.abc import Callable

Operation = Literal["store", "mutate", "delete"]
CollectionName = Literal[
    "messages", "memories", "retrievables", "thoughts", "tool_calls", "standing_instructions"
]


class Delta(NamedTuple):
    """One change: a record for `store` and `mutate`, an id (or an instruction) for `delete`."""

    collection: CollectionName
    operation: Operation
    value: Any


class Collections:
    """The six collections of a turn."""

    __slots__ = (
        "memories",
        "messages",
        "retrievables",
        "standing_instructions",
        "thoughts",
        "tool_calls",
    )

    def __init__(self) -> None:
        self.messages = RecordSet(only=Message, refusal=InvalidInitialMessageValue)
        self.memories = RecordSet(only=Memory, refusal=InvalidInitialMemoryValue)
        self.retrievables = RecordSet(only=Retrievable, refusal=InvalidInitialRetrievableValue)
        self.thoughts = RecordSet(only=Thought, refusal=InvalidInitialThoughtValue)
        self.tool_calls = RecordSet(only=ToolCall, refusal=InvalidInitialToolCallValue)
        self.standing_instructions = RecordSet(
            only=Tokenizable, refusal=InvalidInitialStandingInstructionValue
        )

    def copy(self) -> Collections:
        """Return independent collections of the same records."""
        twin = Collections.__new__(Collections)
        twin.messages = self.messages.copy()
        twin.memories = self.memories.copy()
        twin.retrievables = self.retrievables.copy()
        twin.thoughts = self.thoughts.copy()
        twin.tool_calls = self.tool_calls.copy()
        twin.standing_instructions = self.standing_instructions.copy()
        return twin

    def apply(self, delta: Delta) -> list[Any]:
        """Apply one change and return the records it removed.

        `store` adds. `mutate` puts the record in place of the first with the same id and drops the
        others with that id; if there is none, it adds. `delete` removes the first of that id.
        Instructions have no id: `mutate` adds, `delete` removes that object, or the first with
        equal text.
        """
        members: RecordSet[Any] = getattr(self, delta.collection)
        value = delta.value
        if delta.operation == "delete":
            gone = members.find(_matches(delta))
            if gone is None:
                return []
            members.discard(gone)
            return [gone]
        if delta.operation == "store" or delta.collection == "standing_instructions":
            members.add(value)
            return []
        identifier = value.id
        return members.replace_where(lambda held: held.id == identifier, value)


def _matches(delta: Delta) -> Callable[[Any], bool]:
    value = delta.value
    if delta.collection != "standing_instructions":
        return lambda held: held.id == value
    if isinstance(value, Tokenizable):
        return lambda held: held is value
    return lambda held: held == value
