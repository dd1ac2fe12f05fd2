"""Markdown: blocks with the places that they have in the file."""

from __future__ import annotations

import pytest

from retrieval.readers.pages import pieces, quoted, read, shape
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers import markdown, markdown_text
from tether.retrieval.readers.dispatch import read_document

PAGE = """\
# The *guide*

First sentence. Second one
goes on.

Setext heading
--------------

1. One
2. Two
   - nested
     text

> A quote. With two
> sentences.

| Name | Use |
|------|:---:|
| `a`  | **b** |
| c \\| d | e

```python title="x.py"
def f():

    return 1
```

    indented code

***

[ref]: https://example.org "Title"
Last [word][ref].
"""


def test_each_block_is_what_it_is_and_where_it_is() -> None:
    page = read(PAGE)
    assert shape(page) == [
        ("heading", "The guide"),
        ("paragraph", "First sentence. Second one goes on."),
        ("heading", "Setext heading"),
        ("list", "One\nTwo\nnested text"),
        ("quote", "A quote. With two sentences."),
        ("table", "Name | Use\na | b\nc | d | e"),
        ("code", "def f():\n    return 1"),
        ("code", "indented code"),
        ("paragraph", "Last word."),
    ]
    assert quoted(page)[0] == "# The *guide*"
    assert quoted(page)[2] == "Setext heading\n--------------"
    assert quoted(page)[6] == '```python title="x.py"\ndef f():\n\n    return 1\n```'
    assert page.text == PAGE
    assert page.title == "The guide"
    assert page.kind == "markdown"


def test_pieces_are_sentences_items_rows_and_lines() -> None:
    blocks = read(PAGE).blocks
    assert pieces(blocks[1]) == ["First sentence.", "Second one goes on."]
    assert pieces(blocks[3]) == ["One", "Two\nnested text"]
    assert pieces(blocks[4]) == ["A quote.", "With two sentences."]
    assert pieces(blocks[5]) == ["Name | Use", "", "a | b", "c | d | e"]
    assert pieces(blocks[6]) == ["def f():", "    return 1"]


def test_a_table_carries_its_header_as_it_stands() -> None:
    page = read(PAGE)
    assert page.blocks[5].header == "| Name | Use |\n|------|:---:|"


def test_sentences_are_found_at_their_places() -> None:
    page = read("Some **bold. Still** bold. [A link](x). `Code. Here` ends.\n")
    found = [page.text[piece.start : piece.end] for piece in page.blocks[0].pieces]
    assert found == ["Some **bold.", "Still** bold.", "[A link](x).", "`Code. Here` ends."]
    assert pieces(page.blocks[0]) == ["Some bold.", "Still bold.", "A link.", "Code. Here ends."]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_newlines_stay_as_they_are(newline: str) -> None:
    page = read(PAGE.replace("\n", newline))
    assert shape(page) == shape(read(PAGE))
    assert page.text == PAGE.replace("\n", newline)


def test_headings_have_anchors_that_differ() -> None:
    page = read(
        "# Set up\n## Use it\n## Use it\n## Named {#custom-id}<!-- c -->\n### Other { #other .x }\n"
    )
    assert [(block.level, block.anchor) for block in page.blocks] == [
        (1, "set-up"),
        (2, "use-it"),
        (2, "use-it-1"),
        (2, "custom-id"),
        (3, "other"),
    ]
    assert page.blocks[3].plain == "Named"


def test_anchors_follow_the_style_of_the_site() -> None:
    page = read_document(key="k", name="a.md", data=b"## What's new?", anchors="vitepress")
    assert page.blocks[0].anchor == "what-s-new"


@pytest.mark.parametrize(
    ("text", "key", "title"),
    [
        ("---\ntitle: Front\n---\n# Head\n", "a.md", "Front"),
        ("text\n\n# Head\n", "a.md", "Head"),
        ("## Top\n\n# Head\n", "a.md", "Head"),
        ("## Top\n\ntext\n", "a.md", "Top"),
        ("text\n\n## Later\n", "docs/getting-started.md", "Getting started"),
        ("text", "docs/guide/index.md", "Guide"),
        ("text", "index.md", "Index"),
        ("text", "https://example.org/docs/02_first_steps.md?x=1", "First steps"),
        ("text", "", "untitled"),
        ("text", "---.md", "---.md"),
        ("", "a.md", "A"),
    ],
)
def test_a_title_is_always_found(text: str, key: str, title: str) -> None:
    assert read_document(key=key, name="a.md" if key else "", data=text.encode()).title == title


def test_long_items_are_taken_apart_and_short_ones_are_not() -> None:
    sentence = "This sentence is here to be long enough for the purpose. "
    page = read(f"- {sentence * 20}\n\n  ```sh\n  run\n  it\n  ```\n- short. Item.\n")
    parts = pieces(page.blocks[0])
    assert parts[:20] == [sentence.strip()] * 20
    assert parts[20:] == ["run", "it", "short. Item."]
    assert page.text[page.blocks[0].pieces[0].start] == "-"


def test_items_hold_code_tables_and_rules() -> None:
    page = read(
        "- a\n\n  | x | y |\n  |---|---|\n  | 1 | 2 |\n\n  ---\n\n  ```\n  c\n    d\n  ```\n-\n"
    )
    assert pieces(page.blocks[0]) == ["a\nx | y\n1 | 2\nc\n  d"]


