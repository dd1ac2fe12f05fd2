from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.errors import LimitExceeded
from tether.text.html.page_text import HtmlText

LONG = 200_000


def read(source: str, at_once: int = 64) -> HtmlText:
    page = HtmlText(source)
    while page.read(at_once):
        pass
    return page


# What the HTML Standard says a page shows: section 13.2.5 for tags, comments and references,
# 13.1.2.4 for where a paragraph ends, 15.3 for what is not rendered, 15.3.3 for blocks.
SHOWN = {
    "plain": "plain",
    "": "",
    "a\n  b\t c": "a b c",
    "a<b>b</b> c": "ab c",
    "<p>one<p>two": "one\n\ntwo",
    "<div>one</div><div>two</div>": "one\ntwo",
    "one<br>two<br/>three": "one\ntwo\nthree",
    "<h1>Big</h1><h3>Small</h3>x": "# Big\n\n### Small\n\nx",
    "<ul><li>a<li>b</ul>c": "- a\n- b\n\nc",
    "<ol><li><p>a</p></li></ol><li></li>b": "- a\n\nb",
    "<legend>a</legend>b<menu>c</menu>": "a\nb\nc",
    "<table><tr> <th>a</th> <td>b</td></tr><tr><td>c<td>d</table>": "a | b\nc | d",
    "<pre>if x:\n    y\n\n  z</pre>end": "if x:\n    y\n\n  z\n\nend",
    "<pre>a  <b>b</b>\nc</pre>": "a  b\nc",
    "</pre>a  b": "a b",
    # tags and comments
    "a<!-- b -->c": "ac",
    "a<!-->b": "ab",
    "a<!--->b": "ab",
    "a<!-- b --!>c": "ac",
    "a<!-- <p>b": "a",
    "<!DOCTYPE html><?xml version='1.0'?>a": "a",
    "a<![CDATA[b]]>c": "ac",
    "a</>b</ x>c": "abc",
    "1 < 2 <3 << 4": "1 < 2 <3 << 4",
    "a<": "a<",
    "a<b": "a",
    '<a title="x > y">b</a>': "b",
    "<a title='x > y'>b</a>": "b",
    "<a title=it's>b</a>": "b",
    "<a title = x>b": "b",
    "<a / title/x>b": "b",
    "<a =x>b": "b",
    '<a title="x>b': "",
    "<P>A</P>": "A",
    "<x-y.z:w>a</x-y.z:w>": "a",
    # references
    "&lt;b&gt; &amp; &eacute; &#233; &#xe9; &nbsp;x": "<b> & é é é x",
    "&amp;lt;": "&lt;",
    "&unknown; & &;": "&unknown; & &;",
    "&#0;&#xD800;&#x110000;&#99999999999999999999;": "\ufffd\ufffd\ufffd\ufffd",
    "&#128;": "€",
    # what nobody sees
    "a<script>if (a < b) '</p>'</script>b": "ab",
    "a<SCRIPT>x</Script >b": "ab",
    "a<script>x</scripture></script>b": "ab",
    "a<script>x": "a",
    "a<style>p{}</style>b": "ab",
    "a<textarea><b>x</textarea>b": "ab",
    "a<iframe><p>x</iframe>b": "ab",
    "a<noscript>x<p>y</noscript>b": "ab",
    "a<template>x<template>y</template>z</template>b": "ab",
    "a<svg><text>x</text></svg>b<svg/>c": "abc",
    "a<title>T</title>b": "ab",
    "a<p hidden>x</p>b": "ab",
    "a<p hidden>x<p>b": "a\n\nb",
    "a<p hidden>x<br>y</p>b": "ab",
    "a<div hidden=until-found>x<div>y</div>z</div>b": "ab",
    "a<span aria-hidden=TRUE>x</span>b": "ab",
    "a<span aria-hidden=false>x</span>b": "axb",
    "a<span style='color: red; Display : none !important'>x</span>b": "ab",
    "a<span style='visibility:hidden'>x</span>b": "ab",
    "a<span style='font-size:0px'>x</span>b": "ab",
    "a<span style='opacity:0'>x</span>b": "ab",
    "a<span style='opacity:0.5;line-height:0'>x</span>b": "axb",
    "a<span style='display:none' style='x'>x</span>b": "ab",
    "a<span style='x' style='display:none'>x</span>b": "axb",
    "a<img hidden>b<input hidden>c": "abc",
    "a<div hidden>x": "a",
    "a<div hidden><script></div></script>x</div>b": "ab",
    # 13.1.2.4: tags that may be left out, and 13.2.6.4 for what that ends
    "<ul><li hidden>a<li>b</ul><p>rest": "- b\n\nrest",
    "<ul><li hidden>a</ul>rest": "rest",
    "<ul><li hidden>a<ul><li>b</ul>c<li>d</ul>rest": "- d\n\nrest",
    "<ul><li hidden><div>a<li>b</ul>": "- b",
    "<table><td style='display:none'>x<td>y</table><p>rest": "y\n\nrest",
    "<table><tr hidden><td>x<tr><td>y</table>rest": "y\n\nrest",
    "<table><tr><td hidden>x<tr><td>y</table>rest": "y\n\nrest",
    "<table><tbody hidden><tr><td>x<tbody><tr><td>y</table>rest": "y\n\nrest",
    "<table><caption hidden>x<tr><td>y</table>rest": "y\n\nrest",
    "<table><td hidden><table><td>x</table>y<td>z</table>rest": "z\n\nrest",
    "<table><tr><td hidden>x</div></tr>y</table>rest": "y\n\nrest",
    "<table><tr hidden><td><table></tr>x</table>y</table>rest": "rest",
    "<td hidden>x</td>y": "xy",
    "<div><p hidden>x</div>after<p>z": "after\n\nz",
    "<div hidden>x<p>y</div>rest": "rest",
    "<p hidden>a<table><td>b</p>c</table>d": "b\n\nc\n\nd",
    "<dl><dt hidden>a<dd>b<dt>c<dd hidden>d</dl>e": "b\nc\n\ne",
    "<select><option hidden>a<option>b</select><br>c": "b\nc",
    "<select><optgroup hidden><option>a<optgroup><option>b</select>": "b",
    "<button hidden>a<button>b</button>c": "bc",
    "<a hidden>a<a>b</a>c": "bc",
    "<h2 hidden>a</h3>b": "b",
    "<area hidden>a<base hidden>b<param hidden>c<col hidden>d": "abcd",
    "<head hidden><title>t</title><body>a": "a",
    "<div hidden>a</body></html>b": "",
    "a<div hidden>x</span>y</div>b": "ab",
    "a<b hidden>x<p>y</b>z": "az",
    # what reaches no further than the element around it hides what a browser hides
    "<span hidden><div>x</span>y</div>": "",
    "<div><template>x</div>y</template>z</div>": "z",
    "<div><noscript></div>x</noscript>y</div>": "y",
    # ways to write the same style (CSS Syntax 3, CSS Values 4), and dialogs (HTML, 4.11.4)
    "a<span style='display&colon;none'>x</span>b": "ab",
    "a<span style='display:&#110;one'>x</span>b": "ab",
    "a<span aria-hidden='&#116;rue'>x</span>b": "ab",
    "a<span style='/* ; */display/**/:/* * */none'>x</span>b": "ab",
    "a<span style='color:red/* display:none'>x</span>b": "axb",
    "a<span style='color:/ *;display:none'>x</span>b": "ab",
    "a<span style='opacity:0.0'>x</span>b": "ab",
    "a<span style='font-size:.0em'>x</span>b": "ab",
    "a<span style='font-size:0.0px'>x</span>b": "ab",
    "a<span style='font-size:0.05em;opacity:00.1'>x</span>b": "axb",
    "a<span style='visibility:collapse'>x</span>b": "ab",
    "a<dialog>x</dialog>b": "ab",
    "<dialog open>x</dialog>b": "x\nb",
    "a<span style='height:0;padding:9px'>x</span>b": "axb",
    "a<span style='max-height:0'>x</span>b": "axb",
    "a<span style='max-height:0;overflow:hidden'>x</span>b": "ab",
    "a<span style='width:0px;overflow-x:clip'>x</span>b": "ab",
    "a<span style='height:0;overflow:hidden;padding-top:50%'>x</span>b": "axb",
}


