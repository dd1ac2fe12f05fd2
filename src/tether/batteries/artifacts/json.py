"""JSON as an artifact: documents of some size, JSON Lines of any, asked by path."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from tether.batteries.languages.json5 import parse_json5
from tether.batteries.languages.json_text import parse_json
from tether.batteries.languages.json_values import weigh
from tether.batteries.languages.jsonpath import JsonPath
from tether.batteries.languages.steps import Steps
from tether.core.artifact import SpooledArtifact, artifact_tool
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tether.core.artifact import SpoolReader

JsonFormat = Literal["json", "jsonl", "ndjson", "json5"]
FORMATS: tuple[JsonFormat, ...] = get_args(JsonFormat)

LARGEST_DOCUMENT = 64 << 20
"""In bytes: a document of several lines is read as a whole."""

LARGEST_RECORD = LARGEST_DOCUMENT // 4
"""In characters, of one line: a line that was cut at the size of a document has more."""

STEPS = 10_000_000
STEPS_PER_CHARACTER = 4
"""What one call may take: enough to look at everything a few times, and something besides."""

MOST_RESULTS = 10_000_000
"""How much one call may return, in the steps of `weigh`."""

_BY_LINE = frozenset({"jsonl", "ndjson"})


class _Line(NamedTuple):
    """A line that is not blank, and which one it is, from 1."""

    number: int
    text: str


class _Record(NamedTuple):
    """A value, and how many characters it was written with."""

    value: Any
    size: int


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
        self._document: _Record | None = None

    @artifact_tool("artifact_json_type")
    async def json_type(self) -> JsonFormat:
        """Return the form of a JSON result: json, jsonl (one value in each line) or json5."""
        if self._format is None:
            self._format = await self._infer()
        return self._format

    @artifact_tool("artifact_json_keys")
    async def json_keys(self) -> list[str] | None:
        """Return the keys of a JSON result that is an object; for jsonl, those of all records."""
        room = Steps(MOST_RESULTS)
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
        room = Steps(MOST_RESULTS)
        found: list[Any] = []
        if await self.json_type() not in _BY_LINE:
            found.append((await self._whole()).value)
            weigh(found, room)
            return found
        async with aclosing(self._filled_lines()) as lines:
            position = 0
            async for line in lines:
                if position == end:
                    break
                if position >= start:
                    found.append(_parsed(line).value)
                    weigh(found[-1], room)
                position += 1
        return found

    async def _found(self, path: str, *, keep_record: bool) -> list[Any]:
        """Return what a path leads to, or the records in which it leads somewhere."""
        query = JsonPath(path.strip())
        steps, room = Steps(STEPS), Steps(MOST_RESULTS)
        found: list[Any] = []
        async with aclosing(self._records()) as records:
            async for record in records:
                steps.allow(record.size * STEPS_PER_CHARACTER)
                matches = query.find(record.value, steps)
                if matches:
                    kept = [record.value] if keep_record else matches
                    weigh(kept, room)
                    found += kept
        return found

    async def _records(self) -> AsyncGenerator[_Record, None]:
        if await self.json_type() not in _BY_LINE:
            yield await self._whole()
            return
        async with aclosing(self._filled_lines()) as lines:
            async for line in lines:
                yield _parsed(line)

    async def _filled_lines(self) -> AsyncGenerator[_Line, None]:
        number = 0
        async for text in self.lines(longest=LARGEST_DOCUMENT):
            number += 1
            if text and not text.isspace():
                yield _Line(number, text)

    async def _whole(self) -> _Record:
        """Return the document, which is parsed once."""
        if self._document is None:
            parse = parse_json5 if self._format == "json5" else _parse_document
            text = await self._text()
            self._document = _Record(parse(text), len(text))
        return self._document

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
        return second is not None and _problem(first) is None

    async def _first_problem(self) -> str | None:
        """Return what is wrong with the first line that is not JSON; None if all are."""
        async with aclosing(self._filled_lines()) as lines:
            async for line in lines:
                problem = _problem(line)
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
            text = await self._text()
            self._document = _Record(parse_json5(text), len(text))
        except InputRefused as loose:
            both = f"{problem}. As JSON5 it cannot be read either: {loose.message}"
            raise InputRefused(both) from None
        return "json5"


def _parse_document(text: str) -> Any:
    return parse_json(text, longest=LARGEST_DOCUMENT)


def _parsed(line: _Line) -> _Record:
    try:
        return _Record(parse_json(line.text, longest=LARGEST_RECORD), len(line.text))
    except InputRefused as refusal:
        raise type(refusal)(f"line {line.number}: {refusal.message}") from None


def _problem(line: _Line) -> str | None:
    """Return what is wrong with a line; None if it is JSON."""
    try:
        _parsed(line)
    except InputRefused as refusal:
        return refusal.message
    return None
