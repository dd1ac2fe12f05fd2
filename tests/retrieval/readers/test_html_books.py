"""Pages of books and manuals: anchors of sections and terms, titles once, definitions as units."""

from __future__ import annotations

from retrieval.readers.pages import check_places
from tether.retrieval.chunking.chunker import Chunker, ChunkSettings
from tether.retrieval.document import Document
from tether.retrieval.readers.dispatch import read_document
from tether.text.units import units_of

DOCBOOK = """
<title>19.3. Connections</title>
<div class="navheader"><table><tr><th>19.3. Connections<td><a href=a>Prev</a></table></div>
<div class="sect1" id="CONNECTION">
<div class="titlepage"><div><div><h2 class="title">19.3. Connections</h2></div></div></div>
<div class="sect2" id="SETTINGS">
<div class="titlepage"><div><div><h3>Settings</h3></div></div></div>
<dl>
<dt id="LISTEN"><span class="term"><code>listen</code> (<a href=t>text</a>)</span></dt>
<dd><p>The address to listen on.</p><p>It is read at the start.</p></dd>
<dt><a id="PORT"></a>port</dt>
<dd><p>The port; 5432 by default.</p><pre>port = 1</pre><p>Any number.</p></dd>
<dt>high</dt><dt><a href=l>low</a></dt><dd>The bounds:<ul><li>one<li>two</ul>and no more.</dd>
</dl></div></div>
<div class="navfooter">Next</div>
"""


def page(body: str) -> Document:
    document = read_document(key="a.html", name="a.html", data=body.encode())
    check_places(document)
    return document


def test_a_page_of_a_book_has_its_title_once_and_no_navigation() -> None:
    document = page(DOCBOOK)
    assert document.title == "19.3. Connections"
    assert document.text.startswith("# 19.3. Connections\n\n## Settings\n\nlisten (text)\n: The")
    assert "Prev" not in document.text
    assert "Next" not in document.text
    (chunk,) = Chunker().chunks(document)
    assert chunk.heading_path == ("19.3. Connections", "Settings")


def test_sections_and_terms_keep_their_anchors() -> None:
    blocks = page(DOCBOOK).blocks
    assert [block.anchor for block in blocks if block.kind != "code"] == [
        *("CONNECTION", "SETTINGS", "LISTEN", "PORT", ""),
    ]
    small = Chunker(ChunkSettings(size=40, overlap=0))
    links = [chunk.anchor for chunk in small.chunks(page(DOCBOOK))]
    assert links[:2] == ["SETTINGS", "PORT"]


def test_every_paragraph_of_a_definition_is_one_of_its_term() -> None:
    document = page(DOCBOOK)
    found = units_of(document.text)
    assert [(unit.lead_text, unit.text) for unit in found if unit.kind == "definition"] == [
        ("listen (text)", "The address to listen on."),
        ("listen (text)", "It is read at the start."),
        ("port", "The port; 5432 by default."),
        ("port", "Any number."),
        ("high, low", "and no more."),
    ]
    assert [(link.text, document.text[link.start :][:4]) for link in document.links] == [
        ("text", "text"),
        ("low", "low\n"),
    ]


def test_the_name_of_the_site_may_stand_on_either_side_of_the_title() -> None:
    for title in ("Sizes", "Sizes - Site", "Site: Docs: Sizes", "Site | Sizes"):
        document = page(f"<title>{title}</title><h3>Sizes</h3><p>Words.</p><h4>More</h4><p>x</p>")
        assert document.title == "Sizes"
        assert document.text.startswith("# Sizes\n\nWords.\n\n## More")
    for title in ("All Sizes", "Other", ""):
        document = page(f"<title>{title}</title><h3>Sizes</h3><p>Words.</p>")
        assert document.text.startswith("### Sizes")
    document = page("<title>Sizes</title><h1>Site</h1><h2>Sizes</h2><p>Words.</p>")
    assert "## Sizes" in document.text


def test_a_heading_that_repeats_the_one_above_it_is_left_out() -> None:
    document = page("<h1>Sizes</h1><h2>sizes</h2><p>a</p><h2>Other</h2><h2>Other</h2><p>b</p>")
    assert document.text == "# Sizes\n\na\n\n## Other\n\n## Other\n\nb"


def test_terms_without_a_list_and_terms_in_lists() -> None:
    assert page("<dt>a<dd>b").text == "a\n\nb"
    nested = page("<ul><li>one<dl><dt>a<dd>b<dd>c</dl>after</ul>").text
    assert nested == "- one\n\n  a\n  : b\n  : c\n  after"


def test_tables_of_directives_are_rows() -> None:
    source = (
        "<h2><a id=limit>Limit</a> Directive</h2><table class=directive>"
        "<tr><th>Description:</th><td>How much is read</td></tr>"
        "<tr><th>Default:</th><td><code>Limit 8190</code></td></tr></table>"
    )
    rows = [unit.text for unit in units_of(page(source).text) if unit.kind == "row"]
    assert rows == ["Description:; How much is read", "Default:; Limit 8190"]
