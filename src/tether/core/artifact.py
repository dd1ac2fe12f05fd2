"""Large results as handles: the text stays with its reader and is read in pieces."""

from __future__ import annotations

from collections.abc import AsyncIterable
from contextlib import aclosing
from inspect import getdoc, isawaitable, isfunction, signature
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

from tether.core.checks import Checks, has_methods
from tether.core.errors import InvalidInitialToolValue, NotASpoolReader
from tether.core.tokens import TokenCount, count_tokens

if TYPE_CHECKING:
    from collections.abc import (
        AsyncGenerator,
        AsyncIterator,
        Awaitable,
        Callable,
        Generator,
        Iterable,
        Iterator,
    )

T = TypeVar("T")
Function = TypeVar("Function", bound="Callable[..., Any]")

LONGEST_LINE = 1 << 20
"""The bytes of one line that the line methods show; a longer line is cut, with a note."""

LINES_A_TURN = 2_000


@runtime_checkable
class SpoolReader(Protocol):
    """Text that can be read by line without loading all of it.

    Lines are split on "\\n" only: an empty text has no lines, and a trailing newline adds an empty
    one.
    Every method may also be a plain function that returns its value, or an iterable of lines.
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
        """Return the whole text, unchanged."""
        ...


class LinePattern(Protocol):
    """A pattern for `grep`: compiled by `re` or RE2, or anything that can search a line."""

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
    """A reader that can return many lines at once, as bytes."""

    def line_blocks(self) -> AsyncIterator[bytes]:
        """Yield all lines in order, several in a piece, each piece without its last newline."""
        ...


class ToolMethod(NamedTuple):
    """A method of an artifact class that is offered to the model as a tool."""

    tool: str
    function: Callable[..., Any]
    description: str
    serialise: Callable[[Any], str] | None = None
    attribute: str = ""
    """Its name in the class."""


_MARK = "__tool_method__"
LINE_TOOL_NAMES = frozenset(
    f"artifact_{name}"
    for name in ("head", "tail", "grep", "cat", "byte_length", "line_count", "estimate_tokens")
)
"""The tools that every artifact has."""

CALL_ID = "call_id"
"""The argument with which a model names an artifact."""


def artifact_tool(
    name: str, *, description: str | None = None, serialise: Callable[[Any], str] | None = None
) -> Callable[[Function], Function]:
    """Offer a method of your artifact class to the model, as a tool of that name.

    Its annotations become the schema, its docstring the description. A tool reads only
    the artifacts of the turn that are instances of the class. `serialise` turns the result into
    text; without it text stays as it is, lists of text become lines, and anything else JSON. Raises
    `InvalidInitialToolValue`.
    """

    def mark(function: Function) -> Function:
        said = (description or getdoc(function) or "").strip()
        check = Checks()
        check.tool_name("name", name)
        if name in LINE_TOOL_NAMES:
            check.fail("name", f"{name} is a tool that every artifact has; choose another")
        if not said:
            check.fail("description", "must not be empty: the model chooses by it")
        _check_parameters(check, function)
        check.done(InvalidInitialToolValue)
        setattr(function, _MARK, ToolMethod(name, function, said, serialise))
        return function

    return mark


def _check_parameters(check: Checks, function: Callable[..., Any]) -> None:
    if not isfunction(function):
        check.fail("function", "must be the method itself: put other decorators above this one")
        return
    for parameter in [*signature(function).parameters.values()][1:]:
        if parameter.name == CALL_ID:
            check.fail(CALL_ID, "names the artifact already; give the parameter another name")
        if parameter.annotation is parameter.empty:
            check.fail(parameter.name, "needs a type annotation: it becomes the schema")


def tool_methods(kind: type) -> tuple[ToolMethod, ...]:
    """Return the methods that a class offers as tools, without inherited ones."""
    return tuple(
        method._replace(attribute=name)
        for name, member in vars(kind).items()
        if isinstance(method := getattr(member, _MARK, None), ToolMethod)
    )


class SpooledArtifact:
    """A text too large to pass around, with methods that read only the requested part.

    Only `as_string` and `estimate_tokens` read the whole text. Raises
    `NotASpoolReader`.
    """

    __slots__ = ("_reader",)

    def __init__(self, reader: SpoolReader) -> None:
        if not has_methods(reader, "byte_length", "line_count", "lines", "text"):
            raise NotASpoolReader(f"an artifact needs a SpoolReader, which {reader!r} is not")
        self._reader = reader

    @property
    def reader(self) -> SpoolReader:
        """The reader of the text."""
        return self._reader

    async def byte_length(self) -> int:
        """Return the size in UTF-8 bytes."""
        return await settled(self._reader.byte_length())

    async def line_count(self) -> int:
        """Return the number of lines."""
        return await settled(self._reader.line_count())

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
            async with aclosing(self.matching(pattern)) as lines:
                async for line in lines:
                    found.append(line)
                    if len(found) == limit:
                        break
        return found

    async def as_string(self) -> str:
        """Read everything."""
        return await settled(self._reader.text())

    async def estimate_tokens(self, encoding: str) -> TokenCount:
        """Read everything and count its tokens."""
        return count_tokens(await self.as_string(), encoding)

    async def lines(
        self, start: int = 0, end: int | None = None, *, longest: int = LONGEST_LINE
    ) -> AsyncGenerator[str, None]:
        """Yield the lines of a range, which is clamped, one by one.

        Other tasks run in between, even if the reader never waits: so a long scan can be cancelled.
        """
        start = max(0, start)
        if end is not None and end <= start:
            return
        lines = self._reader.lines(start, end, longest=longest)
        count = 0
        async for line in lines if isinstance(lines, AsyncIterable) else _one_by_one(lines):
            yield line
            count += 1
            if count % LINES_A_TURN == 0:
                await _GiveWay()

    async def matching(self, pattern: LinePattern) -> AsyncGenerator[str, None]:
        """Yield the lines in which `pattern` is found, in order."""
        if isinstance(pattern, BlockPattern) and isinstance(self._reader, BlockReader):
            async for block in self._reader.line_blocks():
                for line in pattern.lines_in(block):
                    yield line
                await _GiveWay()
        else:
            async for line in self.lines():
                if pattern.search(line):
                    yield line


async def settled(value: T | Awaitable[T]) -> T:
    """Return a value that is either plain or has to be awaited."""
    return cast("T", await value if isawaitable(value) else value)


class _GiveWay:
    """Lets other tasks run when awaited: `asyncio.sleep(0)` without loading asyncio."""

    __slots__ = ()

    def __await__(self) -> Generator[None, None, None]:
        yield


async def _one_by_one(lines: Iterable[str]) -> AsyncIterator[str]:
    for line in lines:
        yield line
