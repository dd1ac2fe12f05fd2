"""Markdown: lines, blocks and the text in them."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tether.text.markdown.inlines import read_inlines
from tether.text.markdown.lines import Line, LineScanner
from tether.text.markdown.outline import (
    MOST_ENTRIES,
    Blocks,
    Outline,
    Runs,
    frontmatter_end,
    read_run,
)
from tether.text.markdown.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

REFERENCES = {"r": Target("/ref", "T")}


def scanned(text: str, frontmatter: int = -1) -> list[Line]:
    lines = text.split("\n")
    scanner = LineScanner(frontmatter)
    return [scanner.scan(n, line, (*lines, None)[n + 1]) for n, line in enumerate(lines)]


class Document(NamedTuple):
    """What both readers say about a text; line ends and trailing blank lines apart."""

    blocks: list[tuple[str, int, int]]
    headings: list[tuple[int, int]]
    fences: list[tuple[str | None, int]]
    links: list[tuple[str, str, str | None]]
    images: list[tuple[str, str, str | None]]
    text: str


def ours(text: str) -> Document:
    grouped, runs, outline = Blocks(), Runs(), Outline()
    lines = scanned(text)
    for line in lines:
        outline.feed(line)
    outline.finish()
    blocks = [*(block for line in lines for block in grouped.feed(line)), *grouped.finish()]
    texts = [*(run for line in lines for run in runs.feed(line)), *runs.finish()]
    read = [read_run(run, outline.definitions) for run in texts if not run.is_code]
    return Document(
        blocks=[(block.kind, block.start, last_line(text, *block[1:3])) for block in blocks],
        headings=[(heading.depth, heading.start) for heading in outline.headings],
        fences=[(block.lang, block.start) for block in outline.code_blocks],
        links=[link[:3] for inlines in read for link in inlines.links],
        images=[image[:3] for inlines in read for image in inlines.images],
        text=" ".join(" ".join(inlines.text for inlines in read).split()),
    )


def last_line(text: str, start: int, end: int) -> int:
    """Leave blank lines at the end of a block out."""
    lines = text.split("\n")
    while end > start and not lines[min(end, len(lines) - 1)].strip():
        end -= 1
    return end


# The oracle: markdown-it-py, without what the contract leaves out (underlined headings) and without
# HTML blocks, and with URLs as they are written.
KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "quote",
    "table_open": "table",
    "hr": "rule",
}


def oracle() -> MarkdownIt:
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    reader.disable(["lheading", "html_block"])
    reader.normalizeLink = lambda url: url  # type: ignore[method-assign]
    reader.validateLink = lambda url: True  # type: ignore[method-assign]
    return reader


ORACLE = oracle()


def theirs(text: str) -> Document:
    tokens = ORACLE.parse(text)
    outer = [token for token in tokens if token.level == 0 and token.type in KINDS]
    inlines = [token.children or [] for token in tokens if token.type == "inline"]
    return Document(
        blocks=[
            (KINDS[token.type], token.map[0], last_line(text, token.map[0], token.map[1] - 1))
            for token in outer
            if token.map
        ],
        headings=[
            (int(token.tag[1]), token.map[0])
            for token in outer
            if token.map and token.type == "heading_open"
        ],
        fences=[
            (next(iter(token.info.split()), None), token.map[0])
            for token in tokens
            if token.map and token.type == "fence"
        ],
        links=[link for children in inlines for link in links_in(children)],
        images=[image for children in inlines for image in images_in(children)],
        text=" ".join(" ".join(plain(children) for children in inlines).split()),
    )


def plain(tokens: Sequence[Token]) -> str:
    breaks = {"softbreak": "\n", "hardbreak": "\n", "html_inline": ""}
    return "".join(
        plain(token.children or [])
        if token.type == "image"
        else breaks.get(token.type, token.content)
        for token in tokens
    )


def links_in(tokens: Sequence[Token]) -> Iterator[tuple[str, str, str | None]]:
    for place, token in enumerate(tokens):
        if token.type == "link_open":
            level, end = 1, place + 1
            while level:
                level += {"link_open": 1, "link_close": -1}.get(tokens[end].type, 0)
                end += 1
            yield plain(tokens[place + 1 : end - 1]), *target(token, "href")


def images_in(tokens: Sequence[Token]) -> Iterator[tuple[str, str, str | None]]:
    for token in tokens:
        if token.type == "image":
            yield plain(token.children or []), *target(token, "src")
            yield from images_in(token.children or [])


def target(token: Token, url: str) -> tuple[str, str | None]:
    title = token.attrs.get("title")
    return str(token.attrs[url]), None if title is None else str(title)


# Lines of all kinds of blocks. Left out is where markdown-it and the CommonMark specification part
# (four spaces that go on lazily after a nested block) and what the scan does not keep in mind
# (an ordinal in a quote, a table in a list, an empty list item, text right after a definition).
LINES = [
    *("", "   ", "a", "  b", "    c", "      d", "\ta", "\tt", "   y", "     z", "---x", "#x"),
    *("# h", "## h2", "# ", "#\tz #", "## z ##  ", "####### y", "\\# z", "  # ind", "    # code"),
    *("- a", "* z", "+ [l](m)", "-   w", "-     f", "- - e", "  - p", "    - q", "\t- t"),
    *("1. x", "2. y", "10. x", "1) v", "- # v", "- > w", "- ```", "***", "* * *", "_ _ _"),
    *("> q", ">", "  > r", "> - m", "> # u", "> ```", "> 1. a", "```", "```py", "~~~", "  ```"),
    *("~~~~", "````", "| a | b |", "|---|---|", "| 1 | 2 |", "| x", "a | b", "--- | ---"),
    *("[a](b)", "[r]", "a\r", "> q\r"),
]

# Pieces of text; what they do together is left to the readers.
PIECES = [
    *("word ", "a", "*em*", "**strong**", "_em_", "__s__", "***b***", "`code`", "`` a`b ``"),
    *(
        "[t](/u)",
        "[t *e*](/u 'T')",
        "[t](</u v>)",
        "[t](a(b)c)",
        "[t]()",
        "[t](/u\\)x)",
        "![i](/p)",
    ),
    *('![i *e*](/p "T")', "[![i](/p)](/u)", "[t][r] ", "[r] ", "[R][] ", "<https://x.org/a>"),
    *("<a@b.org>", "&amp;", "&copy;", "&nope;", "&#65;", "&#x1F600;", "\\*", "\\[", "<b>", "</b>"),
    *(
        '<i class="c">',
        "\n",
        "*",
        "_",
        "[",
        "]",
        "!",
        ".",
        "é",
        " ~~s~~ ",
        "`",
        "<",
        "\\",
        "&",
        " ",
    ),
]


@given(st.lists(st.sampled_from(LINES), max_size=9))
def test_blocks_are_those_of_an_independent_reader(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert ours(text) == theirs(text.replace("\r", ""))


@pytest.mark.unmeasured
def test_every_line_after_every_other_is_read_as_an_independent_reader_does() -> None:
    for text in map("\n".join, product(LINES, repeat=2)):
        assert ours(text) == theirs(text.replace("\r", "")), text


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_text_links_and_images_are_those_of_an_independent_reader(pieces: list[str]) -> None:
    text = f"x{''.join(pieces)}".replace("\n\n", "\n").replace("\n \n", "\n") + "\n\n"
    found, expected = ours(f"{text}[r]: /ref 'T'"), theirs(f"{text}[r]: /ref 'T'")
    assert found[3:] == expected[3:]


# CommonMark 0.31.2, sections 6.3 (links), 6.4 (images) and 6.5 (autolinks): text, URL and title as
# the specification's HTML has them. https://spec.commonmark.org/0.31.2/#links
SPECIFIED = [
    ('[link](/uri "title")', [("link", "/uri", "title")]),
    ("[link](/uri)", [("link", "/uri", None)]),
    ("[](./target.md)", [("", "./target.md", None)]),
    ("[link]()", [("link", "", None)]),
    ("[link](<>)", [("link", "", None)]),
    ("[link](/my uri)", []),
    ("[link](</my uri>)", [("link", "/my uri", None)]),
    ("[link](foo\nbar)", []),
    ("[a](<b)c>)", [("a", "b)c", None)]),
    ("[link](<foo\\>)", []),
    ("[link](\\(foo\\))", [("link", "(foo)", None)]),
    ("[link](foo(and(bar)))", [("link", "foo(and(bar))", None)]),
    ("[link](foo(and(bar))", []),
    ("[link](foo\\(and\\(bar\\))", [("link", "foo(and(bar)", None)]),
    ("[link](<foo(and(bar)>)", [("link", "foo(and(bar)", None)]),
    ("[link](foo\\)\\:)", [("link", "foo):", None)]),
    ("[link](foo\\bar)", [("link", "foo\\bar", None)]),
    ('[link]("title")', [("link", '"title"', None)]),
    ("[link](/url 'title')", [("link", "/url", "title")]),
    ("[link](/url (title))", [("link", "/url", "title")]),
    ('[link](/url "title \\"&quot;")', [("link", "/url", 'title ""')]),
    ('[link](/url "title "and" title")', []),
    ("[link](/url 'title \"and\" title')", [("link", "/url", 'title "and" title')]),
    ('[link](   /uri\n  "title"  )', [("link", "/uri", "title")]),
    ("[link] (/uri)", []),
    ("[link [foo [bar]]](/uri)", [("link [foo [bar]]", "/uri", None)]),
    ("[link] bar](/uri)", []),
    ("[link [bar](/uri)", [("bar", "/uri", None)]),
    ("[link \\[bar](/uri)", [("link [bar", "/uri", None)]),
    ("[link *foo **bar** `#`*](/uri)", [("link foo bar #", "/uri", None)]),
    ("[foo [bar](/uri)](/uri)", [("bar", "/uri", None)]),
    ("*[foo*](/uri)", [("foo*", "/uri", None)]),
    ("[foo *bar](baz*)", [("foo *bar", "baz*", None)]),
    ("[foo`](/uri)`", []),
    ("[foo][r]", [("foo", "/ref", "T")]),
    ("[foo][R]", [("foo", "/ref", "T")]),
    ("[foo] [r]", [("r", "/ref", "T")]),
    ("[link [foo [bar]]][r]", [("link [foo [bar]]", "/ref", "T")]),
    ("[r][]", [("r", "/ref", "T")]),
    ("[r]", [("r", "/ref", "T")]),
    ("[*r*]", []),
    ("\\[r]", []),
    ("[r](not a link)", [("r", "/ref", "T")]),
    ("[r][x]", []),
    ("[]", []),
    (
        "<https://foo.bar.baz/test?q=hello&id=22>",
        [(*["https://foo.bar.baz/test?q=hello&id=22"] * 2, None)],
    ),
    ("<MAILTO:FOO@BAR.BAZ>", [("MAILTO:FOO@BAR.BAZ", "MAILTO:FOO@BAR.BAZ", None)]),
    ("<foo@bar.example.com>", [("foo@bar.example.com", "mailto:foo@bar.example.com", None)]),
    ("<https://foo.bar/baz bim>", []),
    ("<m:abc>", []),
    ("<>", []),
]


@pytest.mark.parametrize(("text", "links"), SPECIFIED)
def test_links_follow_the_specification(text: str, links: list[Any]) -> None:
    assert [link[:3] for link in read_inlines(text, REFERENCES).links] == links


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # CommonMark 0.31.2, sections 6.1 (code spans), 6.2 (emphasis), 6.6 (raw HTML), 2.4 and 2.5.
        ("`` foo ` bar ``", "foo ` bar"),
        ("` `` `", "``"),
        ("` a`", " a"),
        ("`  `.", "  ."),
        ("`foo\\`bar`", "foo\\bar`"),
        ("```foo``", "```foo``"),
        ("*foo bar*", "foo bar"),
        ("a * foo bar*", "a * foo bar*"),
        ("foo*bar*", "foobar"),
        ("foo_bar_", "foo_bar_"),
        ("_foo_bar_baz_", "foo_bar_baz"),
        ("**foo*bar**", "foo*bar"),
        ("*foo**bar*", "foo**bar"),
        ("***foo** bar*", "foo bar"),
        ("**foo, *bar* and `baz`**", "foo, bar and baz"),
        ("*(**foo**)*", "(foo)"),
        ("~~gone~~ ~one~ ~~~three~~~", "gone ~one~ ~~~three~~~"),
        ("<a><bab data='x'>y</bab >", "y"),
        ("a <!-- b [c](d) --> e", "a  e"),
        ("a <?php b ?> c <!ELEMENT d> e <![CDATA[f]]> g", "a  c  e  g"),
        ("<!--> a", " a"),
        ("< a> <33> <__> <a h*#ref='x'>", "< a> <33> <__> <a h*#ref='x'>"),
        ("<!-- open <? open <![CDATA[ open <!a open", "<!-- open <? open <![CDATA[ open <!a open"),
        ("&amp; &#35; &#0; &#xD800; &x; &MadeUpEntity;", "& # \ufffd \ufffd &x; &MadeUpEntity;"),
        ('\\!\\"\\a \\\\', '!"\\a \\'),
        ("foo  \nbar\\\nbaz   \nend  ", "foo\nbar\nbaz\nend"),
        ("![foo *bar*](x) [![moon](moon.jpg)](/uri)", "foo bar moon"),
    ],
)
def test_plain_text_is_without_marks(text: str, expected: str) -> None:
    assert read_inlines(text, {}).text == expected


@pytest.mark.parametrize(
    ("text", "definitions"),
    [
        # CommonMark 0.31.2, section 4.7.
        ("[foo]: /url \"title\"", {"foo": Target("/url", "title")}),
        ("   [foo]: \n      /url  \n       'the title'  ", {"foo": Target("/url", "the title")}),
        ("[Foo*bar\\]]:my_(url) 'title (with parens)'",
         {"foo*bar\\]": Target("my_(url)", "title (with parens)")}),
        ("[foo]: /url '\ntitle\nline1\n'", {"foo": Target("/url", "\ntitle\nline1\n")}),
        ("[foo]:\n/url", {"foo": Target("/url", None)}),
        ("[foo]:", {}),
        ("[foo]: <>", {"foo": Target("", None)}),
        ("[foo]: <bar>(baz)", {}),
        ("[foo]: /url\\bar\\*baz", {"foo": Target("/url\\bar*baz", None)}),
        ("[foo]: first\n[foo]: second", {"foo": Target("first", None)}),
        ("[ΑΓΩ]: /φου", {"αγω": Target("/φου", None)}),
        ('[foo]: /url "title" ok', {}),
        ('[foo]: /url\n"title" ok', {"foo": Target("/url", None)}),
        ("    [foo]: /url", {}),
        ("```\n[foo]: /url\n```", {}),
        ("Foo\n[bar]: /baz", {}),
        ("# [Foo]\n[foo]: /url\n> bar", {"foo": Target("/url", None)}),
        ("> [foo]: /url", {"foo": Target("/url", None)}),
        ("[ ]: /uri", {}),
        ("[foo] : /url", {}),
        ("[a[b]: /url", {}),
        (f"[{'a' * 1000}]: /url", {}),
        ("[a]: /u (", {}),
        ("[a]: <b", {}),
    ],
)  # fmt: skip
def test_definitions_follow_the_specification(text: str, definitions: dict[str, Target]) -> None:
    outline = Outline()
    for line in scanned(text):
        outline.feed(line)
    outline.finish()
    assert outline.definitions == definitions


def test_a_label_that_is_too_long_is_none() -> None:
    name = "a" * 999
    assert read_inlines(f"[{name}]", {name: Target("/u", None)}).links
    assert not read_inlines(f"[{name}a]", {f"{name}a": Target("/u", None)}).links
    assert not read_inlines(f"[{'(' * 11}]({'(' * 11}{')' * 11})", {}).links
    assert read_inlines(f"[a]({'(' * 10}{')' * 10})", {}).links


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (["---", "a: 1", "---", "b"], 2),
        (["\ufeff---\r", "---\r"], 1),
        (["---", "a: 1", "...", "---"], 3),
        (["+++", "a = 1", "+++"], None),
        (["---", "a"], None),
        (["", "---", "---"], None),
        (["----", "---"], None),
        ([], None),
        (["---", *["a"] * 198, "---"], 199),
        (["---", *["a"] * 199, "---"], None),
    ],
)
def test_front_matter_starts_at_the_top_and_closes_within_200_lines(
    lines: list[str], end: int | None
) -> None:  # CONTRACT 2.8
    assert frontmatter_end(lines) == end


def test_what_stands_in_front_matter_is_no_markdown() -> None:
    lines = scanned("---\n# a\n---\n# b", frontmatter=2)
    assert [(line.kind, line.opens, line.depth) for line in lines] == [
        ("frontmatter", True, 0),
        ("frontmatter", False, 0),
        ("frontmatter", False, 0),
        ("heading", True, 1),
    ]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("```\n  a\n```", ["  a"]),
        ("  ```\n  a\n    b\n c\n  ```", ["a", "  b", "c"]),
        ("- ```\n  a\n  ```", ["a"]),
        ("> ```\n> a\n>   b\nend", ["a", "  b"]),
        ("-     a\n\n      b", ["a", "b"]),
        ("    a\n\n      b", ["a", "  b"]),
        ("\tx", ["x"]),
        ("~~~ md\n```\n~~~", ["```"]),
        ("````\n```\n~~~\n````", ["```", "~~~"]),
        ("``` a`b", []),
    ],
)
def test_code_is_kept_as_it_is(text: str, codes: list[str]) -> None:
    assert [line.text for line in scanned(text) if line.is_code] == codes


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        # CommonMark 0.31.2, section 5.2: an empty item, and items one in the other.
        ("-\n  foo\n-\n  bar", ["list", "list", "list", "list"]),
        ("- a\n  - b\n    - c\n- d", ["list", "list", "list", "list"]),
        ("a\n-\n2. b", ["paragraph", "paragraph", "paragraph"]),
        ("a\n1. b", ["paragraph", "list"]),
        ("- > a\n  > b", ["list", "list"]),
    ],
)
def test_list_items_may_be_empty_and_nested(text: str, kinds: list[str]) -> None:
    lines = scanned(text)
    assert [line.kind for line in lines] == kinds
    assert [line.opens for line in lines[1:]] == [a != b for a, b in pairwise(kinds)]


@given(
    st.text(st.sampled_from("ab#`~>-+*_|[]()<>!&\\:;\"'1.= \t\n\r\x0b\x0c\x1c\x85\u2028\ufeffé\0"))
)
def test_any_text_can_be_read(text: str) -> None:
    found = ours(text)
    assert len(found.text) <= 2 * len(text)


def test_nesting_has_an_end() -> None:
    deep = scanned("- " * 500 + "a\n" + "> " * 500 + "b\n> " + "- " * 500 + "c")
    assert [line.kind for line in deep] == ["list", "quote", "quote"]
    assert all(line.text and line.text.rstrip()[-1] in "abc" for line in deep)


BOMBS = [
    *("[", "![", "[a](", '[a](b "', "[a](b (", "`a``", "*", "*a ", "a* ", "*a_", "**a *", "_a"),
    *("<", "<a ", "<a b='", "<!--", "<!a", "<?", "<a:", "&", "&#1", "\\", ">", "- ", "1. ", "> - "),
    *("#", "# ", "|", "~", "[a]: ", "*_~~", "[x]", "[x][", "<a@a.", "[a]((", "\t", " ", "![a]("),
]


@pytest.mark.unmeasured
@pytest.mark.parametrize("unit", BOMBS)
def test_a_long_line_made_against_the_reader_takes_linear_time(unit: str) -> None:
    """A quadratic step would look at ten thousand million characters, and run into the time-out."""
    for text in (unit * (100_000 // len(unit)), unit * (50_000 // len(unit)) + "](u)" * 10_000):
        found = ours(text)
        assert len(found.text) <= len(text)


def test_backticks_of_all_lengths_take_linear_time() -> None:
    text = " ".join("`" * length for length in range(1, 600))
    assert read_inlines(text, {}).text == text


def test_an_outline_is_full_with_more_headings_than_anybody_would_ask_for() -> None:
    outline = Outline()
    for number in range(MOST_ENTRIES + 1):
        assert not outline.is_full
        outline.feed(Line(number, "heading", "a", opens=True, depth=1))
    assert outline.is_full


def test_a_paragraph_without_end_is_cut() -> None:
    runs = Runs()
    line = Line(0, "paragraph", "a" * 100_000, begins=False)
    assert [run.numbers for _ in range(5) for run in runs.feed(line)] == [[0, 0, 0]]
