"""The units of a passage: the parts that may be quoted, and those that are skipped."""

from __future__ import annotations

import pytest

from tether.ask.quoting.inlines import shown
from tether.ask.quoting.units import MOST_SENTENCES, Unit, read_passage
from tether.text.units.units import LONGEST_BLOCK, MOST_LINES


def units(text: str) -> tuple[Unit, ...]:
    return read_passage(text, 0).units


def quotable(text: str) -> list[str]:
    return [unit.text for unit in units(text)]


def test_each_unit_names_the_span_that_it_shows() -> None:
    text = "# A\n\n> One is *here*.\n> Two is\n> there.\n\n- An item.\n- Another [one](x).\n"
    for unit in units(text):
        assert shown(text[unit.start : unit.end]) == unit.text
    assert quotable(text) == ["One is *here*.", "Two is there.", "An item.", "Another one."]


@pytest.mark.parametrize(
    "debris",
    [
        "# A heading with words.",
        "A heading with words.\n=====================",
        "Title\n~~~~~",
        "```python\nprint('A sentence.')\n```",
        "~~~\nA sentence.\n~~~",
        "``````\n```\nA sentence.\n```\n``````",
        "    indented code is here. It is.",
        "| a | b |\n|---|---|\n| A sentence. | Another one. |",
        "Name | Meaning\n--- | ---\nOne. | A sentence is here.",
        "+------+------+\n| One. | Two. |\n+------+------+",
        "===== =====\nOne.  Two sentences.\n===== =====\n",
        "<!-- A sentence. -->",
        "<!--\nA sentence.\n-->",
        "<table>\n<tr><td>A sentence is here.</td></tr>\n</table>",
        "<script>\nA sentence is here.\n</script>",
        "<nav>A sentence is here.</nav>",
        "<pre>A sentence is here.</pre>",
        "![An image of a sentence.](x.png)",
        "- [A bare link.](x.md)\n- [Another one.](y.md)",
        "* :ref:`a-target`\n* https://a.example/page.",
        "[ref]: https://a.example 'A sentence.'",
        "[^1]: A sentence in a note.",
        ".. image:: x.png\n   :alt: A sentence.",
        ".. code-block:: python\n\n   print('A sentence.')",
        ".. toctree::\n   :maxdepth: 2\n\n   A page.",
        ".. _a-label:",
        "..\n   A comment of a sentence.",
        "Run this::\n\n    A sentence of code.",
        ">>> print('A sentence.')",
        "$ echo A sentence.",
        '{{< include file="A sentence." >}}',
        "{* ../a/sentence.py hl[1] *}",
        "{% include 'x.' %}",
        "[TOC]",
        "(a-label)=",
        ":orphan: yes.",
        "***",
        "---",
        "- - -",
        "* * *",
        "- An item:\n\n* * *\n\n    indented code is here.",
        "One is here. | yes | no |\nTwo is here. | yes | no |",
        "Name: harbour\nVersion: 1.2\nSummary: A server for artifacts.",
        "In [1]:\nA sentence is here.",
        "Out[12]: A sentence is here.",
        "*[HTML]: A sentence is here.",
        "{: .cls }",
        "Half a | bar is here.",
        "## See also\n\nAnother page has a sentence.",
        "Version {{< skew >}} is a hole.",
        "A line without an end",
        "A line that leads to code:\n\n```\nx\n```",
        "1234 5678 9.",
        "Half a (bracket is here.",
        "Half a [link is here.",
        "With , something is missing.",
        "Use a star () here.",
        "- : A definition is here.",
        '## {{% heading "whatsnext" %}}\n\nAnother page has a sentence.',
        "word " * 95 + "end.",
        "x" * 800 + ".",
    ],
)
def test_debris_is_never_quoted(debris: str) -> None:
    text = f"First comes a sentence.\n\n{debris}\n"
    assert quotable(text) == ["First comes a sentence."]


