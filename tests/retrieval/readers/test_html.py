"""Web pages: their content as text that reads like Markdown, and what the page says of itself."""

from __future__ import annotations

import pytest

from tether.retrieval.document import Block, Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.html import read_html


def page(source: str | bytes, *, url: str = "", content_type: str = "") -> Document:
    data = source.encode() if isinstance(source, str) else source
    document = read_html(
        key="a/guide.html", name="guide.html", data=data, url=url, content_type=content_type
    )
    check_places(document)
    return document


def check_places(document: Document) -> None:
    end = 0
    for block in document.blocks:
        assert end <= block.start < block.end <= len(document.text)
        place = block.start
        for piece in block.pieces:
            assert place <= piece.start <= piece.end <= block.end
            place = piece.end
        end = block.end


def text(body: str) -> str:
    return page(f"<body>{body}</body>").text


def test_a_page_becomes_readable_text_with_places() -> None:
    document = page(
        "<html lang=en-GB><head><title>Pods | Site</title>"
        '<meta name=description content="About  pods"></head><body><h1 id=pods>Pods</h1>'
        "<p>A <b>pod</b> is\n  small. It <a href='x/y'>runs  things</a>.<br>Really.</p>"
        "<h2>Use <code>it</code></h2><p>Now</p></body></html>",
        url="https://a.example/pods",
    )
    assert document.text == (
        "# Pods\n\nA pod is small. It runs things.\nReally.\n\n## Use it\n\nNow"
    )
    assert (document.title, document.kind, document.language) == ("Pods", "html", "en")
    assert document.url == "https://a.example/pods"
    assert document.metadata == (("description", "About pods"),)
    assert [(block.kind, block.level, block.anchor) for block in document.blocks] == [
        *(("heading", 1, "pods"), ("paragraph", 0, ""), ("heading", 2, ""), ("paragraph", 0, "")),
    ]
    prose = document.blocks[1]
    assert [piece.plain for piece in prose.pieces] == [
        *("A pod is small.", "It runs things.", "Really."),
    ]
    (link,) = document.links
    assert (link.target, link.text) == ("x/y", "runs things")
    assert document.text[link.start :].startswith("runs things")
    assert (document.draft, document.notes) == (False, ())


LISTS = [
    ("<ul><li>a<li>b</ul>", "- a\n- b"),
    ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
    ("<ol start=x><li>a</ol>", "1. a"),
    ("<ul><li>a<ul><li>b<li>c</ul>d<li>e</ul>", "- a\n  - b\n  - c\n  d\n- e"),
    ("<ul><li><p>a</p><p>b<br>c</p></ul>", "- a\n  b c"),
    ("<ul><li>a<pre>x</pre>b<li>c</ul>", "- a\n\n```\nx\n```\n\n  b\n- c"),
    ("<li>alone", "alone"),
    ("<ul></ul>after", "after"),
    ("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>", "a\n: b\n: c\n\nd\n: e"),
    ("<blockquote><p>a<br>b</p>c</blockquote>d", "> a\n> b\n\n> c\n\nd"),
    ("<ul><li><h3>a</h3>b</ul>", "### a\n\n- b"),
]


@pytest.mark.parametrize(("body", "expected"), LISTS, ids=range(len(LISTS)))
def test_lists_and_quotations(body: str, expected: str) -> None:
    assert text(body) == expected


def test_a_top_item_is_one_piece_unless_it_is_long() -> None:
    long = "word " * 150
    (block,) = page(f"<ul><li>a<ul><li>b</ul><li>{long}<p>{long}</ul>").blocks
    assert [piece.plain for piece in block.pieces] == ["a\nb", long.strip(), long.strip()]


CODE = [
    ("<pre>\na\n  b\n</pre>", "```\na\n  b\n```"),
    ("<pre><code class='x language-py'>a<br>b</code></pre>", "```py\na\nb\n```"),
    ("<div class=highlight-sh><div><pre>a\r\nb</pre></div></div>", "```sh\na\nb\n```"),
    ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
    ("<pre><div>a</div><div>b\n</div></pre>", "```\na\nb\n```"),
    ("<pre> \n </pre>x", "x"),
    (f"<div class=highlight-sh>{'<div>' * 9}<pre>a</pre>", "```\na\n```"),
    ("<pre>a<span class=lineno>1</span><button>Copy</button></pre>", "```\na\n```"),
    (
        "<table class=highlighttable><tr><td class=linenos><pre>1</pre><td><pre>a</pre></table>",
        "```\na\n```",
    ),
]


@pytest.mark.parametrize(("body", "expected"), CODE, ids=range(len(CODE)))
def test_code_keeps_its_lines(body: str, expected: str) -> None:
    assert text(body) == expected


def table(body: str) -> Block:
    (found,) = [block for block in page(body).blocks if block.kind == "table"]
    return found


