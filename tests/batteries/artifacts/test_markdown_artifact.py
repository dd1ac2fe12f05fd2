"""Markdown documents as artifacts."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.turns import ran
from tether import DispatchContext, forge_tools, tool
from tether.batteries.artifacts import markdown
from tether.batteries.artifacts.markdown import SpooledMarkdownArtifact
from tether.batteries.testing import Call, Say, ScriptedModel
from tether.core.artifact import LONGEST_LINE, tool_methods
from tether.core.errors import InputRefused, LimitExceeded
from tether.core.spool import TextSpool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

GUIDE = """---
title: Guide
draft: false
tags: [one, two]
---
# Guide to *things*

See [the site](https://example.org/a_(b) "Site"), `[no](link)`,
![logo](logo.png 'Logo') and <https://auto.example>.

```python
# no heading
[no](link)
```

## Install ##

1. Get it from [here][mirror]:

    ~~~
    ## no heading
    ~~~

2. Done

> A [quote](q.html)
> goes on

## Use

[mirror]: https://mirror.example 'Mirror'

| name | link |
|------|------|
| one  | [1](one.html) |

    [indented](code)

***

#### Deep

# End
```
# not closed
[mirror]: https://never.example

[mirror]: https://never.example/too
"""


class Counting(TextSpool):
    """A reader that counts how often it is read, and is never read as a whole."""

    __slots__ = ("reads",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.reads = 0

    async def lines(
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        self.reads += 1
        async for line in super().lines(start, end, longest=longest):
            yield line

    async def text(self) -> str:
        raise AssertionError("the whole text was read")


def document(text: str = GUIDE) -> SpooledMarkdownArtifact:
    return SpooledMarkdownArtifact(Counting(text))


def line_of(text: str) -> int:
    """Find a line by what it holds: the source is the document itself."""
    (found,) = (n for n, line in enumerate(GUIDE.split("\n")) if text in line)
    return found


LAST = GUIDE.count("\n")


async def test_front_matter_is_data_and_is_read_once() -> None:  # CONTRACT 107
    reader = Counting(GUIDE)
    artifact = SpooledMarkdownArtifact(reader)
    expected = {"title": "Guide", "draft": False, "tags": ["one", "two"]}
    assert await artifact.md_frontmatter() == expected
    reads = reader.reads
    assert await artifact.md_frontmatter() == expected
    assert reader.reads == reads


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# a",
        "\n---\na: 1\n---",
        "---\na: 1",
        "---\n" + "a: 1\n" * 199 + "---\n",
        "---\n---\n",
    ],
)
async def test_without_front_matter_there_is_none(text: str) -> None:  # CONTRACT 107
    assert await document(text).md_frontmatter() is None


async def test_without_front_matter_yaml_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert await document("# a").md_frontmatter() is None
    with pytest.raises(InputRefused, match="pip install"):
        await document(GUIDE).md_frontmatter()


@pytest.mark.parametrize("body", ["a: &x 1", "a: 1\na: 2", "!!python/name:os.system", "a: [" * 200])
async def test_front_matter_that_is_a_bomb_is_refused(body: str) -> None:  # case 100
    artifact = document(f"---\n{body}\n---\n# a")
    with pytest.raises(InputRefused):
        await artifact.md_frontmatter()
    assert len(await artifact.md_headings()) == 1


async def test_headings_are_in_order_with_the_lines_they_head() -> None:  # CONTRACT 108
    deep, end = line_of("#### Deep"), line_of("# End")
    install, use = line_of("## Install"), line_of("## Use")
    assert await document().md_headings() == [
        {"text": "Guide to things", "depth": 1, "start_line": 5, "end_line": end - 1},
        {"text": "Install", "depth": 2, "start_line": install, "end_line": use - 1},
        {"text": "Use", "depth": 2, "start_line": use, "end_line": end - 1},
        {"text": "Deep", "depth": 4, "start_line": deep, "end_line": end - 1},
        {"text": "End", "depth": 1, "start_line": end, "end_line": LAST},
    ]


async def test_headings_are_filtered_by_depth() -> None:  # CONTRACT 108
    artifact = document()
    assert [h["text"] for h in await artifact.md_headings(2)] == ["Install", "Use"]
    assert await artifact.md_headings(6) == []


async def test_a_heading_shows_the_text_of_its_links() -> None:
    text = "# See [a *b*](u) and [c]\n\n[c]: /v"
    assert [h["text"] for h in await document(text).md_headings()] == ["See a b and c"]


@pytest.mark.parametrize(
    "text",
    ["#no", "####### seven", "    # code", "Title\n=====", "Title\n---", "- # item", "> # q"],
)
async def test_only_hashes_and_a_space_make_a_heading(text: str) -> None:  # CONTRACT 2.8
    assert await document(text).md_headings() == []


async def test_sections_are_ranges_of_lines() -> None:  # CONTRACT 109
    sections = await document("# a\n\nx\n## b\n### c\ny\n# d").md_sections()
    assert [tuple(section.values()) for section in sections] == [
        (1, "a", 0, 1, 5),
        (2, "b", 3, 4, 5),
        (3, "c", 4, 5, 5),
        (1, "d", 6, 7, 6),
    ]
    assert list(sections[0]) == [
        "depth",
        "heading",
        "heading_line",
        "body_start_line",
        "body_end_line",
    ]
    assert [s["heading"] for s in await document("# a\n## b").md_sections(2)] == ["b"]


async def test_code_blocks_have_a_language_and_the_lines_of_their_fences() -> None:
    python, tilde = line_of("```python"), line_of("    ## no heading")
    assert await document().md_code_blocks() == [
        {"lang": "python", "start_line": python, "end_line": python + 3},
        {"lang": None, "start_line": tilde - 1, "end_line": tilde + 1},
        {"lang": None, "start_line": line_of("# End") + 1, "end_line": LAST},
    ]


@pytest.mark.parametrize(
    ("lang", "count"), [(None, 3), ("python", 1), ("Python", 1), ("", 2), ("js", 0)]
)
async def test_code_blocks_are_filtered_by_language(lang: str | None, count: int) -> None:
    assert len(await document().md_code_blocks(lang)) == count  # CONTRACT 109


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("```\na\n```", (0, 2)),
        ("````\n```\n````", (0, 2)),
        ("```\n~~~\n``", (0, 2)),
        ("~~~\n~~~~", (0, 1)),
        ("```\na", (0, 1)),
        ("- ```\n  a\nb", (0, 1)),
        ("> ```\n> a\nb", (0, 1)),
    ],
)
async def test_a_fence_closes_with_the_same_character_and_length(
    text: str, lines: tuple[int, int]
) -> None:  # CONTRACT 2.8
    (block,) = await document(text).md_code_blocks()
    assert (block["start_line"], block["end_line"]) == lines