@pytest.mark.parametrize("source", SHOWN)
def test_what_a_person_would_read_is_left(source: str) -> None:
    for at_once in (1, 64):
        assert read(source, at_once).text == SHOWN[source]


def test_the_first_title_is_kept_apart() -> None:
    page = read("<title>\n A &amp; B </title><svg><title>C</title></svg><title>D</title>text")
    assert (page.title, page.text) == ("A & B", "text")
    assert len(read(f"<title>{'&a' * LONG}</title>").title) <= 1000


def test_what_is_hidden_is_counted() -> None:
    page = read("<p hidden>a</p><div style='display:none'>b<p hidden>c</p></div><!-- d -->e")
    assert (page.text, page.hidden) == ("e", 2)


def test_a_style_too_long_to_look_through_hides() -> None:
    assert read(f"a<p style='{' ' * 50_000};display:none'>x</p>b").text == "ab"
    assert read(f"a<p style='{'&colon;' * 7_000}'>x</p>b").text == "a\n\nx\n\nb"


def test_a_tag_with_very_many_attributes_ends_where_it_is_closed() -> None:
    assert read(f"a<i{' x' * 300} hidden>b</i>c").text == "abc"


def test_long_text_keeps_its_references_and_tags() -> None:
    for shift in range(14):  # the unit's length: its every part comes to lie on a border
        source = "x" * (4090 + shift) + "&amp;<b>y</b> " * 3
        assert read(source).text == ("x" * (4090 + shift) + "&y " * 3).strip()
        source = "x" * (4060 + 3 * shift) + "&CounterClockwiseContourIntegral; z"
        assert read(source).text == "x" * (4060 + 3 * shift) + "∳ z"


