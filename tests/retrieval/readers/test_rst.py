"""reStructuredText with the habits of Sphinx: what is kept of each construct, and where it lies."""

from __future__ import annotations

import pytest

from tether.retrieval.document import Block, Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.rst import read_rst


def page(text: str, name: str = "guide/start.rst") -> Document:
    return read_rst(key=name, name=name, data=text.encode(), url="https://docs.example/start")


def shown(text: str) -> list[tuple[str, list[str]]]:
    """Return each block's kind and the plain text of its pieces, and check the places of both."""
    document = page(text)
    check_places(document)
    return [(block.kind, [piece.plain for piece in block.pieces]) for block in document.blocks]


def check_places(document: Document) -> None:
    end = 0
    for block in document.blocks:
        assert end <= block.start <= block.end <= len(document.text)
        end = block.start
        for piece in block.pieces:
            assert end <= piece.start <= piece.end <= block.end
            end = piece.end
        end = block.end


def quoted(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def test_the_text_is_the_file_and_titles_have_levels_and_anchors() -> None:
    source = (
        ":orphan:\n\n.. _start-here:\n\n=====\nStart\n=====\n\nWords.\n\nFirst: *steps*\n-----\n\n"
        "Deeper\n~~~~~~\n\nSecond\n------\n"
    )
    document = page(source)
    assert document.text == source
    assert (document.title, document.kind, document.key) == ("Start", "rst", "guide/start.rst")
    assert document.url == "https://docs.example/start"
    assert [(block.level, block.anchor, block.plain) for block in headings(document)] == [
        (1, "start", "Start"),
        (2, "first-steps", "First: steps"),
        (3, "deeper", "Deeper"),
        (2, "second", "Second"),
    ]
    assert quoted(document, headings(document)[1]) == "First: *steps*\n-----"
    assert document.metadata == (("orphan", ""), ("labels", "start-here"))


def headings(document: Document) -> list[Block]:
    return [block for block in document.blocks if block.kind == "heading"]


def test_a_repeated_or_foreign_title_uses_its_label_and_else_a_number() -> None:
    source = (
        "Setup\n=====\n\nSetup\n=====\n\n.. _second setup:\n\nSetup\n=====\n\nSetup\n=====\n\n"
        "Setup-1\n=======\n\n.. _labels:\n.. _overview:\n\n概要\n====\n\n設定\n====\n"
    )
    assert [block.anchor for block in headings(page(source))] == [
        *("setup", "setup-1", "second-setup", "setup-2", "setup-1-1", "overview", ""),
    ]


def test_numbers_of_repeated_titles_avoid_those_that_are_taken() -> None:
    source = "Setup-1\n=======\n\nSetup\n=====\n\nSetup\n=====\n"
    assert [block.anchor for block in headings(page(source))] == ["setup-1", "setup", "setup-2"]


def test_a_title_that_says_nothing_is_none() -> None:
    assert shown("\\ \\\n====\n\nWords.\n") == [("paragraph", ["Words."])]


def test_a_label_belongs_to_what_follows_it_at_once() -> None:
    source = "A\n=\n\n.. _label:\n\nWords between.\n\nA\n=\n"
    assert [block.anchor for block in headings(page(source))] == ["a", "a-1"]


def test_a_page_without_a_title_is_called_by_its_name() -> None:
    assert page("Words.\n", "guide/first-steps.rst").title == "First steps"


def test_what_looks_like_a_title_and_is_none() -> None:
    assert shown("Words\n\n----\n\nAB\n==\n\nABC\n--\n") == [
        ("paragraph", ["Words"]),
        ("heading", ["AB"]),
        ("paragraph", ["ABC --"]),
    ]
    assert shown("=====\n=====\n=====\n")[0][0] != "heading"
    assert shown("====\n   \n====\n") == []


def test_prose_loses_its_markup_and_is_cut_into_sentences() -> None:
    source = (
        "This is **bold**, *slanted* and ``code. Still code``. A `site <https://a.example>`_, a\n"
        "`named site`_, a reference_ and `phrase here`__. Use :class:`~pkg.mod.Thing` with\n"
        ":meth:`run <pkg.Thing.run>`, see :ref:`Label <some-label>` or :doc:`/other/page`.\n"
        "Escaped \\*stars\\*, joined\\ up, snake_case_ and |product| since [1]_ and [CIT2002]_.\n"
        "\n.. _named site: https://b.example/x\n.. _reference: https://c.example\n"
        "\n.. |product| replace:: Great Product\n"
    )
    assert shown(source) == [
        (
            "paragraph",
            [
                "This is bold, slanted and code. Still code.",
                "A site, a named site, a reference and phrase here.",
                "Use pkg.mod.Thing with run, see Label or /other/page.",
                "Escaped *stars*, joinedup, snake_case_ and Great Product since [1] and [CIT2002].",
            ],
        )
    ]
    assert [(link.target, link.text) for link in page(source).links] == [
        ("https://a.example", "site"),
        ("https://b.example/x", "named site"),
        ("ref:some-label", "Label"),
        ("/other/page", "/other/page"),
        ("https://b.example/x", "named site"),
        ("https://c.example", "reference"),
    ]


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("2 * 3 * 4 and f(*args, **kwargs)", "2 * 3 * 4 and f(*args, **kwargs)"),
        ("an ``unclosed literal", "an ``unclosed literal"),
        ("an `unclosed role and *star and **two", "an `unclosed role and *star and **two"),
        ("a | b | c and |unknown thing|", "a | b | c and unknown thing"),
        ("see https://a.example/x_y. Or (https://b.example).", None),
        ("``a`` and ``*b*`` stay", "a and *b* stay"),
        ("`text`:sub: and H\\ :sub:`2`\\ O", "text and H2O"),
        (":samp:`a {b} <c>` and :kbd:`Ctrl+C`", "a {b} <c> and Ctrl+C"),
        ("_`inline target` here", "inline target here"),
        (":samp:`a\\*b` and :file:`c\\ d`", "a*b and cd"),
        ("`<https://a.example>`_ alone", "https://a.example alone"),
        ("`x<y>`_ has no space", "x<y> has no space"),
        ("class_ and __init__ and a__b", "class_ and __init__ and a__b"),
        ("[not a note] and [#]_ and [*]_", "[not a note] and [#] and [*]"),
        ("* star", None),
        ("a :role without end", "a :role without end"),
        ("a :role:`without end", "a :role:`without end"),
        ("http://", "http://"),
        ("ends in a backslash \\", "ends in a backslash"),
        ("**bold * inside** out", "bold * inside out"),
        ("`a <b_>`_ goes to a name", "a goes to a name"),
    ],
    ids=lambda value: str(value)[:20] if value else "none",
)
def test_inline_markup(source: str, plain: str | None) -> None:
    said = " ".join(piece for _, pieces in shown(source) for piece in pieces)
    assert said == (plain or source.removeprefix("* "))


