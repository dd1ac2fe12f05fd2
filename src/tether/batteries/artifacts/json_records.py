"""What a JSON artifact consists of: records, the lines they are written in, and questions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tether.batteries.languages.json.json_text import parse_json
from tether.batteries.languages.json.json_values import weigh
from tether.batteries.languages.json.jsonpath import JsonPath
from tether.batteries.languages.steps import Steps
from tether.core.copying import copy_plain
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST_DOCUMENT = 64 << 20
"""In bytes: a document of several lines is read as a whole."""

LARGEST_RECORD = LARGEST_DOCUMENT // 4
"""In characters, of one line: a line that was cut at the size of a document has more."""

STEPS = 2_000_000
STEPS_PER_CHARACTER = 4
"""What one call may take: enough to look at everything a few times, and something besides."""

MOST_RESULTS = 5_000_000
"""How much one call may return, in the steps of `weigh`: a value is one, so are 16 characters."""

LARGE = 1 << 18
"""In characters: what is larger is parsed and asked in a thread, and nobody waits meanwhile."""

A = TypeVar("A")
T = TypeVar("T")


class Line(NamedTuple):
    """A line that is not blank, and which one it is, from 1."""

    number: int
    text: str


class Record(NamedTuple):
    """A value, and how many characters it was written with."""

    value: Any
    size: int


class Question(NamedTuple):
    """What is asked of every record, and how much that may take and return in all."""

    path: JsonPath
    keep_record: bool
    steps: Steps
    room: Steps

    @classmethod
    def about(cls, path: str, *, keep_record: bool) -> Question:
        """Read a path; raise `InputRefused` where it is wrong."""
        return cls(JsonPath(path.strip()), keep_record, Steps(STEPS), answer_room())

    def answer(self, record: Record) -> list[Any]:
        """Return copies: a document is kept, and what was returned may be changed."""
        self.steps.allow(record.size * STEPS_PER_CHARACTER)
        matches = self.path.find(record.value, self.steps)
        if not matches:
            return []
        found = [record.value] if self.keep_record else matches
        weigh(found, self.room)
        return [copy_plain(value) for value in found]


async def without_waiting(size: int, function: Callable[[A], T], argument: A) -> T:
    """Call a function on a text of a size, in a thread where that takes long.

    Its hooks are written in Python, so that the event loop has its share of the time.
    """
    if size <= LARGE:
        return function(argument)
    return await asyncio.to_thread(function, argument)


def answer_room() -> Steps:
    """Return what one call may return."""
    return Steps(
        MOST_RESULTS,
        f"the answer would hold more than {MOST_RESULTS:,} values, or as much text; ask for fewer "
        "records (start and end of a slice) or for a part of them by a narrower path",
    )


def parse_document(text: str) -> Any:
    """Parse strict JSON of the size that a document may have."""
    return parse_json(text, longest=LARGEST_DOCUMENT)


def parsed(line: Line) -> Record:
    """Parse a line; raise what is wrong with it, naming it."""
    try:
        return Record(parse_json(line.text, longest=LARGEST_RECORD), len(line.text))
    except InputRefused as refusal:
        raise type(refusal)(f"line {line.number}: {refusal.message}") from None


def problem_of(line: Line) -> str | None:
    """Return what is wrong with a line; None if it is JSON."""
    try:
        parsed(line)
    except InputRefused as refusal:
        return refusal.message
    return None