LINKS = [
    ("the site", "https://example.org/a_(b)", "Site", "See [the"),
    ("https://auto.example", "https://auto.example", None, "<https://auto"),
    ("here", "https://mirror.example", "Mirror", "[here][mirror]"),
    ("quote", "q.html", None, "> A [quote]"),
    ("1", "one.html", None, "[1](one"),
]


async def test_links_are_listed_with_their_lines() -> None:
    assert await document().md_links() == [
        {"text": text, "url": url, "title": title, "line": line_of(place)}
        for text, url, title, place in LINKS
    ]


async def test_images_are_listed_with_their_lines() -> None:
    expected = {"alt": "logo", "url": "logo.png", "title": "Logo", "line": line_of("![logo]")}
    assert await document().md_images() == [expected]
    assert await document().md_images(0, line_of("![logo]")) == []


async def test_a_range_of_lines_is_half_open() -> None:  # CONTRACT 109
    artifact, use = document(), line_of("## Use")
    install = line_of("## Install")
    assert [link["text"] for link in await artifact.md_links(install, use)] == ["here", "quote"]
    assert [link["text"] for link in await artifact.md_links(use)] == ["1"]
    assert await artifact.md_links(use, use) == []
    assert await artifact.md_links(10_000) == []
    assert await artifact.md_text(install, install + 3) == "Install\n\nGet it from here:"
    assert [b["type"] for b in await artifact.md_ast(install, use)] == ["heading", "list", "quote"]


