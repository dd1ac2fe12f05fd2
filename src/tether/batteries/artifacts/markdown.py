"""Markdown documents of any size as artifacts, with tools to read their structure."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from tether.batteries.languages.records.safe_yaml import parse_yaml
from tether.core.artifact import SpooledArtifact, artifact_tool
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded
from tether.core.plain_data import copy_plain
from tether.text.markdown.inlines import Inlines, Link, read_inlines
from tether.text.markdown.lines import Line, LineScanner
from tether.text.markdown.outline import (
    FRONTMATTER_LINES,
    MOST_ENTRIES,
    Block,
    Blocks,
    Heading,
    Outline,
    Run,
    Runs,
    frontmatter_end,
    read_run,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence

    from tether.core.artifact import SpoolReader
    from tether.text.markdown.targets import Target

MOST_FOUND = 10_000
LONGEST_TEXT = 5_000_000

Depth = Literal[1, 2, 3, 4, 5, 6]


class SpooledMarkdownArtifact(SpooledArtifact):
    """A document that stays with its reader.

    Its headings, the places of its code blocks and its link definitions are kept in memory. Lines
    are counted from 0. Headings are those written with #, outside front matter and fenced code. A
    range of lines is read as if it were the document, except that a list or code that began before
    it is still open; it can be read however many headings there are. The methods raise
    `InputRefused` and `LimitExceeded`.
    """

    __slots__ = ("_frontmatter", "_frontmatter_end", "_outline")

    def __init__(self, reader: SpoolReader) -> None:
        super().__init__(reader)
        self._outline: Outline | None = None
        self._frontmatter_end = -1
        self._frontmatter: tuple[Any] | None = None

    @artifact_tool("artifact_md_frontmatter")
    async def md_frontmatter(self) -> Any:
        """Read the front matter of a document, YAML between two --- lines at its top, as data.

        It has to close within the first 200 lines; where there is none, nothing is returned.
        """
        await self._known()
        if self._frontmatter is None and self._frontmatter_end > 0:
            lines = await self.cat(1, self._frontmatter_end)
            self._frontmatter = (parse_yaml("\n".join(lines)),)
        return copy_plain(self._frontmatter[0]) if self._frontmatter else None

    @artifact_tool("artifact_md_headings")
    async def md_headings(self, depth: Depth | None = None) -> list[dict[str, Any]]:
        """List the headings of a document, in order, with the lines of their sections.

        Args:
            depth: Only the headings with so many #, from 1 to 6.
        """
        return [
            {"text": text, "depth": depth, "start_line": start, "end_line": end}
            for depth, text, start, end in await self._headings(depth)
        ]

    @artifact_tool("artifact_md_sections")
    async def md_sections(self, depth: Depth | None = None) -> list[dict[str, Any]]:
        """List the sections of a document by their lines, which can then be read.

        A section goes from its heading to the line before the next heading of the same or a
        smaller depth. Its body is empty where it would end before it starts.

        Args:
            depth: Only the sections whose heading has so many #, from 1 to 6.
        """
        return [
            {
                "depth": depth,
                "heading": text,
                "heading_line": start,
                "body_start_line": start + 1,
                "body_end_line": end,
            }
            for depth, text, start, end in await self._headings(depth)
        ]

    @artifact_tool("artifact_md_code_blocks")
    async def md_code_blocks(self, lang: str | None = None) -> list[dict[str, Any]]:
        """List the fenced code blocks of a document, with their language and their fences' lines.

        Args:
            lang: Only the blocks in this language; an empty text stands for those without one.
        """
        wanted = None if lang is None else lang.strip().casefold()
        return [
            {"lang": block.lang, "start_line": block.start, "end_line": block.end}
            for block in (await self._complete()).code_blocks
            if wanted is None or wanted == (block.lang or "").casefold()
        ]

    @artifact_tool("artifact_md_links")
    async def md_links(
        self, start_line: int = 0, end_line: int | None = None
    ) -> list[dict[str, Any]]:
        """List the links of a document, in order: text, url, title and line.

        Links by reference are resolved with the definitions of the whole document.

        Args:
            start_line: The first line to look at, counted from 0.
            end_line: The line to stop before; left out, the document is read to its end.
        """
        links: list[dict[str, Any]] = []
        async with aclosing(self._inlines(start_line, end_line)) as inlines:
            async for run, found in inlines:
                links += _numbered(run, found.links, "text")
                _refuse_too_many(links, "links")
        return links

    @artifact_tool("artifact_md_images")
    async def md_images(
        self, start_line: int = 0, end_line: int | None = None
    ) -> list[dict[str, Any]]:
        """List the images of a document, in order: alternative text, url, title and line.

        Args:
            start_line: The first line to look at, counted from 0.
            end_line: The line to stop before; left out, the document is read to its end.
        """
        images: list[dict[str, Any]] = []
        async with aclosing(self._inlines(start_line, end_line)) as inlines:
            async for run, found in inlines:
                images += _numbered(run, found.images, "alt")
                _refuse_too_many(images, "images")
        return images

    @artifact_tool("artifact_md_text")
    async def md_text(self, start_line: int = 0, end_line: int | None = None) -> str:
        """Read a document as plain text: without marks, with a blank line between blocks.

        Code is kept as it is, and of links and images the text.

        Args:
            start_line: The first line to read, counted from 0.
            end_line: The line to stop before; left out, the document is read to its end.
        """
        parts: list[str] = []
        size = 0
        async with aclosing(self._inlines(start_line, end_line)) as inlines:
            async for run, found in inlines:
                if found.text or run.is_code:
                    parts += ("\n\n" if run.is_first else "\n", found.text)
                    size += len(found.text)
                if size > LONGEST_TEXT:
                    _refuse(f"{LONGEST_TEXT:,} characters")
        return "".join(parts[1:])

    @artifact_tool("artifact_md_ast")
    async def md_ast(
        self, start_line: int = 0, end_line: int | None = None
    ) -> list[dict[str, Any]]:
        """List the blocks of a document, in order, with their type and their lines.

        The types are frontmatter, heading, paragraph, list, code, quote, table and rule; blocks
        inside a list or a quote belong to it. A block that reaches beyond the range is cut.

        Args:
            start_line: The first line to look at, counted from 0.
            end_line: The line to stop before; left out, the document is read to its end.
        """
        grouped = Blocks()
        blocks: list[Block] = []
        async with aclosing(self._range(start_line, end_line)) as lines:
            async for line in lines:
                blocks += grouped.feed(line)
                _refuse_too_many(blocks, "blocks")
        definitions = (await self._known()).definitions
        return [_described(block, definitions) for block in (*blocks, *grouped.finish())]

    async def _headings(self, depth: Depth | None) -> list[Heading]:
        known = await self._complete()
        return [
            heading._replace(text=read_inlines(heading.text, known.definitions).text)
            for heading in known.headings
            if depth is None or heading.depth == depth
        ]

    async def _complete(self) -> Outline:
        outline = await self._known()
        if outline.is_full:
            raise LimitExceeded(
                f"the document has more than {MOST_ENTRIES:,} headings, code blocks and link "
                "definitions, too many to list. Ask for the blocks of a range of lines "
                "(artifact_md_ast), or search for lines (artifact_grep, with ^## for instance)"
            )
        return outline

    async def _known(self) -> Outline:
        """Read the whole document, once: its text does not change.

        A full outline is kept as well. It still says where to begin to read a range of lines, and
        the targets of the first labels.
        """
        if self._outline is None:
            end = frontmatter_end(await self.head(FRONTMATTER_LINES))
            self._frontmatter_end = -1 if end is None else end
            outline = Outline()
            async with aclosing(self._scanned(0)) as lines:
                async for line in lines:
                    outline.feed(line)
                    if outline.is_full:
                        break
            outline.finish()
            self._outline = outline
        return self._outline

    async def _scanned(self, start: int) -> AsyncGenerator[Line, None]:
        """Yield the lines from one on which nothing before it has a bearing."""
        scanner = LineScanner(self._frontmatter_end)
        number, held = start, None
        async for line in self.lines(start):
            if held is None:
                held = line.removeprefix("\ufeff")
                continue
            yield scanner.scan(number, held, line)
            number, held = number + 1, line
        if held is not None:
            yield scanner.scan(number, held, None)

    async def _range(self, start: int, end: int | None) -> AsyncGenerator[Line, None]:
        """Yield the lines of a range, read from the last heading before it."""
        for name, value in (("start_line", start), ("end_line", end)):
            if value is not None and value < 0:
                raise InputRefused(f"{name} has to be 0 or more, not {in_short(value)}")
        headings = (await self._known()).headings
        before = bisect_right(headings, start, key=lambda heading: heading.start)
        async with aclosing(self._scanned(headings[before - 1].start if before else 0)) as lines:
            async for line in lines:
                if end is not None and line.number >= end:
                    return
                if line.number >= start:
                    yield line

    async def _inlines(
        self, start: int, end: int | None
    ) -> AsyncGenerator[tuple[Run, Inlines], None]:
        """Yield the runs of text in a range with their inline text."""
        definitions = (await self._known()).definitions
        runs = Runs()
        async with aclosing(self._range(start, end)) as lines:
            async for line in lines:
                for run in runs.feed(line):
                    yield run, read_run(run, definitions)
        for run in runs.finish():
            yield run, read_run(run, definitions)


def _numbered(run: Run, links: Sequence[Link], text: str) -> Iterator[dict[str, Any]]:
    """Yield links, which are in order, with the lines they stand in."""
    line = position = 0
    for link in links:
        line += run.text.count("\n", position, link.position)
        position = link.position
        found = {text: link.text, "url": link.url, "title": link.title}
        yield {**found, "line": run.numbers[line]}


def _described(block: Block, definitions: Mapping[str, Target]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "type": block.kind,
        "start_line": block.start,
        "end_line": block.end,
    }
    if block.kind == "heading":
        described |= {"depth": block.depth, "text": read_inlines(block.text, definitions).text}
    if block.kind == "code":
        described["lang"] = block.fence.lang if block.fence else None
    return described


def _refuse_too_many(found: Sequence[object], what: str) -> None:
    if len(found) > MOST_FOUND:
        _refuse(f"{MOST_FOUND:,} {what}")


def _refuse(much: str) -> NoReturn:
    raise LimitExceeded(f"there are more than {much}; give a shorter range of lines")