def test_standalone_addresses_are_links() -> None:
    links = page("See https://a.example/x_y. Or (https://b.example).").links
    assert [link.target for link in links] == ["https://a.example/x_y", "https://b.example"]


def test_code_after_a_double_colon() -> None:
    source = (
        "Run this::\n\n    make all\n\n      deeper\n\nor ::\n\n  that\n\n::\n\n\ttabbed\n\nEnd."
    )
    assert shown(source) == [
        ("paragraph", ["Run this:"]),
        ("code", ["make all", "  deeper"]),
        ("paragraph", ["or"]),
        ("code", ["that"]),
        ("code", ["tabbed"]),
        ("paragraph", ["End."]),
    ]
    code = page(source).blocks[1]
    assert quoted(page(source), code) == "make all\n\n      deeper"


def test_code_that_is_quoted_and_code_that_is_missing() -> None:
    assert shown("They wrote::\n\n> a\n> b\n\nEnd.") == [
        ("paragraph", ["They wrote:"]),
        ("code", ["> a", "> b"]),
        ("paragraph", ["End."]),
    ]
    assert shown("Nothing::\n\nfollows.") == [
        ("paragraph", ["Nothing:"]),
        ("paragraph", ["follows."]),
    ]
    assert shown("The end::") == [("paragraph", ["The end:"])]


def test_interactive_sessions_and_line_blocks() -> None:
    assert shown(">>> 1 + 1\n2\n\n| One Street\n| *Two* Town\n  goes on\n") == [
        ("code", [">>> 1 + 1", "2"]),
        ("paragraph", ["One Street", "Two Town", "goes on"]),
    ]


def test_lists_keep_nested_items_and_give_way_to_code() -> None:
    source = (
        "* One,\n  continued.\n\n  More of one.\n* Two\n\n  - nested **a**\n  - nested b\n\n"
        "* Three::\n\n      code\n\n* Four\n\n  .. code-block:: sh\n\n     ls\n\n  After.\n"
        "1. first\n2. second\n#. third\n\na) letter\n\n(iv) roman\n"
    )
    assert shown(source) == [
        ("list", ["One, continued.\nMore of one.", "Two\n- nested a\n- nested b", "Three:"]),
        ("code", ["code"]),
        ("list", ["Four"]),
        ("code", ["ls"]),
        ("paragraph", ["After."]),
        ("list", ["first", "second", "third", "letter", "roman"]),
    ]