@pytest.mark.parametrize(
    "wrapped",
    [
        "A sentence\nis wrapped.",
        ":::note\nA sentence is wrapped.\n:::",
        ":::{tip}\nA sentence is wrapped.\n:::",
        '!!! note "Title"\n    A sentence is wrapped.',
        '??? tip "Title"\n\n    A sentence is wrapped.',
        "/// note | Title\n\nA sentence is wrapped.\n\n///",
        "> [!NOTE]\n> A sentence is wrapped.",
        "> A sentence\n> is wrapped.",
        "{{< note >}}\nA sentence is wrapped.\n{{< /note >}}",
        "```{note}\nA sentence is wrapped.\n```\n",
        ".. note:: A sentence is wrapped.",
        ".. note::\n\n   A sentence is wrapped.",
        ".. tab-item:: Title\n   :sync: x\n\n   A sentence is wrapped.",
        "<p>A sentence is wrapped.</p>",
        "<div class='x'><p>A sentence</p>\n<p>A sentence is wrapped.</p></div>",
        "<h2>Title</h2><p>A sentence is wrapped.</p>",
        "<ul><li>A sentence is wrapped.</li></ul>",
        "term\n: A sentence is wrapped.",
        "<!-- body --> A sentence is wrapped.",
        "---\ntitle: Front\n---\nA sentence is wrapped.",
        "+++\ndraft = true\n+++\nA sentence is wrapped.",
        "***\nA sentence is wrapped.\n***",
        "```\ncode\n```\nA sentence is wrapped.",
        "A\n| b |\n\nA sentence is wrapped.",
        "# T\n\n1. A sentence is wrapped.",
        ".. image:: x.png\n   :alt: x\n\nA sentence is wrapped.",
        "Code::\n\n  x.\n\nA sentence is wrapped.",
        "<Note>A sentence is wrapped.</Note>",
        '<Card title="x">\n  A sentence is wrapped.\n</Card>',
        "x = 1.\nprint('The port.')\n```\n\nA sentence is wrapped.",
        "A sentence is wrapped.\n\n```\nThe code is cut.",
        "A sentence is wrapped.\n```\nThe code is cut.",
        "A sentence is wrapped.\n\n```py\nThe code is cut.",
        "# T\r\n\r\nA sentence\r\nis wrapped.\r\n",
        "---\r\ntitle: Front\r\n---\r\n```\r\nThe code.\r\n```\r\nA sentence is wrapped.\r\n",
        "# T\r\rA sentence\ris wrapped.",
        "A sentence\u2028is\x0cwrapped.",
        "A sentence is wrapped.{: .cls }",
    ],
)
def test_a_sentence_is_found_in_whatever_wraps_it(wrapped: str) -> None:
    assert quotable(wrapped) == ["A sentence is wrapped."]


def test_a_component_that_is_never_closed_is_no_tag() -> None:
    assert quotable("<String> is a type of text.") == [r"\<String> is a type of text."]