def test_tables_have_pipes_and_headers() -> None:
    source = (
        "<table><caption>Sizes</caption><thead><tr><th>Name<th>Use</thead><tbody><tr></tr>"
        "<tr><td>a|b<td><b>c</b> <a href=q>d</a><a></a><br><p>e</p><img alt=f>"
        "<tr><td colspan=2>wide"
        "<tr><td colspan=x>g<td>h</table>"
    )
    document = page(source)
    assert document.text == (
        "Sizes\n\n| Name | Use |\n| --- | --- |\n| a\\|b | c d e f |\n| wide |  |\n| g | h |"
    )
    found = table(source)
    assert found.header == "| Name | Use |\n| --- | --- |"
    assert [piece.plain for piece in found.pieces] == [
        *("Name | Use", "a|b | c d e f", "wide | ", "g | h"),
    ]
    assert [(link.target, link.text) for link in document.links] == [("q", "d")]


def test_headers_of_tables_are_rows_of_header_cells() -> None:
    assert table("<table><tr><th>a<th>b<tr><td>1<td>2</table>").header.startswith("| a | b |\n")
    assert table("<table><tr><td>a<td>b<tr><td>1<td>2</table>").header == ""
    assert table("<table><tr><th>a<td>b<tr><th>1<td>2</table>").header == ""
    assert table("<table><tr><th>a<th>b</table>").header.startswith("| a | b |")


def test_tables_that_arrange_the_page_are_not_tables() -> None:
    for body in (
        "<table><tr><td>one</td></tr></table>",
        "<table role=presentation><tr><td>one<td></table>",
        "<table><tr><td><h3>one</h3><td></table>",
        "<table></table>one",
    ):
        assert [block.kind for block in page(body).blocks][-1:] != ["table"]
        assert "one" in text(body)
    assert text("<table><tr><td><td></table>x") == "x"
    assert text("<table><caption></caption><tr><th>a<th>b</table>").startswith("| a | b |")


ANCHORS = [
    ("<h2 id=own>T</h2>", "own"),
    ("<h2><a id=inner></a>T</h2>", "inner"),
    ("<h2><a name=inner></a>T</h2>", "inner"),
    ("<a name=before></a><h2>T</h2>", "before"),
    ("<a id=before></a>words<h2>T</h2>", ""),
    ("<section id=around><h2>T</h2></section>", "around"),
    ("<section id=around> <!-- x --><div><h2>T</h2></div></section>", "around"),
    ("<section id=around>words<h2>T</h2></section>", ""),
    ("<div id=a><div><div><div><h2>T</h2></div></div></div></div>", "a"),
    (f"<div id=a>{'<div>' * 5}<h2>T</h2></div>", ""),
    ("<span id=around><h2>T</h2></span>", ""),
]


@pytest.mark.parametrize(("body", "anchor"), ANCHORS, ids=range(len(ANCHORS)))
def test_anchors_of_headings(body: str, anchor: str) -> None:
    (heading,) = [block for block in page(body).blocks if block.kind == "heading"]
    assert (heading.anchor, heading.plain) == (anchor, "T")


def test_the_signs_that_link_to_a_heading_are_no_part_of_it() -> None:
    body = (
        "<h1>A<a class=headerlink href=#a>¶</a></h1><h2><a href=#b>#</a> B</h2>"
        "<h3><div>C</div> <div>D<br>E</div></h3><h4></h4>"
    )
    assert text(body) == "# A\n\n## B\n\n### C D E"


FURNITURE = "<nav>menu</nav><p role=search>find</p><div class=cookie-banner>cookies</div>"
CONTENT = "<h1>T</h1>" + "<p>content here.</p>" * 20


@pytest.mark.parametrize(
    "source",
    [
        f"<main>{FURNITURE}{CONTENT}</main>",
        f"<div role=main>{CONTENT}</div>",
        f"<main><aside>side</aside><article><header>{CONTENT}</header></article></main>",
        f"<main>side<div class='md-content x'>{CONTENT}</div></main>",
        f"<main>side<div class=vp-doc>{CONTENT}</div></main>",
        f"<main><div class=theme-doc-markdown>{CONTENT}</div>side</main>",
        f"<div id=content>{CONTENT}<div class='prev-next'>next page</div></div>",
        f"<header>top</header>{CONTENT}<footer>bottom</footer><aside>side</aside>",
        f"<main></main>{CONTENT}",
        f"<main><nav>{'only a menu ' * 20}</nav></main>{CONTENT}",
        f"<article></article><article></article>{CONTENT}",
    ],
    ids=range(11),
)
def test_only_the_content_is_kept(source: str) -> None:
    document = page(f"<body>{FURNITURE}{source}<script>var x</script></body>")
    assert document.text == "# T\n\n" + "\n\n".join(["content here."] * 20)


def test_other_elements() -> None:
    assert text("<p>a<img alt=Picture>b<img>") == "a Picture b"
    assert text("<details><summary>More</summary>Inside</details>") == "More\n\nInside"
    assert text("x<math><mi>y</mi><annotation>y^2</annotation></math>") == "xy^2"
    assert text("<math><mi>y</mi></math>") == "y"
    assert text("<ruby>漢<rp>(<rt>kan<rp>)</ruby>") == "漢kan"
    assert text("a<hr>b&amp;c&nbsp;d\u00ad\u200be") == "a\n\nb&c\xa0de"
    assert text("<select><option>x</select><textarea>y</textarea><svg><text>z</svg>w") == "w"
    assert text("<br><br>a<br><br>b") == "a\nb"
    assert text("<code>a. B</code> c. D") == "a. B c. D"
    assert text("<p>a <a href='javascript:x'>b</a> <a>c</a><a href=#x></a>") == "a b c"