@pytest.mark.unmeasured
# F5 and its like: the standard library's parser takes minutes for some of these.
@pytest.mark.parametrize(
    "unit",
    ["<a ", "<![CDATA[", "<", "< ", "<!--", "<!", "</", "<?", "<a x='", '<a x="', "<a x=", "<a x",
     "<a/", "&", "&a", "&#", "&#9", "&#x", "--", "-->", "<script>", "<title>", "</script",
     "<pre>\n\n", "<a" + " a" * 500 + ">", "<p style='display:none" + " " * 500 + "'>",
     "=", "/ ", '"', "<p\t", "<p style='" + "/*" * 500 + "'>", "<li>", "<ul><li hidden>", "<i></b>",
     "<table><td>", "<option></p>", "<b></li><p>", "<p hidden><table></p>", "<div></span>"],
)  # fmt: skip
def test_hostile_pages_are_read_in_one_go(unit: str) -> None:
    source = unit * (LONG // len(unit))
    assert len(read(source).text) <= 2 * LONG


def test_a_page_of_too_many_tags_is_refused() -> None:
    with pytest.raises(LimitExceeded, match="more than 200,000 tags"):
        read("</p>" * 201_000)


def test_nesting_costs_nothing() -> None:
    assert read("<div>" * 20_000 + "deep" + "</div>" * 20_000).text == "deep"


@given(st.text(st.sampled_from("<>/!-ab =\"'&#;x?hidden \n"), max_size=80))
def test_any_text_is_read_to_its_end(source: str) -> None:
    page = read(source)
    assert page.text == read(source, 1).text
    assert page.read(1) is False


@given(st.lists(st.text(st.characters(exclude_characters="<&", exclude_categories=["Cs", "Cc"]))))
def test_text_without_markup_keeps_its_words(words: list[str]) -> None:
    source = " ".join(words)
    assert read(source).text == " ".join(source.split())
