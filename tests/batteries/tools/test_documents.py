"""The two tools over a library of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tether.batteries.testing import run_tool
from tether.batteries.tools.documents import DocumentEntry, Passage, document_tools
from tether.core.errors import InvalidInitialToolValue
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError

PAGES = [f"page {number}" for number in range(60)]


class Shelf:
    """A library that ignores limits, to see that the tools do not."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    async def search(self, query: str, limit: int) -> Sequence[Passage]:
        self.asked.append((query, limit))
        return [Passage(page, page.title(), f"{query} on {page}", score=0.5) for page in PAGES]

    async def list(self, contains: str, start: int, limit: int) -> Sequence[DocumentEntry]:
        self.asked.append((contains, start, limit))
        return [DocumentEntry(page, page.title(), "https://a.example") for page in PAGES]


async def test_search_returns_passages_with_their_document() -> None:
    shelf = Shelf()
    search, _ = document_tools(shelf)
    found = await run_tool(search, {"query": "tea"})
    assert shelf.asked == [("tea", 5)]
    assert len(found) == 5
    assert found[0] == {
        "document": "page 0",
        "title": "Page 0",
        "text": "tea on page 0",
        "source": None,
        "score": 0.5,
    }


async def test_the_list_can_be_searched_and_paged() -> None:
    shelf = Shelf()
    _, listing = document_tools(shelf)
    found = await run_tool(listing, {"contains": "p", "start": 10, "limit": 3})
    assert shelf.asked == [("p", 10, 3)]
    assert found[0] == {"document": "page 0", "title": "Page 0", "source": "https://a.example"}
    assert len(found) == 3
    assert len(await run_tool(listing)) == 50


async def test_the_tools_have_the_names_models_know() -> None:
    assert [tool.name for tool in document_tools(Shelf())] == ["search_documents", "list_documents"]
    assert {tool.meta.get("category") for tool in document_tools(Shelf())} == {"documents"}


@pytest.mark.parametrize("library", [None, object(), "a library"])
def test_a_library_has_to_be_one(library: Any) -> None:
    with pytest.raises(InvalidInitialToolValue, match="search and list"):
        document_tools(library)


@pytest.mark.parametrize(
    ("position", "args", "named"),
    [
        (0, {}, "query"),
        (0, {"query": ""}, "query"),
        (0, {"query": "x" * 1_001}, "query"),
        (0, {"query": "x", "limit": 21}, "limit"),
        (1, {"start": -1}, "start"),
        (1, {"limit": 0}, "limit"),
        (1, {"contains": "x" * 1_001}, "contains"),
    ],
)
async def test_unfit_arguments_are_named(position: int, args: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidToolArgs, match=named):
        await run_tool(document_tools(Shelf())[position], args)


class PlainShelf:
    """A library whose methods are plain."""

    def search(self, query: str, limit: int) -> Sequence[Passage]:
        return [Passage("p", "P", query)]

    def list(self, contains: str, start: int, limit: int) -> Sequence[DocumentEntry]:
        return []


async def test_the_methods_of_a_library_may_be_plain() -> None:
    search, listing = document_tools(PlainShelf())
    assert (await run_tool(search, {"query": "tea"}))[0]["text"] == "tea"
    assert await run_tool(listing) == []


class Mess(Shelf):
    """A library whose answers are not what they should be."""

    async def search(self, query: str, limit: int) -> Sequence[Passage]:
        odd: Any = Passage("a", None, 3, score="high")  # type: ignore[arg-type]  # what is tested
        return [odd, Passage("b", "B", "text")]

    async def list(self, contains: str, start: int, limit: int) -> Sequence[DocumentEntry]:
        mixed: Any = {"document": "b"}
        return [DocumentEntry("a", "A"), mixed]


async def test_a_library_that_answers_with_something_else_is_told_every_bad_field() -> None:
    search, listing = document_tools(Mess())
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(search, {"query": "tea"})
    for field in ("found[0].title", "found[0].text", "found[0].score"):
        assert field in str(caught.value.__cause__)
    assert "found[1]" not in str(caught.value.__cause__)
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(listing, {})
    assert "found[1]: must be a DocumentEntry" in str(caught.value.__cause__)