def test_code_in_prose_is_never_cut() -> None:
    (block,) = page("<p>Call <code>a. B()</code> now. <code></code>Then stop.").blocks
    assert [piece.plain for piece in block.pieces] == ["Call a. B() now.", "Then stop."]


def test_links_around_blocks_and_with_a_base() -> None:
    document = page(
        "<head><base href='https://b.example/d/'></head><a href=x><h3>T</h3><p>W</p></a>"
        "<a href='http://[bad'>v</a>"
    )
    assert [(link.target, link.text) for link in document.links] == [
        ("https://b.example/d/x", "T"),
        ("https://b.example/d/x", "W"),
        ("http://[bad", "v"),
    ]


TITLES = [
    ("<title>Pods - Site</title><h1>Pods</h1>", "Pods"),
    ("<title>Pods - Site</title><h1>Other</h1>", "Pods - Site"),
    ("<title>Pods</title><p>x", "Pods"),
    ("<title>T</title><meta property='og:title' content='Open'><p>x", "Open"),
    ("<h1>Only</h1>", "Only"),
    ("<p>x", "Guide"),
]


@pytest.mark.parametrize(("source", "title"), TITLES, ids=range(len(TITLES)))
def test_titles(source: str, title: str) -> None:
    assert page(source).title == title


CANONICAL = [
    ("", "https://a.example/p", "https://a.example/p"),
    ("https://a.example/p", "/q", "https://a.example/q"),
    ("https://a.example/p", "https://evil.example/p", "https://a.example/p"),
    ("https://a.example/p", "javascript:alert(1)", "https://a.example/p"),
    ("https://a.example/p", "http://[bad", "https://a.example/p"),
    ("https://a.example/p", "", "https://a.example/p"),
    ("", "relative", ""),
]


@pytest.mark.parametrize(("url", "href", "expected"), CANONICAL, ids=range(len(CANONICAL)))
def test_a_canonical_address_counts_only_on_its_own_host(
    url: str, href: str, expected: str
) -> None:
    assert page(f"<link rel=canonical href='{href}'><p>x", url=url).url == expected


def test_drafts_and_languages() -> None:
    assert page("<meta name=robots content='NoIndex, follow'><p>x").draft
    assert page("<html lang=pt_BR><p>x").language == "pt"
    assert page("<html lang=xyz><p>x").language == ""


CHARSETS = [
    ("Grüße".encode(), "", "Grüße"),
    (b"\xef\xbb\xbf" + "Grüße".encode(), "text/html; charset=latin1", "Grüße"),
    ("Grüße".encode("utf-16"), "", "Grüße"),
    (b"\xfe\xff" + "Grüße".encode("utf-16-be"), "", "Grüße"),
    ("<p>Some words. Grüße".encode("utf-16-le"), "", "Some words. Grüße"),
    ("<p>Some words. Grüße".encode("utf-16-be"), "", "Some words. Grüße"),
    ("Grüße".encode("latin1"), "", "Grüße"),
    ("Grüße".encode("latin1"), "text/html; charset=utf-8", "Grüße"),
    ("Привет".encode("cp1251"), "text/html; charset=windows-1251", "Привет"),
    (b"<meta charset='koi8-r'>" + "Привет".encode("koi8-r"), "", "Привет"),
    (b"<meta charset=shift_jis>" + "こんにちは".encode("cp932"), "", "こんにちは"),
    ("こんにちは".encode("iso2022_jp"), "text/html; charset=iso-2022-jp", "こんにちは"),
    (b"<meta charset=utf-7>+ADw-script+AD4-x", "", "+ADw-script+AD4-x"),
    (b"<meta charset=rot13>uryyb", "", "uryyb"),
    (b"<meta charset=zlib_codec>caf\xe9", "", "café"),
    (b"<meta charset=no-such-name>caf\xe9", "", "café"),
    (b"a\x00" + b"b" * 200, "", "a\ufffd" + "b" * 200),
]


@pytest.mark.parametrize(("data", "declared", "expected"), CHARSETS, ids=range(len(CHARSETS)))
def test_charsets(data: bytes, declared: str, expected: str) -> None:
    assert page(data, content_type=declared).text == expected


def test_a_charset_that_is_wrong_is_noted() -> None:
    assert "Windows-1252" in page("Grüße".encode("latin1")).notes[0]
    assert "utf-16-le" in page("<p>Some words.".encode("utf-16-le")).notes[0]


def test_nothing_is_empty_and_binary_is_refused() -> None:
    assert page(" \n").blocks == ()
    assert page("").title == "Guide"
    with pytest.raises(DocumentUnreadable, match="binary"):
        page(b"\x00\x01\x02\x00\x00" * 9)
