"""What stands in place of a large text."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from support.prompts import artifact
from tether import SpooledArtifact, TextSpool, artifact_tool
from tether.batteries.artifacts.markdown import SpooledMarkdownArtifact
from tether.core.tokens import count_tokens
from tether.runtime.line_tools import MOST_COUNTED
from tether.trust.content import render_handle
from tether.trust.loader import load_handle
from tether.trust.nonces import Nonces
from tether.trust.records import Handle
from tether.trust.render_context import Rendering, RenderSettings
from tether.trust.steps import Steps

RENDERING = Rendering(RenderSettings(), Nonces().for_turn("turn"), Steps())
LINE_TOOL_NAMES = [
    "artifact_head",
    "artifact_tail",
    "artifact_grep",
    "artifact_cat",
    "artifact_byte_length",
    "artifact_line_count",
    "artifact_estimate_tokens",
]


class Table(SpooledArtifact):
    """An artifact with tools of its own."""

    @artifact_tool("table_rows")
    async def rows(self, n: int) -> list[str]:
        """Read some rows.

        Args:
            n: How many.
        """
        return await self.head(n)


class Sheet(Table):
    @artifact_tool("sheet_sum")
    async def total(self) -> int:
        """Add the cells up."""
        return 0

    @artifact_tool("table_rows", description="Read some rows of the sheet.")
    async def rows(self, n: int) -> list[str]:
        return await self.head(n)


class BrokenSpool:
    """A reader that fails whatever it is asked."""

    def byte_length(self) -> int:
        raise OSError("the disk is gone")

    def line_count(self) -> int:
        raise OSError("the disk is gone")

    async def lines(self, start: int, end: int | None, *, longest: int = 0) -> AsyncIterator[str]:
        raise OSError("the disk is gone")
        yield ""

    def text(self) -> str:
        raise OSError("the disk is gone")


class HugeSpool(BrokenSpool):
    """A reader that is too large to be counted."""

    def byte_length(self) -> int:
        return MOST_COUNTED + 1


async def test_a_handle_says_how_large_a_text_is_and_how_to_ask_for_it() -> None:
    # CONTRACT 1.5
    handle = await load_handle("call-7", artifact("one\ntwö\n"))
    lines = render_handle(RENDERING, handle).split("\n")
    facts = ["call_id: call-7", "kind: SpooledArtifact", "byte_length: 9", "line_count: 3"]
    assert lines[1:5] == facts
    assert lines[5].endswith("call_id=call-7:")
    assert [line.split(":")[0] for line in lines[6:-1]] == [f"- {name}" for name in LINE_TOOL_NAMES]


async def test_tokens_are_counted_where_there_is_an_encoding() -> None:
    # CONTRACT 1.5
    text = "one two three\n" * 50
    handle = await load_handle("c1", artifact(text), "cl100k_base")
    count = count_tokens(text, "cl100k_base")
    assert f"estimated_tokens: {int(count)} (cl100k_base)" in render_handle(RENDERING, handle)
    assert "estimated_tokens:" not in render_handle(
        RENDERING, await load_handle("c1", artifact(text))
    )


async def test_the_tools_of_the_class_come_before_those_of_every_artifact() -> None:
    # CONTRACT 1.5 (newest): the class's methods plus the seven readers
    table = await load_handle("c1", Table(TextSpool("a")))
    assert [tool.name for tool in table.tools] == ["table_rows", *LINE_TOOL_NAMES]
    assert table.tools[0].description == "Read some rows."
    assert table.kind == "Table"
    sheet = await load_handle("c1", Sheet(TextSpool("a")))
    assert [tool.name for tool in sheet.tools] == ["table_rows", "sheet_sum", *LINE_TOOL_NAMES]
    assert sheet.tools[0].description == "Read some rows of the sheet."


async def test_the_tools_are_those_that_the_runtime_forges() -> None:
    handle = await load_handle("c1", SpooledMarkdownArtifact(TextSpool("# A")))
    assert "artifact_md_headings" in [tool.name for tool in handle.tools]


@pytest.mark.parametrize("encoding", [None, "cl100k_base"])
async def test_what_cannot_be_measured_is_shown_as_nothing(encoding: str | None) -> None:
    # CONTRACT 1.5
    handle = await load_handle("c1", SpooledArtifact(BrokenSpool()), encoding)
    assert (handle.byte_length, handle.line_count, handle.tokens) == (0, 0, None)
    text = render_handle(RENDERING, handle)
    assert "byte_length: 0\nline_count: 0\n" in text


async def test_what_is_too_large_to_be_counted_is_not() -> None:
    handle = await load_handle("c1", SpooledArtifact(HugeSpool()), "cl100k_base")
    assert handle.byte_length == MOST_COUNTED + 1
    assert handle.tokens is None


async def test_a_count_that_fails_is_left_out() -> None:
    class Unreadable(BrokenSpool):
        def byte_length(self) -> int:
            return 10

    handle = await load_handle("c1", SpooledArtifact(Unreadable()), "cl100k_base")
    assert handle == Handle("c1", "SpooledArtifact", 10, 0, None, handle.tools)