async def test_what_began_before_a_range_is_still_open() -> None:
    artifact, python = document(), line_of("```python")
    assert await artifact.md_links(python + 1, python + 3) == []
    assert await artifact.md_ast(python + 1, python + 3) == [
        {"type": "code", "start_line": python + 1, "end_line": python + 2, "lang": "python"}
    ]
    assert await artifact.md_text(python + 1, python + 3) == "# no heading\n[no](link)"
    assert await artifact.md_ast(1, 3) == [{"type": "frontmatter", "start_line": 1, "end_line": 2}]


async def test_plain_text_has_no_marks_and_keeps_code() -> None:
    assert await document().md_text(0, line_of("#### Deep")) == "\n".join(
        [
            "Guide to things",
            "",
            "See the site, [no](link),",
            "logo and https://auto.example.",
            "",
            "# no heading",
            "[no](link)",
            "",
            "Install",
            "",
            "Get it from here:",
            "## no heading",
            "Done",
            "",
            "A quote",
            "goes on",
            "",
            "Use",
            "",
            "name\tlink",
            "one\t1",
            "",
            "[indented](code)",
        ]
    )


async def test_the_blocks_of_a_document() -> None:
    blocks = await document().md_ast()
    assert [block["type"] for block in blocks] == [
        *("frontmatter", "heading", "paragraph", "code", "heading", "list", "quote", "heading"),
        *("paragraph", "table", "code", "rule", "heading", "heading", "code"),
    ]
    assert blocks[0] == {"type": "frontmatter", "start_line": 0, "end_line": 4}
    assert blocks[1] == {
        "type": "heading",
        "start_line": 5,
        "end_line": 5,
        "depth": 1,
        "text": "Guide to things",
    }
    assert blocks[10]["lang"] is None


PIECES = ["# h [a](b)", "## i", "text [c](d)", "- item", "  more [e](f)", "```", "", "> q", "    x"]


@given(st.lists(st.sampled_from(PIECES), max_size=12))
async def test_the_parts_between_headings_make_up_the_document(lines: list[str]) -> None:
    artifact = document("\n".join(lines))
    cuts = [0, *(heading["start_line"] for heading in await artifact.md_headings()), None]
    for read in (artifact.md_links, artifact.md_ast):
        parts = [found for a, b in pairwise(cuts) for found in await read(a or 0, b)]
        assert parts == await read()


async def test_any_line_end_and_a_byte_order_mark_are_read() -> None:
    artifact = document("\ufeff---\r\na: 1\r\n---\r\n# b\r\n[c](d)\r\n")
    assert await artifact.md_frontmatter() == {"a": 1}
    assert [heading["text"] for heading in await artifact.md_headings()] == ["b"]
    assert [link["line"] for link in await artifact.md_links()] == [4]
    marked = await document("\ufeff# a\u2028b").md_headings()
    assert [heading["text"] for heading in marked] == ["a\u2028b"]  # case 179


async def test_an_empty_document_has_nothing() -> None:
    artifact = document("")
    assert await artifact.md_headings() == []
    assert await artifact.md_ast() == []
    assert await artifact.md_text() == ""


@pytest.mark.parametrize("method", ["md_links", "md_images", "md_text", "md_ast"])
@pytest.mark.parametrize(("args", "name"), [((-1,), "start_line"), ((0, -5), "end_line")])
async def test_a_negative_line_is_refused(method: str, args: Any, name: str) -> None:
    with pytest.raises(InputRefused, match=f"{name} has to be 0 or more"):
        await getattr(document(), method)(*args)


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("md_links", "[a](b) " * 10_001),
        ("md_images", "![a](b)\n\n" * 10_001),
        ("md_ast", "***\n" * 10_002),
    ],
)
async def test_too_many_answers_are_refused(method: str, text: str) -> None:
    with pytest.raises(LimitExceeded, match=r"more than 10,000 .*; give a shorter range"):
        await getattr(document(text), method)()


