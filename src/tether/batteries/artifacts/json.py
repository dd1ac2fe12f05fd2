"""JSON as an artifact: documents of some size, JSON Lines of any, asked by path."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal, get_args

from tether.batteries.artifacts.json_records import (
    LARGEST_DOCUMENT,
    Line,
    Question,
    Record,
    answer_room,
    parse_document,
    parsed,
    problem_of,
    without_waiting,
)
from tether.batteries.languages.json.json5 import parse_json5
from tether.batteries.languages.json.json_values import weigh
from tether.core.artifact import SpooledArtifact, artifact_tool
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from tether.core.artifact import SpoolReader

JsonFormat = Literal["json", "jsonl", "ndjson", "json5"]
FORMATS: tuple[JsonFormat, ...] = get_args(JsonFormat)

_BY_LINE = frozenset({"jsonl", "ndjson"})


class SpooledJsonArtifact(SpooledArtifact):
    """JSON that is asked by path (JSONPath, RFC 9535) and answers with the parts it leads to.

    A document is one record; JSON Lines has one in each line that is not blank, is read line by
    line every time, and is never held as a whole. Without a `format` it is found out, strict forms
    first: json, then jsonl (every line parses), then json5. The methods raise `InputRefused` where
    the text is not what it should be, and `LimitExceeded` where it, or the answer, is too large.
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
        """Return the form of a JSON result: json, jsonl (one value in each line) or json5."""
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
        """Return the values that a JSONPath leads to in a JSON result, in all its records.

        Args:
            path: A JSONPath (RFC 9535), for instance $.store.book[?@.price < 10].title
        """
        return await self._found(path, keep_record=False)

    @artifact_tool("artifact_json_pluck")
    async def json_pluck(self, path: str) -> list[Any]:
        """Return one field of all records of a JSON result: the values that a JSONPath leads to.

        Args:
            path: A JSONPath (RFC 9535) from the root of each record, for instance $.user.name
        """
        return await self._found(path, keep_record=False)

    @artifact_tool("artifact_json_filter")
    async def json_filter(self, path: str) -> list[Any]:
        """Return the records of a JSON result in which a JSONPath leads to at least one value.

        Args:
            path: A JSONPath (RFC 9535) from the root of each record, for instance $.errors[0]
        """
        return await self._found(path, keep_record=True)

    @artifact_tool("artifact_json_slice")
    async def json_slice(self, start: int = 0, end: int | None = None) -> list[Any]:
        """Return a range of the records of a JSON result; of a document, which is one, all of it.

        Args:
            start: The first record, from 0.
            end: The record to stop before; without it, all that follow.
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
        """Return what a path leads to, or the records in which it leads somewhere."""
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
        """Say whether the first line is JSON, and not the last: then it is no strict document."""
        async with aclosing(self._filled_lines()) as lines:
            first = await anext(lines, None)
            second = await anext(lines, None)
        if first is None:
            raise InputRefused("the text is empty: there is no JSON in it")
        if second is None:
            return False
        return await without_waiting(len(first.text), problem_of, first) is None

    async def _first_problem(self) -> str | None:
        """Return what is wrong with the first line that is not JSON; None if all are."""
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