def test_a_short_line_over_deeper_text_is_its_heading() -> None:
    text = "port\n    The number is nine. It is open.\n\n    More is told here.\n\nThe end is here."
    assert [unit.path for unit in units(text)] == [("port",), ("port",), (), ()]
    wrapped = "A long line that is wrapped,\n    But goes on here."
    assert quotable(wrapped) == ["A long line that is wrapped, But goes on here."]
    assert [u.path for u in units("A\n: One is here.\n: Two is here.\n")] == [("A",)] * 2
    item = "- one\n: Two is here.\n"
    assert [u.path for u in units(item)] == [(), ()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Use e.g. a file, i.e. main.rs. It works.",
            ["Use e.g. a file, i.e. main.rs.", "It works."],
        ),
        (
            "Dr. Who met No. 6 vs. Fig. 3 in the U.S. Army. The end.",
            ["Dr. Who met No. 6 vs. Fig. 3 in the U.S. Army.", "The end."],
        ),
        (
            "Version 1.2.3 is out. Python 3.11 is needed.",
            ["Version 1.2.3 is out.", "Python 3.11 is needed."],
        ),
        (
            "Call `a. B` now. See https://a.example/b.html first.",
            ["Call `a. B` now.", "See `https://a.example/b.html` first."],
        ),
        ("Wait... Then go! Why? Because.", ["Wait...", "Then go!", "Why?", "Because."]),
        (
            "It works (see Fig. 3. It shows it). Good.",
            ["It works (see Fig. 3. It shows it).", "Good."],
        ),
        ("“Stop.” He left.", ["“Stop.”", "He left."]),
        ("**One ends.** Two ends.", ["**One ends.**", "Two ends."]),
        (
            "Er kam am 3. Oktober 1990, z. B. mit ca. 5 Leuten. Dann ging er.",
            ["Er kam am 3. Oktober 1990, z. B. mit ca. 5 Leuten.", "Dann ging er."],
        ),
        ("向量数据库存储向量。它很快。好的。", ["向量数据库存储向量。", "它很快。", "好的。"]),
        ("यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है।", "यह दूसरा है।"]),
        ('Read [Async: *"In a hurry?"*](a.md#x) first.', ['Read Async: *"In a hurry?"* first.']),
        ("One is here.\r\rTwo is here.", ["One is here.", "Two is here."]),
        (
            "It is nine. `foo` is a name. [Bar](x) is one. <b>Qux</b> is last. kubectl is a tool.",
            [
                "It is nine.",
                "`foo` is a name.",
                "Bar is one.",
                "Qux is last.",
                "kubectl is a tool.",
            ],
        ),
        ("Some cats, dogs etc. that is all.", ["Some cats, dogs etc. that is all."]),
        ("<b>It is nine.</b> main() ends.", ["It is nine.", "main() ends."]),
        ('See the [guide](a.md "A. B."). Done it is.', ["See the guide.", "Done it is."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert quotable(text) == expected


def test_a_list_belongs_to_the_line_that_leads_into_it() -> None:
    text = "The options are:\n\n* `a`: the first\n* `b`: the second\n  * nested one\n* third\n"
    found = units(text)
    assert [(unit.kind, unit.number) for unit in found] == [
        ("lead", 0),
        ("item", 1),
        ("item", 2),
        ("item", 1),
        ("item", 3),
    ]
    lead, first, second, nested, third = found
    assert lead.list == first.list == second.list == third.list != nested.list


def test_numbered_steps_stay_one_list_around_code() -> None:
    code = "   ```\n   x\n   ```\n"
    text = f"Do this:\n\n1. Write it.\n\n{code}\n2. Run:\n\n       code\n\n3. Stop it.\n"
    found = units(text)
    assert [(unit.text, unit.number) for unit in found] == [
        ("Do this:", 0),
        ("Write it.", 1),
        ("Stop it.", 3),
    ]
    assert {unit.list for unit in found} == {1}
    assert found[1].is_ordered


def test_a_number_in_a_wrapped_line_begins_no_list() -> None:
    assert quotable("The bus was\n86. It was good.") == ["The bus was 86.", "It was good."]
    assert quotable("Do this\n1. One is here.") == ["One is here."]


def test_a_paragraph_ends_a_list_and_another_list_is_another() -> None:
    one, two = (unit for unit in units("- One.\n\nText ends here\n\n- Two.\n"))
    assert one.list != two.list


def test_a_quoted_paragraph_ends_where_its_marks_end() -> None:
    text = "> One is here, and\nTwo is here.\n> > Three is here, and\n> Four is here.\n"
    assert quotable(text) == ["Two is here.", "Four is here."]


def test_a_long_item_is_quoted_by_the_sentence() -> None:
    text = f"- The first is short. {'Many words follow here. ' * 12}\n- Small one. And more.\n"
    found = units(text)
    assert [unit.kind for unit in found] == ["item", *["sentence"] * 12, "item"]
    assert found[-1].text == "Small one. And more."


def test_a_cut_beginning_is_not_quoted() -> None:
    text = "of the last page ends here. A whole one follows.\n\n```\nx\n```\n\nbecause it is so.\n"
    assert quotable(text) == ["A whole one follows."]
    assert quotable("A start.\n\nkubectl is a tool.") == ["A start.", "kubectl is a tool."]


def test_headings_make_a_path_and_the_first_is_the_title() -> None:
    text = (
        '---\ntitle: "Front"\n---\n# One\n\n## Two\n\nA is here.\n\n## Three {#x}\n\nB is here.\n'
    )
    passage = read_passage(text, 0)
    assert passage.title == "Front"
    assert [unit.path for unit in passage.units] == [
        ("Front", "One", "Two"),
        ("Front", "One", "Three"),
    ]


def test_a_heading_with_a_hole_is_no_title() -> None:
    text = "# {{% heading 'x' %}}\n\n## Real\n\nIt is here.\n"
    assert read_passage(text, 0).title == "Real"


def test_underlined_headings_have_levels_by_appearance() -> None:
    text = "Top\n===\n\nSub\n---\n\nA is here.\n\nOther\n---\n\nB is here.\n"
    assert [unit.path for unit in units(text)] == [("Top", "Sub"), ("Top", "Other")]


def test_an_empty_heading_in_html_is_none() -> None:
    passage = read_passage("<h1></h1>\n<h2>Real</h2><p>It is here.</p>", 0)
    assert passage.title == "Real"


def test_reading_stops_at_the_limits_whatever_is_read() -> None:
    assert len(read_passage("It is. " * 6_000, 0).units) == MOST_SENTENCES
    assert len(read_passage("It is. " * 6_000, 0, 1_000).units) == MOST_SENTENCES // 1_000
    debris = "- x:\n" * (MOST_SENTENCES // 100)
    assert read_passage(f"{debris}\n\nIt is here.", 0, 100).units == ()
    assert read_passage("-\n" * (MOST_LINES // 100) + "\nIt is here.", 0, 100).units == ()
    assert quotable("x" * LONGEST_BLOCK + ". It is here.") == []
