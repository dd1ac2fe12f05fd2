"""Large results as handles: the text stays with its reader, and is read by the piece."""

from __future__ import annotations

from collections.abc import AsyncIterable
from inspect import getdoc, isawaitable, signature
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

from tether.core.checks import Checks, has_methods
from tether.core.errors import InvalidInitialToolValue, NotASpoolReader
from tether.core.tokens import TokenCount, count_tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator

T = TypeVar("T")
Function = TypeVar("Function", bound="Callable[..., Any]")

LONGEST_LINE = 1 << 20
"""How many bytes of one line the line methods show; a longer line is cut and says so."""


@runtime_checkable
class SpoolReader(Protocol):
    """Text that can be read by line without loading all of it.

    Lines are split on "\\n" only: an empty text has none, and a trailing newline adds an empty one.
    Every method may also be a plain one that returns its value, or an iterable of lines, at once.
    """

    def byte_length(self) -> int | Awaitable[int]:
        """Return the size in UTF-8 bytes."""
        ...

    def line_count(self) -> int | Awaitable[int]:
        """Return the number of lines."""
        ...

    def lines(
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str] | Iterable[str]:
        """Return the lines from `start` up to, not including, `end`; to the last one if None.

        A line of more than `longest` bytes is cut there, with a note of its true length.
        """
        ...

    def text(self) -> str | Awaitable[str]:
        """Return everything, as it was written."""
        ...


class LinePattern(Protocol):
    """What `grep` needs: a compiled pattern of `re`, of RE2, or anything that can search a line."""

    def search(self, string: str, /) -> object | None:
        """Return something if the pattern is found in the line, else None."""
        ...


@runtime_checkable
class BlockPattern(LinePattern, Protocol):
    """A pattern that can also search many lines at once, which is a hundred times faster."""

    def lines_in(self, block: bytes) -> Iterator[str]:
        """Yield the lines of `block` in which the pattern is found."""
        ...


@runtime_checkable
class BlockReader(Protocol):
    """A reader that can hand out many lines at once, as bytes."""

    def line_blocks(self) -> AsyncIterator[bytes]:
        """Yield all lines in order, several in a piece, each piece without its last newline."""
        ...


class ToolMethod(NamedTuple):
    """A method of an artifact class that is offered to the model as a tool."""

    tool: str
    function: Callable[..., Any]
    description: str
    serialise: Callable[[Any], str] | None = None


_MARK = "__tool_method__"
CALL_ID = "call_id"
"""The argument by which a model says which artifact it asks about."""


def artifact_tool(
    name: str, *, description: str | None = None, serialise: Callable[[Any], str] | None = None
) -> Callable[[Function], Function]:
    """Offer a method of your artifact class to the model, as a tool of that name.

    Its annotations become the schema, its docstring the description. A tool can be asked only for
    the artifacts of the turn that are instances of the class. `serialise` writes the result down;
    without it text stays as it is, lists of text become lines, and anything else JSON. Raises
    `InvalidInitialToolValue`.
    """

    def mark(function: Function) -> Function:
        said = (description or getdoc(function) or "").strip()
        check = Checks()
        check.tool_name("name", name)
        if not said:
            check.fail("description", "must not be empty: the model chooses by it")
        if CALL_ID in signature(function).parameters:
            check.fail(CALL_ID, "names the artifact already; give the parameter another name")
        check.done(InvalidInitialToolValue)
        setattr(function, _MARK, ToolMethod(name, function, said, serialise))
        return function

    return mark


def tool_methods(kind: type) -> tuple[ToolMethod, ...]:
    """Return the methods that a class itself offers as tools, without those it inherits."""
    return tuple(
        method
        for member in vars(kind).values()
        if isinstance(method := getattr(member, _MARK, None), ToolMethod)
    )


class SpooledArtifact:
    """A text too large to hand around, with readers that fetch only what is asked for.

    `as_string` and `estimate_tokens` are the only two that read the whole. Raises
    `NotASpoolReader`.
    """

    __slots__ = ("_reader",)

    def __init__(self, reader: SpoolReader) -> None:
        if not has_methods(reader, "byte_length", "line_count", "lines", "text"):
            raise NotASpoolReader(f"an artifact needs a SpoolReader, which {reader!r} is not")
        self._reader = reader

    @property
    def reader(self) -> SpoolReader:
        """Where the text is."""
        return self._reader

    async def byte_length(self) -> int:
        """Return the size in UTF-8 bytes."""
        return await _settled(self._reader.byte_length())

    async def line_count(self) -> int:
        """Return the number of lines."""
        return await _settled(self._reader.line_count())

    async def head(self, n: int = 10) -> list[str]:
        """Return the first `n` lines, or as many as there are."""
        return [line async for line in self.lines(0, max(0, n))]

    async def tail(self, n: int = 10) -> list[str]:
        """Return the last `n` lines, or as many as there are."""
        count = await self.line_count()
        return [line async for line in self.lines(max(0, count - n), None)] if n > 0 else []

    async def cat(self, start: int = 0, end: int | None = None) -> list[str]:
        """Return the lines from `start` up to, not including, `end`; both are clamped."""
        return [line async for line in self.lines(start, end)]

    async def grep(self, pattern: LinePattern, limit: int | None = None) -> list[str]:
        """Return the lines in which `pattern` is found, in order; at most `limit`, if given."""
        found: list[str] = []
        if limit is None or limit > 0:
            async for line in self._matching(pattern):
                found.append(line)
                if len(found) == limit:
                    break
        return found

    async def as_string(self) -> str:
        """Read everything."""
        return await _settled(self._reader.text())

    async def estimate_tokens(self, encoding: str) -> TokenCount:
        """Read everything and count its tokens."""
        return count_tokens(await self.as_string(), encoding)

    async def lines(
        self, start: int = 0, end: int | None = None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        """Yield the lines of a range, which is clamped, one by one."""
        start = max(0, start)
        if end is not None and end <= start:
            return
        lines = self._reader.lines(start, end, longest=longest)
        if isinstance(lines, AsyncIterable):
            async for line in lines:
                yield line
        else:
            for line in lines:
                yield line

    async def _matching(self, pattern: LinePattern) -> AsyncIterator[str]:
        if isinstance(pattern, BlockPattern) and isinstance(self._reader, BlockReader):
            async for block in self._reader.line_blocks():
                for line in pattern.lines_in(block):
                    yield line
        else:
            async for line in self.lines():
                if pattern.search(line):
                    yield line


async def _settled(value: T | Awaitable[T]) -> T:
    """Return the value that a reader gave, at once or to be awaited."""
    return cast("T", await value if isawaitable(value) else value)
