"""JSON as an artifact: documents of limited size, JSON Lines of any, queried by JSONPath."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_args

from tether.batteries.languages.json.json5 import parse_json5
from tether.batteries.languages.json.jsonpath import JsonPath
from tether.batteries.languages.json.text import parse_json
from tether.batteries.languages.json.values import Steps, weigh
from tether.core.artifact import SpooledArtifact, artifact_tool
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded
from tether.core.plain_data import copy_plain

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from tether.core.artifact import SpoolReader

JsonFormat = Literal["json", "jsonl", "ndjson", "json5"]
FORMATS: tuple[JsonFormat, ...] = get_args(JsonFormat)

_BY_LINE = frozenset({"jsonl", "ndjson"})


class SpooledJsonArtifact(SpooledArtifact):
    """JSON that is queried by JSONPath (RFC 9535).

    A document is one record; JSON Lines has one in each line that is not blank, is read line by
    line every time, and is never in memory as a whole. Without a `format` it is detected, strict
    forms first: json, then jsonl (every line parses), then json5. The methods raise `InputRefused`
    for text of another format, and `LimitExceeded` for a text or a result that is too large.
    """

    __slots__ = ("_document", "_format")

    def __init__(self, reader: SpoolReader, format: JsonFormat | None = None) -> None:
        super().__init__(reader)
        if format is not None and format not in FORMATS:
            raise InputRefused(f"unknown format {in_short(format)}: use {' or '.join(FORMATS)}")
        self._format: JsonFormat | None = format
        self._document: Record | None = None

    @artifact_tool("artifact_json_type")
    async def json_type(self) -> JsonFormat:
        """Return the format of a JSON result: json, jsonl (one value in each line) or json5."""
        if self._format is None:
            self._format = await self._infer()
        return self._format

    @artifact_tool("artifact_json_keys")
    async def json_keys(self) -> list[str] | None:
        """Return the keys of a JSON result that is an object; for jsonl, those of all records."""
        room = answer_room()
        keys: dict[str, None] = {}
        is_known = await self.json_type() in _BY_LINE
        async with aclosing(self._records()) as records:
            async for record in records:
                if type(record.value) is dict:
                    is_known = True
                    if new := [key for key in record.value if key not in keys]:
                        weigh(new, room)
                        keys.update(dict.fromkeys(new))
        return list(keys) if is_known else None

    @artifact_tool("artifact_json_length")
    async def json_length(self) -> int:
        """Return the number of records of a JSON result; a document is one record."""
        if await self.json_type() not in _BY_LINE:
            await self._whole()
            return 1
        count = 0
        async with aclosing(self._filled_lines()) as lines:
            async for _ in lines:
                count += 1
        return count

    @artifact_tool("artifact_json_get")
    async def json_get(self, path: str) -> list[Any]:
        """Return the values that a JSONPath selects in a JSON result, from all its records.

        Args:
            path: A JSONPath (RFC 9535), for instance $.store.book[?@.price < 10].title
        """
        return await self._found(path, keep_record=False)

    @artifact_tool("artifact_json_pluck")
    async def json_pluck(self, path: str) -> list[Any]:
        """Return one field of all records of a JSON result: the values that a JSONPath selects.

        Args:
            path: A JSONPath (RFC 9535) from the root of each record, for instance $.user.name
        """
        return await self._found(path, keep_record=False)

    @artifact_tool("artifact_json_filter")
    async def json_filter(self, path: str) -> list[Any]:
        """Return the records of a JSON result in which a JSONPath selects at least one value.

        Args:
            path: A JSONPath (RFC 9535) from the root of each record, for instance $.errors[0]
        """
        return await self._found(path, keep_record=True)

    @artifact_tool("artifact_json_slice")
    async def json_slice(self, start: int = 0, end: int | None = None) -> list[Any]:
        """Return a range of the records of a JSON result; a document is one record.

        Args:
            start: The first record, from 0.
            end: The record to stop before; if left out, the end.
        """
        if start < 0 or (end is not None and end < 0):
            raise InputRefused("start and end count records from 0; they cannot be negative")
        if await self.json_type() not in _BY_LINE:
            return await self._found("$", keep_record=True)
        room = answer_room()
        found: list[Any] = []
        async with aclosing(self._filled_lines()) as lines:
            position = 0
            async for line in lines:
                if position == end:
                    break
                if position >= start:
                    record = await without_waiting(len(line.text), parsed, line)
                    weigh(record.value, room)
                    found.append(record.value)
                position += 1
        return found

    async def _found(self, path: str, *, keep_record: bool) -> list[Any]:
        """Return the matches of a path, or the records in which it has a match."""
        question = Question.about(path, keep_record=keep_record)
        found: list[Any] = []
        async with aclosing(self._records()) as records:
            async for record in records:
                found += await without_waiting(record.size, question.answer, record)
        return found

    async def _records(self) -> AsyncGenerator[Record, None]:
        if await self.json_type() not in _BY_LINE:
            yield await self._whole()
            return
        async with aclosing(self._filled_lines()) as lines:
            async for line in lines:
                yield await without_waiting(len(line.text), parsed, line)

    async def _filled_lines(self) -> AsyncGenerator[Line, None]:
        number = 0
        async for text in self.lines(longest=LARGEST_DOCUMENT):
            number += 1
            if text and not text.isspace():
                yield Line(number, text)

    async def _whole(self) -> Record:
        """Return the document, which is parsed once."""
        if self._document is None:
            self._document = await self._parsed_as(
                parse_json5 if self._format == "json5" else parse_document
            )
        return self._document

    async def _parsed_as(self, parse: Callable[[str], Any]) -> Record:
        text = await self._text()
        return Record(await without_waiting(len(text), parse, text), len(text))

    async def _text(self) -> str:
        size = await self.byte_length()
        if size > LARGEST_DOCUMENT:
            raise LimitExceeded(
                f"the JSON document has {size:,} bytes; at most {LARGEST_DOCUMENT:,} are read at "
                "once. JSON Lines, with one value in each line, can be of any size"
            )
        return await self.as_string()

    async def _infer(self) -> JsonFormat:
        problem = None
        if await self._begins_with_a_record():
            problem = await self._first_problem()
            if problem is None:
                return "jsonl"
        return await self._infer_document(problem)

    async def _begins_with_a_record(self) -> bool:
        """Say whether the first of several lines is JSON: then the text is not one document."""
        async with aclosing(self._filled_lines()) as lines:
            first = await anext(lines, None)
            second = await anext(lines, None)
        if first is None:
            raise InputRefused("the text is empty: there is no JSON in it")
        if second is None:
            return False
        return await without_waiting(len(first.text), problem_of, first) is None

    async def _first_problem(self) -> str | None:
        """Return the problem of the first line that is not JSON; None if all lines are."""
        async with aclosing(self._filled_lines()) as lines:
            async for line in lines:
                problem = await without_waiting(len(line.text), problem_of, line)
                if problem is not None:
                    return problem
        return None

    async def _infer_document(self, problem: str | None) -> JsonFormat:
        """Parse the whole: as JSON, unless there is a problem with that already, else as JSON5."""
        if problem is None:
            try:
                await self._whole()
            except LimitExceeded:
                raise
            except InputRefused as strict:
                problem = strict.message
            else:
                return "json"
        try:
            self._document = await self._parsed_as(parse_json5)
        except InputRefused as loose:
            both = f"{problem}. As JSON5 it cannot be read either: {loose.message}"
            raise InputRefused(both) from None
        return "json5"


LARGEST_DOCUMENT = 64 << 20
"""In bytes: a document is read as a whole."""

LARGEST_RECORD = LARGEST_DOCUMENT // 4
"""In characters, of one line: a line that is cut at the size of a document has more."""

STEPS = 2_000_000
STEPS_PER_CHARACTER = 4
"""The steps of one call: enough to visit every value a few times."""

MOST_RESULTS = 5_000_000
"""The size of one result, in the steps of `weigh`: one for each value and for 16 characters."""

LARGE = 1 << 18
"""In characters: larger texts are parsed and queried in a thread."""

A = TypeVar("A")
T = TypeVar("T")


class Line(NamedTuple):
    """A line that is not blank, and its number, from 1."""

    number: int
    text: str


class Record(NamedTuple):
    """A value, and the length of its text."""

    value: Any
    size: int


class Question(NamedTuple):
    """A query for all records, with the limits of its steps and its result."""

    path: JsonPath
    keep_record: bool
    steps: Steps
    room: Steps

    @classmethod
    def about(cls, path: str, *, keep_record: bool) -> Question:
        """Read a path; raise `InputRefused` where it is wrong."""
        return cls(JsonPath(path.strip()), keep_record, Steps(STEPS), answer_room())

    def answer(self, record: Record) -> list[Any]:
        """Return copies, because the caller may change them and the document is kept."""
        self.steps.allow(record.size * STEPS_PER_CHARACTER)
        matches = self.path.find(record.value, self.steps)
        if not matches:
            return []
        found = [record.value] if self.keep_record else matches
        weigh(found, self.room)
        return [copy_plain(value) for value in found]


async def without_waiting(size: int, function: Callable[[A], T], argument: A) -> T:
    """Call a function, in a thread if the text is large.

    The hooks of the parser are Python functions, so that the event loop gets its share of time.
    """
    if size <= LARGE:
        return function(argument)
    return await asyncio.to_thread(function, argument)


def answer_room() -> Steps:
    """Return the limit for the result of one call."""
    return Steps(
        MOST_RESULTS,
        f"the answer would have more than {MOST_RESULTS:,} values, or as much text; ask for fewer "
        "records (start and end of a slice) or for a part of them by a narrower path",
    )


def parse_document(text: str) -> Any:
    """Parse strict JSON of the size that a document may have."""
    return parse_json(text, longest=LARGEST_DOCUMENT)


def parsed(line: Line) -> Record:
    """Parse a line; errors name its number."""
    try:
        return Record(parse_json(line.text, longest=LARGEST_RECORD), len(line.text))
    except InputRefused as refusal:
        raise type(refusal)(f"line {line.number}: {refusal.message}") from None


def problem_of(line: Line) -> str | None:
    """Return the problem of a line; None if it is JSON."""
    try:
        parsed(line)
    except InputRefused as refusal:
        return refusal.message
    return None
