"""The seven tools that read any artifact, and the text of their answers."""

from __future__ import annotations

from collections import deque
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tether.core.errors import LimitExceeded, Problem
from tether.core.tokens import builtin_encodings
from tether.runtime.errors import InvalidToolArgs
from tether.runtime.patterns import FLAGS, LONGEST_PATTERN, SafePattern
from tether.runtime.schema import to_json_text

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

    from tether.core.artifact import SpooledArtifact

LONGEST_ANSWER = 100_000
"""The characters of an answer that are shown: a whole artifact does not fit into a prompt."""

MOST_MATCHES = 1_000
MOST_SHOWN = LONGEST_ANSWER - 200
"""In characters, with room for a note."""

MOST_COUNTED = 10_000_000


class SimpleField(NamedTuple):
    """An argument that is a whole number or a text: its schema, its check, and its default."""

    name: str
    schema: Mapping[str, Any]
    fits: Callable[[Any], bool]
    expected: str
    default: Any = None
    required: bool = False


class SimpleSchema:
    """A few simple fields, without pydantic: they are made and checked all the time."""

    __slots__ = ("_fields",)

    def __init__(self, *fields: SimpleField) -> None:
        self._fields = fields

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {
            "type": "object",
            "properties": {field.name: _described(field) for field in self._fields},
            "required": [field.name for field in self._fields if field.required],
            "additionalProperties": False,
        }

    def validate(self, tool: str, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with their defaults; raise `InvalidToolArgs`."""
        known = {field.name for field in self._fields}
        problems = [Problem(str(name), "is not an argument") for name in raw if name not in known]
        values: dict[str, Any] = {}
        for field in self._fields:
            value = values[field.name] = raw.get(field.name, field.default)
            if field.required and field.name not in raw:
                problems.append(Problem(field.name, "is required"))
            elif field.name in raw and not field.fits(value):
                problems.append(Problem(field.name, field.expected))
        if problems:
            raise InvalidToolArgs(tool, problems)
        return values


class LineTool(NamedTuple):
    """One reader of any artifact, as a tool."""

    name: str
    description: str
    schema: SimpleSchema
    read: Callable[[SpooledArtifact, Mapping[str, Any]], Awaitable[Any]]


def _at_least(minimum: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and value >= minimum


def _number(name: str, minimum: int, description: str, default: int | None = None) -> SimpleField:
    schema = {"type": "integer", "minimum": minimum, "description": description}
    expected = f"must be a whole number of at least {minimum}"
    return SimpleField(name, schema, _at_least(minimum), expected, default)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_flags(value: Any) -> bool:
    return isinstance(value, str) and set(value) <= set(FLAGS)


async def _head(artifact: SpooledArtifact, values: Mapping[str, Any]) -> list[str]:
    return await _first(artifact.lines(0, values["n"]))


async def _cat(artifact: SpooledArtifact, values: Mapping[str, Any]) -> list[str]:
    return await _first(artifact.lines(values["start"], values["end"]))


async def _grep(artifact: SpooledArtifact, values: Mapping[str, Any]) -> list[str]:
    """Search on RE2, whose time is bounded whatever the pattern."""
    pattern = SafePattern(values["pattern"], values["flags"])
    return await _first(artifact.matching(pattern), MOST_MATCHES)


async def _first(lines: AsyncGenerator[str, None], most: int | None = None) -> list[str]:
    """Return the lines that fit into an answer, with a note if more were left out."""
    found: list[str] = []
    room = MOST_SHOWN
    async with aclosing(lines):
        async for line in lines:
            if len(found) == most:
                found.append(f"(more than {most:,} lines match; these are the first)")
                break
            found.append(line[:room])
            room -= len(line) + 1
            if room <= 0:
                found.append("(cut here: ask for fewer lines at once)")
                break
    return found


async def _tail(artifact: SpooledArtifact, values: Mapping[str, Any]) -> list[str]:
    """Return the last lines that fit into an answer."""
    start = await artifact.line_count() - values["n"]
    found: deque[str] = deque()
    length, is_cut = 0, False
    async for line in artifact.lines(start):
        found.append(line[-MOST_SHOWN:])
        length += len(found[-1]) + 1
        while length > MOST_SHOWN and len(found) > 1:
            length -= len(found.popleft()) + 1
            is_cut = True
    note = ["(cut before this: ask for fewer lines at once)"] if is_cut else []
    return [*note, *found]


async def _estimate_tokens(artifact: SpooledArtifact, values: Mapping[str, Any]) -> int:
    if await artifact.byte_length() > MOST_COUNTED:
        raise LimitExceeded(f"only results of at most {MOST_COUNTED:,} bytes are counted")
    return int(await artifact.estimate_tokens(values["encoding"]))


_COUNT = _number("n", 1, "How many lines.", 10)
_PATTERN = SimpleField(
    "pattern",
    {
        "type": "string",
        "maxLength": LONGEST_PATTERN,
        "description": "A regular expression in RE2's syntax: without look-around and without "
        "backreferences.",
    },
    _is_text,
    "must be text",
    required=True,
)
_FLAGS = SimpleField(
    "flags",
    {
        "type": "string",
        "pattern": f"^[{FLAGS}]*$",
        "description": "Any of: i (any case), m, s, u. Each line is searched by itself.",
    },
    _are_flags,
    f"must be made of the letters {FLAGS!r}; each line is searched by itself, so g and y mean "
    "nothing here",
    default="",
)
_ENCODINGS = tuple(builtin_encodings())
_ENCODING = SimpleField(
    "encoding",
    {"type": "string", "enum": list(_ENCODINGS), "description": "How the tokens are counted."},
    lambda value: value in _ENCODINGS,
    f"must be one of {', '.join(_ENCODINGS)}",
    required=True,
)

LINE_TOOLS = (
    LineTool(
        "artifact_head",
        "Read the first lines of a result.",
        SimpleSchema(_COUNT),
        _head,
    ),
    LineTool(
        "artifact_tail",
        "Read the last lines of a result.",
        SimpleSchema(_COUNT),
        _tail,
    ),
    LineTool(
        "artifact_grep",
        "Read the lines of a result in which a regular expression is found.",
        SimpleSchema(_PATTERN, _FLAGS),
        _grep,
    ),
    LineTool(
        "artifact_cat",
        "Read a range of lines of a result.",
        SimpleSchema(
            _number("start", 0, "First line, from 0.", 0), _number("end", 0, "Line to stop before.")
        ),
        _cat,
    ),
    LineTool(
        "artifact_byte_length",
        "Return the size of a result in bytes.",
        SimpleSchema(),
        lambda artifact, _: artifact.byte_length(),
    ),
    LineTool(
        "artifact_line_count",
        "Return the number of lines of a result.",
        SimpleSchema(),
        lambda artifact, _: artifact.line_count(),
    ),
    LineTool(
        "artifact_estimate_tokens",
        "Return how many tokens a result is worth.",
        SimpleSchema(_ENCODING),
        _estimate_tokens,
    ),
)


def answer_text(value: Any) -> str:
    """Return a value as text: text as it is, lists of text as lines, anything else as JSON.

    A long text is cut, with a note. Raises `ValueError` for a value without a JSON form.
    """
    text = _written(value)
    if len(text) <= LONGEST_ANSWER:
        return text
    cut = f"\n(cut: {LONGEST_ANSWER:,} of {len(text):,} characters are shown; ask for less at once)"
    return text[:LONGEST_ANSWER] + cut


def _written(value: Any) -> str:
    if value is None:
        return "(undefined)"
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        items = cast("list[object] | tuple[object, ...]", value)
        if not items:
            return "(empty list)"
        if all(isinstance(item, str) for item in items):
            return "\n".join(cast("list[str]", items))
    return to_json_text(value, indent=2)


def _described(field: SimpleField) -> dict[str, Any]:
    default = {} if field.default is None else {"default": field.default}
    return {**field.schema, **default}