def test_a_long_item_is_cut_at_its_paragraphs() -> None:
    long = "word " * 150
    source = f"* {long}\n\n  {long}\n\n* short\n"
    (_, pieces), *_ = shown(source)
    assert pieces == [long.strip(), long.strip(), "short"]
    assert page(source).blocks[0].pieces[0].start == 0


def test_a_line_that_begins_like_an_item_and_is_none() -> None:
    assert shown("A. Einstein was\nborn in Ulm.\n\n-not an item\n") == [
        ("paragraph", ["A. Einstein was born in Ulm."]),
        ("list", ["-not an item"]),
    ]


def test_an_empty_item() -> None:
    assert shown("*\n* full\n*\n") == [("list", ["full"])]


def test_definitions_fields_and_options() -> None:
    source = (
        "Title\n=====\n\nterm one\n  What it means.\nterm *two* : kind\n  What ``it`` means::\n\n"
        "     code\n\n:param x: the value\n:returns: nothing,\n   ever\n\n"
        "-a, --all  show all\n--quiet    say nothing\n"
    )
    assert shown(source)[1:] == [
        ("list", ["term one\nWhat it means.", "term two : kind\nWhat it means:"]),
        ("code", ["code"]),
        ("list", [":param x: the value", ":returns: nothing, ever"]),
        ("list", ["-a, --all show all", "--quiet say nothing"]),
    ]


def test_directives_keep_their_text_and_lose_their_names() -> None:
    source = """\
.. note:: Mind *this*.
   It goes on.

   A second paragraph.

.. warning::

   Careful.

.. admonition:: A title
   :class: tip

   The body.

.. tab-set::

    .. tab-item:: S3
        :sync: s3

        In a tab.

.. unknown-thing:: Its argument

   Its content.

.. image:: a.png
   :alt: A picture of it

.. figure:: b.png

   The caption.

.. only:: html

   For the web.

.. deprecated:: 2.1 Use that.

.. versionadded:: 3.0

.. glossary::

   term
     Meaning.
"""
    assert [pieces for _, pieces in shown(source)] == [
        ["Mind this.", "It goes on."],
        ["A second paragraph."],
        ["Careful."],
        ["A title"],
        ["The body."],
        ["S3"],
        ["In a tab."],
        ["Its argument"],
        ["Its content."],
        ["A picture of it"],
        ["The caption."],
        ["For the web."],
        ["Deprecated since version 2.1 Use that."],
        ["Added in version 3.0"],
        ["term\nMeaning."],
    ]


def test_options_may_go_on_and_end_without_a_blank_line() -> None:
    source = ".. figure:: b.png\n   :alt: A picture\n      of it\n   The caption.\n"
    assert [pieces for _, pieces in shown(source)] == [["A picture"], ["The caption."]]


def test_descriptions_of_code_keep_their_signatures() -> None:
    source = """\
.. py:function:: run(*args, **kwargs)
   :noindex:

   Runs *all*.

.. autoclass:: pkg.Thing
   :members:

.. option:: --all, -a

   Shows all.
"""
    assert [pieces for _, pieces in shown(source)] == [
        ["run(*args, **kwargs)"],
        ["Runs all."],
        ["pkg.Thing"],
        ["--all, -a"],
        ["Shows all."],
    ]


def test_code_directives() -> None:
    source = """\
.. code-block:: python
   :caption: A listing
   :emphasize-lines: 1

   if x:
       *y*

.. testcode::
   :hide:

   hidden()

.. testsetup::

   hidden()

.. math:: a^2

.. parsed-literal::

   a **b**
"""
    assert shown(source) == [
        ("paragraph", ["A listing"]),
        ("code", ["if x:", "    *y*"]),
        ("code", ["a^2"]),
        ("code", ["a **b**"]),
    ]
    assert page(source).notes == ("hidden test code left out: 2",)


def test_contents_of_other_pages_are_links() -> None:
    source = """\
.. toctree::
   :maxdepth: 2
   :caption: Guides

   first
   A second <second/index>

.. toctree::
   :hidden:

   third

.. autosummary::

   pkg.one
   pkg.two
"""
    assert shown(source) == [
        ("paragraph", ["Guides"]),
        ("list", ["first", "A second <second/index>"]),
        ("list", ["pkg.one", "pkg.two"]),
    ]
    assert [(link.target, link.text) for link in page(source).links] == [
        ("first", ""),
        ("second/index", "A second"),
        ("third", ""),
    ]


