"""Hostile web pages: bounded before they are parsed, and what is hidden is dropped and counted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from selectolax.lexbor import LexborHTMLParser

from support.growth import assert_grows_linearly
from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.html import read_html
from tether.retrieval.readers.html_depth import nesting


def read(source: str) -> Document:
    return read_html(key="a.html", name="a.html", data=source.encode())


HIDDEN = [
    "<p hidden>INJECTED</p>",
    "<p aria-hidden=TRUE>INJECTED</p>",
    "<p style='display : none'>INJECTED</p>",
    "<p style='color:red;visibility:hidden'>INJECTED</p>",
    "<p style='opacity:0'>INJECTED</p>",
    "<p style='font-size:0px'>INJECTED</p>",
    "<p style='width:0;height:0;overflow:hidden'>INJECTED</p>",
    "<p style='position:absolute;left:-9999px'>INJECTED</p>",
    "<p style='text-indent:-9999px'>INJECTED</p>",
    "<p style='clip:rect(0,0,0,0)'>INJECTED</p>",
    "<p style='color:#fff'>INJECTED</p>",
    "<p style='color:#123;background:#123'>INJECTED</p>",
    "<p style='dis/**/play:none'>INJECTED</p>",
    "<p class='x sr-only'>INJECTED</p>",
    "<dialog>INJECTED</dialog>",
    "<dialog class=x>INJECTED</dialog>",
    "<template><p>INJECTED</p></template>",
    "<div><template shadowrootmode=open><p>INJECTED</p></template></div>",
    "<noscript>INJECTED</noscript>",
    f"<p style='{'x' * 30_000}'>INJECTED</p>",
    "<table><tr><td>a<td><span hidden>INJECTED</span></table>",
    "<pre>a<span hidden>INJECTED</span></pre>",
    "<div hidden><p>INJECTED<p>INJECTED</div>",
]


@pytest.mark.parametrize("source", HIDDEN, ids=range(len(HIDDEN)))
def test_hidden_text_is_left_out_and_counted(source: str) -> None:
    document = read(f"<p>Seen.</p>{source}")
    assert "INJECTED" not in document.text
    assert any("hidden text left out" in note for note in document.notes)


SHOWN = [
    "<div role=tabpanel hidden>SHOWN</div>",
    "<div hidden=until-found>SHOWN</div>",
    "<p style='color:#fff;background:#000'>SHOWN</p>",
    "<p style='height:0;overflow:hidden;padding:9px'>SHOWN</p>",
    "<p style='opacity:0.5;margin-left:-10px'>SHOWN</p>",
    "<p style='color:red'>SHOWN<i hidden>x</i></p>",
    "<p style=''>SHOWN</p>",
    "<dialog open>SHOWN</dialog>",
    "<p aria-hidden=false class=x role=note>SHOWN</p>",
]


@pytest.mark.parametrize("source", SHOWN, ids=range(len(SHOWN)))
def test_what_is_shown_is_kept(source: str) -> None:
    document = read(f"<p>Seen.</p>{source}")
    assert "SHOWN" in document.text
    assert not document.notes


def test_comments_are_counted() -> None:
    document = read(
        "<p>Seen.<!-- INJECTED --><!--><!-->x--><!---->y<!-- a --!>z<!DOCTYPE x><?p?></q>"
    )
    assert "INJECTED" not in document.text
    assert document.notes == ("comments left out: 5",)


def test_a_page_without_text_is_unreadable_and_says_why() -> None:
    for source in ("<div id=root></div><script>render()</script>", "<p> </p>", "<!-- x -->"):
        with pytest.raises(DocumentUnreadable, match="scripts may draw it"):
            read(source)
    with pytest.raises(DocumentUnreadable, match="scripts may draw it"):
        read("<frameset><frame src=x></frameset>")
    with pytest.raises(DocumentUnreadable, match="all of its text is hidden: 6 characters"):
        read("<p hidden>secret</p>")


def test_a_page_that_is_too_large_is_not_parsed() -> None:
    with pytest.raises(DocumentUnreadable, match=r"50\.0 MB; at most 10"):
        read_html(key="a", name="a.html", data=b"a" * 50_000_000)


DEEP = [
    "<div>",
    "<b>",
    "<font color=x>",
    "<a href=x><i>",
    "<p><span>",
    "<div><p></span>",
    "<div title='>'>",
    '<div title=">" x=y>',
    '<div =">',
    "<div / x = y>",
    "<div\n>",
    "<DIV>",
    "<div><table></div>",
    "<div><table><tr><td></div>",
    "<div><object></div>",
    "<table><tr><td>",
    "<ul><li>",
    "<b><div></b>",
    "<svg><g>",
    "<svg><div/>",
    "<div><!-- </div> -->",
    "<div><script></div></script>",
    "<div><title></div></title>",
    "<blockquote></template>",
    "<x-y>",
    "<x><pre></x>",
    "<section></form><form><g>",
    "<frameset><title>",
    "</object><object><select>",
    "<dd><li>",
    "<rt><rb>",
    "<optgroup>",
    "<svg><style><g>",
    "<math><iframe>",
]


@pytest.mark.parametrize("unit", DEEP, ids=range(len(DEEP)))
def test_a_page_that_nests_too_deep_is_not_parsed(unit: str) -> None:
    with pytest.raises(DocumentUnreadable, match="nest deeper than 512"):
        read(unit * 600 + "x")


FLAT = [
    "<p>x",
    "<li>x",
    "<br><img src=x><hr>",
    "<div>x</div>",
    "<a name=x>x",
    "<b>x</b>",
    "<tr><td>x",
    "<p><i>x</i></p>",
    "<div><div>x</div></div>",
    "<svg><path d='x'/><g></g></svg>x",
    "<table><tr><td>x</table>",
    "<div><span>x</div>",
    "<script><div></script>x",
    "<textarea><div></textarea>x",
    "<!-- <div> -->x",
    "<div title='<div>'>x</div>",
    "<option>x",
    "<optgroup><option>x</optgroup>",
    "<dl><dt>x<dd>x</dl>",
    "<dt>x<dd>x",
    "<ruby>x<rt>x</ruby>",
    "<svg><style>.a</style></svg><math><mi>x</mi></math>",
    "</div>x",
    "< div>x",
]


@pytest.mark.unmeasured
@pytest.mark.parametrize("unit", FLAT, ids=range(len(FLAT)))
def test_a_long_page_that_is_flat_is_read(unit: str) -> None:
    assert "x" in read("<p>x</p>" + unit * 2_000).text


@pytest.mark.parametrize("depth", [1, 10, 100, 512])
def test_the_depth_is_counted(depth: int) -> None:
    assert nesting("<div>" * depth + "</div>" * depth, 512).depth == depth
    assert nesting("<div>" * 1_000, 512).depth == 513


NAMES = (
    "a applet b body br button caption dd div dl dt font foreignObject form frameset g h1 i iframe"
    " input li marquee math mi mtext nobr object optgroup option p pre rb rp rt ruby script section"
    " select span style svg table tbody td template textarea title tr ul x"
)
TAGS = some.builds(
    str.format,
    some.sampled_from(["<{}>", "<{}>", "</{}>", "<{}/>"]),
    some.sampled_from(NAMES.split()),
)


@pytest.mark.unmeasured
@given(some.lists(TAGS, min_size=1, max_size=6).map("".join))
@settings(max_examples=150)
def test_the_count_is_never_much_lower_than_the_depth_of_the_tree(unit: str) -> None:
    source = unit * 100
    assert depth_of_tree(source) <= 6 * nesting(source, 100_000).depth + 20


def depth_of_tree(source: str) -> int:
    """Return how deep the parser nests, which the count before it foretells."""
    page = LexborHTMLParser(source)
    roots = [root for root in (page.root, *page.template_fragments()) if root is not None]
    stack = [(root, 1) for root in roots]
    deepest = 0
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        child = node.first_child
        while child is not None:
            stack.append((child, depth + 1))
            child = child.next
    return deepest


ENDLESS = [
    *("<a ", "<![CDATA[", "<!--", "<", "</", '<a b="', "<a b='", "<a =", "<script>", "<title>"),
    *("<a/", "<p x=y ", "&#x;", "</div>", "<!", "<?", "<a b=c", "\x00 ", "<b></b>", "<p>a"),
]


@pytest.mark.unmeasured
@pytest.mark.parametrize("unit", ENDLESS, ids=range(len(ENDLESS)))
def test_the_time_before_parsing_grows_with_the_length(unit: str) -> None:
    assert_grows_linearly(lambda text: nesting(text, 512), unit, length=60_000)


WIDE = ["<p>a", "<li>a", "<ul><li>a</ul>", "<td>a", "a<br>", "<a href=x>a</a>", "<h2>a</h2>"]


@pytest.mark.unmeasured
@pytest.mark.parametrize("unit", WIDE, ids=range(len(WIDE)))
def test_the_time_for_a_page_grows_with_its_length(unit: str) -> None:
    assert_grows_linearly(read, unit, length=10_000)


@pytest.mark.unmeasured
@given(
    some.lists(
        some.sampled_from(
            ["<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>",
             "<th>", "</table>", "<h1>", "</h1>", "<pre>", "</pre>", "<a href=x>", "</a>", "<br>",
             "<dl>", "<dt>", "<dd>", "<blockquote>", "<code>", "</code>", "a. B", " ", "\n", "&lt;",
             "<main>", "<!-- -->", "<template>", "</template>", "<b hidden>", "</b>", "<svg>", "<"]
        ),
        max_size=40,
    ).map("".join)
)  # fmt: skip
def test_any_markup_gives_ordered_blocks_or_a_reason(source: str) -> None:
    try:
        document = read(source)
    except DocumentUnreadable:
        return
    end = 0
    for block in document.blocks:
        assert end <= block.start < block.end <= len(document.text)
        place = block.start
        for piece in block.pieces:
            assert place <= piece.start <= piece.end <= block.end
            place = piece.end
        end = block.end
    for link in document.links:
        assert 0 <= link.start <= len(document.text)


@pytest.mark.unmeasured
@given(some.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        document = read_html(key="a", name="a.html", data=data)
    except DocumentUnreadable:
        return
    assert document.title