async def test_too_much_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "LONGEST_TEXT", 1_000)
    with pytest.raises(LimitExceeded, match="more than 1,000 characters"):
        await document("word\n\n" * 1_000).md_text()
    assert len(await document("word\n\n" * 1_000).md_text(0, 20)) == 58


class CountingSpool(TextSpool):
    """Text, and how many of its lines were handed out."""

    handed_out = 0

    async def lines(
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        async for line in super().lines(start, end, longest=longest):
            self.handed_out += 1
            yield line


async def test_a_document_with_too_many_headings_is_read_by_ranges_of_lines() -> None:
    spool = CountingSpool("[a]: first.html\n\n" + "## Part [x][a]\n" * 110_000 + "the *end*\n")
    subject = SpooledMarkdownArtifact(spool)
    for ask in (subject.md_headings, subject.md_sections, subject.md_code_blocks):
        with pytest.raises(LimitExceeded, match=r"artifact_md_ast.*artifact_grep"):
            await ask()
    assert spool.handed_out < 101_000, "it is read once, and no further than need be"
    assert await subject.md_text(109_999, 110_001) == "Part x\n\nPart x"
    assert await subject.md_text(110_002) == "the end"
    [link] = await subject.md_links(50, 51)
    assert (link["url"], link["line"]) == ("first.html", 50)
    assert await subject.md_images(50, 51) == []
    assert [block["type"] for block in await subject.md_ast(110_001)] == ["heading", "paragraph"]
    assert await subject.md_frontmatter() is None


async def test_what_is_returned_of_the_front_matter_is_a_copy() -> None:
    subject = document("---\na: [1]\n---\n")
    (await subject.md_frontmatter())["a"].append(2)
    assert await subject.md_frontmatter() == {"a": [1]}


def test_the_tools_are_those_of_the_contract() -> None:  # CONTRACT 2.8
    assert [method.tool for method in tool_methods(SpooledMarkdownArtifact)] == [
        "artifact_md_frontmatter",
        "artifact_md_headings",
        "artifact_md_sections",
        "artifact_md_code_blocks",
        "artifact_md_links",
        "artifact_md_images",
        "artifact_md_text",
        "artifact_md_ast",
    ]


@tool(artifact_constructor=SpooledMarkdownArtifact)
def fetch() -> str:
    """Fetch the guide."""
    return GUIDE


async def test_a_model_fetches_a_document_and_asks_it() -> None:  # CONTRACT 110
    contexts: list[DispatchContext] = []

    async def keep(ctx: DispatchContext, call_next: Any) -> None:
        contexts.append(ctx)
        await call_next()

    model = ScriptedModel(
        [
            [Call("fetch", {}, id="doc")],
            [Call("artifact_md_headings", {"call_id": "doc", "depth": 2}, id="headings")],
            [Call("artifact_md_links", {"call_id": "doc", "start_line": 5}, id="links")],
            [Call("artifact_md_code_blocks", {"call_id": "doc", "lang": "js"}, id="code")],
            [Say("It is a guide.")],
        ]
    )
    run = await ran(model, tools=[fetch], dispatch_input_pipeline=[keep])
    assert run.errors == []
    results = {call.id: str(call.results) for call in run.turn.turn_tool_calls if call.id != "doc"}
    assert [h["text"] for h in json.loads(results["headings"])] == ["Install", "Use"]
    assert [link["text"] for link in json.loads(results["links"])] == [link[0] for link in LINKS]
    assert results["code"] == "(empty list)"  # CONTRACT 101
    assert contexts[0].tools.all() == [fetch]


async def test_a_depth_that_no_heading_has_is_refused_by_the_schema() -> None:
    schemas: list[Any] = []

    async def look(ctx: DispatchContext, call_next: Any) -> None:
        found = forge_tools(ctx).get("artifact_md_headings")
        schemas.append(found and found.describe()["input_schema"]["properties"]["depth"])
        await call_next()

    model = ScriptedModel([[Call("fetch", {}, id="doc")], [Say("Done.")]])
    await ran(model, tools=[fetch], dispatch_input_pipeline=[look])
    assert schemas[-1]["anyOf"][0]["enum"] == [1, 2, 3, 4, 5, 6]