def test_comments_footnotes_and_other_things_with_two_dots() -> None:
    source = """\
.. A comment
   that goes on.

   And on.

..

   A quotation.

.. [1] A *note*
   that goes on.

.. [CIT2002] A citation.

__ https://anonymous.example

.. __: https://another.example

.. |logo| image:: logo.png

.. _a b: https://a.example/
   continued

.. meta::
   :description: About it
   :keywords: a, b

.. title:: Named here

.. contents:: Left out

.. _`quoted: label`:

.. _alias: name_

The |logo| end.
"""
    document = page(source)
    assert [pieces for _, pieces in shown(source)] == [
        ["A quotation."],
        ["[1] A note that goes on."],
        ["[CIT2002] A citation."],
        ["The  end.".replace("  ", " ")],
    ]
    assert document.notes == ("comments left out: 1",)
    assert document.title == "Named here"
    assert document.metadata == (
        ("description", "About it"),
        ("keywords", "a, b"),
        ("labels", "quoted: label"),
    )
    assert [link.target for link in document.links] == [
        "https://anonymous.example",
        "https://another.example",
        "https://a.example/continued",
    ]


def table(source: str) -> Block:
    document = page(source)
    check_places(document)
    (found,) = [block for block in document.blocks if block.kind == "table"]
    return found


def test_grid_tables() -> None:
    source = """\
+------+-----------+
| Name | Use       |
+======+===========+
| a    | first     |
|      | **use**   |
+------+-----------+
| both columns     |
+------+-----------+
"""
    found = table(source)
    assert [piece.plain for piece in found.pieces] == [
        "Name | Use",
        "a | first use",
        "both columns",
    ]
    assert found.header == "| Name | Use       |\n+======+===========+"
    assert table("+--+--+\n| a | b |\n").header == ""
    assert shown("+--+--+\n+--+--+\n") == []


def test_simple_tables() -> None:
    source = """\
=====  =====
Name   Use
=====  =====
a      first
       line
b      ``x``

c
=====  =====

After.
"""
    found = table(source)
    rows = [piece.plain for piece in found.pieces]
    assert rows == ["Name | Use", "a | first line", "b | x", "c | "]
    assert found.header == "Name   Use\n=====  ====="
    headless = table("  == ==\n  a  b\n  -----\n  c  d\n  == ==\n")
    assert [piece.plain for piece in headless.pieces] == ["a | b", "c | d"]
    assert headless.header == ""


def test_a_border_without_a_table() -> None:
    assert shown("  == ==\n  a  b\n  == ==\n  c\nleft\n") == [
        ("paragraph", ["== == a b == == c"]),
        ("paragraph", ["left"]),
    ]
    assert shown("== ==\na\n") == [("paragraph", ["== == a"])]


def test_list_tables() -> None:
    source = """\
.. list-table:: Sizes
   :header-rows: 1

   * - Name
     - Use
   * - a
     - first
       | line
   * -
     - :ref:`x`
"""
    assert shown(source)[0] == ("paragraph", ["Sizes"])
    found = table(source)
    assert [piece.plain for piece in found.pieces] == ["Name | Use", "a | first line", " | x"]
    assert found.header == "* - Name\n     - Use"
    assert shown(".. list-table::\n\n   words\n") == []
    assert shown(".. list-table::\n   :header-rows: x\n\n   * - a\n") == [("table", ["a"])]


def test_csv_tables() -> None:
    source = """\
.. csv-table:: Sizes
   :header: "Name", "Use"

   a, "first, second"
   b, "over
   lines"

   c, "never closed
"""
    found = table(source)
    assert [piece.plain for piece in found.pieces] == [
        *("Name | Use", "a | first, second", "b | over lines", "c | never closed"),
    ]
    assert found.header == '"Name", "Use"'
    assert table(".. csv-table::\n\n   a,b\n").header == ""
    assert len(table(f".. csv-table::\n\n   a,{'b' * 200_000}\n").pieces[0].plain) == 200_002


def test_newlines_of_all_kinds_and_other_encodings() -> None:
    assert shown("Title\r\n=====\r\n\r\nOne\r\ntwo.\r\n") == [
        ("heading", ["Title"]),
        ("paragraph", ["One two."]),
    ]
    latin = read_rst(key="a", name="a.rst", data="Grüße.\n".encode("cp1252"))
    assert latin.text == "Grüße.\n"
    assert latin.notes == ("not UTF-8: read as Windows-1252",)
    with pytest.raises(DocumentUnreadable, match="binary"):
        read_rst(key="a", name="a.rst", data=b"\x00\x01")
    assert read_rst(key="a", name="a.rst", data=b"").blocks == ()


def test_the_footer_of_a_card_is_apart_from_its_text() -> None:
    found = page(
        ".. grid-item-card::\n\n    Text of the card.\n\n    +++\n"
        "    .. button-ref:: guide\n\n       Read on\n\nAPI\n+++\n"
    )
    assert "+++" not in " ".join(block.plain for block in found.blocks)
    assert [block.plain for block in found.blocks if block.kind == "heading"] == ["API"]