def test_code_without_a_line_and_without_an_end() -> None:
    page = read("```\n```\n\n~~~\nleft open\n")
    assert shape(page) == [("code", ""), ("code", "left open")]
    assert read("```").blocks[0].kind == "code"


def test_empty_elements_leave_no_block() -> None:
    assert read("#\n\n![](x.png)\n\n-\n\n>\n\n<br>\n").blocks == ()


def test_definitions_are_text_only_where_they_define_nothing() -> None:
    page = read("[a]: /x\n[b]: </y z>\n\nSee [a] and [b][] and [c].\n[d]: /no\n")
    assert [(link.target, link.text) for link in page.links] == [("/x", "a"), ("/y z", "b")]
    assert page.blocks[0].plain == "See a and b and [c]. [d]: /no"


def test_lines_of_tags_and_lines_that_look_like_them() -> None:
    page = read("<https://example.org/>\n\n<T> <V>\n\n<a-b c='d'/>\n")
    assert shape(page) == [
        ("paragraph", "https://example.org/"),
        ("paragraph", "<T> <V>"),
    ]


def test_links_have_places_in_the_file() -> None:
    page = read("# H\n\n> see [x](y)\n\n| a |\n|---|\n| [c](d) |\n")
    assert [page.text[link.start :][:6] for link in page.links] == ["[x](y)", "[c](d)"]


def test_html_is_taken_off_and_its_text_kept() -> None:
    page = read(
        '<h1 align="center" id="top">Project</h1>\n<p>Intro &amp; more.</p>\n\n'
        "<table>\n  <tr>\n        <td>one</td>\n        <td>two</td>\n  </tr>\n</table>\n\n"
        "<details>\n<summary>Open me</summary>\n\nInside.\n\n</details>\n"
    )
    assert shape(page) == [
        ("heading", "Project"),
        ("paragraph", "Intro & more."),
        ("paragraph", "one two"),
        ("paragraph", "Open me"),
        ("paragraph", "Inside."),
    ]
    assert page.blocks[0].anchor == "top"
    assert page.title == "Project"
    assert read("<h2>\n\n<b></b>\n<h2>Two</h2>\n").blocks[0].anchor == "two"


def test_what_nobody_sees_is_left_out() -> None:
    page = read(
        "<!-- markdownlint-disable -->\nSeen.\n<!-- more\n\nhidden\n-->\n"
        "<script setup>\nlet a = 1\n</script>\n<style>\n.a {}\n</style>\n"
        "<llm-only>\n\nIgnore this.\n\n</llm-only>\n\n"
        "`<!-- code -->` and text<!-- a --><!-- b -->, here <!-- c -->.\n\n"
        "```html\n<!-- kept -->\n```\n"
        "{/* note */}{{< comment >}}\nno\n{{< /comment >}}\n"
        "Never closed <!-- stays, ``so.\n"
    )
    assert shape(page) == [
        ("paragraph", "Seen."),
        ("paragraph", "<!-- code --> and text, here ."),
        ("code", "<!-- kept -->"),
        ("paragraph", "Never closed <!-- stays, ``so."),
    ]


def test_hiding_does_not_start_inside_code() -> None:
    text = (
        "``a ` <!-- b`` -->\n\n~~~~\n~~~\n<!--\n~~~~\n\n-->\n\n``` `<!--` ```\n\n```\n<!-- open\n"
    )
    assert [plain for _, plain in shape(read(text))] == [
        "a ` <!-- b -->",
        "~~~\n<!--",
        "-->",
        "`<!--`",
        "<!-- open",
    ]
    assert read("`a `` b` and <!-- gone --> text `x").blocks[0].plain == "a `` b and text `x"


def test_no_file_that_a_page_names_is_read(tmp_path: object) -> None:
    page = read(
        '--8<-- "secret.md"\n\n{{#include secret.rs}}\n\n<<< @/secret.js\n\n{! secret.md !}\n'
    )
    assert [plain for _, plain in shape(page)] == [
        '--8<-- "secret.md"',
        "<<< @/secret.js",
        "{! secret.md !}",
    ]


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="binary"):
        read(b"# a\x00b")


def test_a_page_too_large_for_the_parser_is_read_as_plain_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(markdown, "MOST_LINES", 3)
    page = read("---\ntitle: T\n---\n# a\n\n*b*\n\nc\n")
    assert shape(page) == [("paragraph", "# a"), ("paragraph", "*b*"), ("paragraph", "c")]
    assert page.notes == ("too large to be parsed as Markdown: read as plain text",)


def test_a_paragraph_too_long_for_prose_keeps_its_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown_text, "LONGEST_PROSE", 10)
    page = read("**short**\n\n**longer than that**\n")
    assert [plain for _, plain in shape(page)] == ["short", "**longer than that**"]
    assert page.notes == ("a paragraph too long to be prose was read with its markup",)


def test_what_is_nested_too_deep_is_read_line_by_line() -> None:
    page = read("- " * 60 + "deep item\n\nMore [a](b).\n")
    assert shape(page)[-1][1].endswith("deep item\nMore a.")
    assert [note for note in page.notes if "nested more than" in note] == list(page.notes) != []
    quote = read("> " * 60 + "deep quote\n\nbetween\n\n" + "> " * 60 + "another\n")
    assert quote.blocks[0].plain.endswith("deep quote")
    assert quote.blocks[2].plain.endswith("another")
    assert quote.notes == page.notes
