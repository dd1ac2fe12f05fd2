"""The units of a passage: each kind in each format, with its lead, and what is not a unit."""

from __future__ import annotations

import pytest

from tether.text.units import Unit, units_of
from tether.text.units.units import LONGEST_BLOCK, LONGEST_UNIT, MOST_LINES, MOST_UNITS


def said(text: str, header: str = "") -> list[str]:
    return [unit.text for unit in units_of(text, header=header)]


def written(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in units_of(text)]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(unit.kind, unit.text) for unit in units_of(text)]


def with_leads(text: str) -> list[tuple[str, str, str]]:
    return [(unit.kind, unit.lead_text, unit.text) for unit in units_of(text)]


def lead_of(text: str, unit: Unit) -> str:
    assert unit.lead is not None
    return text[slice(*unit.lead)]


def test_a_unit_has_all_that_a_quote_of_it_needs() -> None:
    text = "# The *harbour*\n\nIt is **old**. It has:\n\n- a [gate](x.md)\n- one `pier`\n"
    assert units_of(text) == (
        Unit("sentence", 17, 31, None, ("The harbour",), 1, "It is old.", ""),
        Unit("item", 43, 57, (32, 39), ("The harbour",), 2, "a gate", "It has:"),
        Unit("item", 60, 70, (32, 39), ("The harbour",), 2, "one `pier`", "It has:"),
    )


def test_each_sentence_of_a_paragraph_is_a_unit_and_they_share_a_block() -> None:
    text = "One is here. Two is\nthere.\n\nThree is far.\n"
    assert written(text) == ["One is here.", "Two is\nthere.", "Three is far."]
    assert said(text) == ["One is here.", "Two is there.", "Three is far."]
    assert [unit.block for unit in units_of(text)] == [1, 1, 2]


def test_line_breaks_of_any_kind_keep_their_places() -> None:
    text = "# T\r\n\r\nOne is\r\nhere.\r\rTwo is\x0cthere.\u2028"
    assert written(text) == ["One is\r\nhere.", "Two is\x0cthere."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A paragraph without an end", ["A paragraph without an end"]),
        ("One ends. The next does not end", ["One ends.", "The next does not end"]),
        ("Two words", []),
        ("1.0.0 \u00b7 Source", []),
        ("**Before you begin**", []),
        ("**Deprecated rules must work for one more year**",) * 2,
        ("[A link to a page](page.md)", []),
        ("[A link to a page][page]", []),
        ("import Tabs from '@theme/Tabs'", []),
        ("pip install -U harbour now", []),
        ("let gate = open the harbour", []),
        ("if it opens {\n    go on", []),
        ("fn gate() -> Harbour or so", []),
        ("$HARBOUR is not prose here", []),
        ("12 34 56 78 90 of it", []),
        ("word " * 250, []),
        ("> A quoted line, and\nnothing of it goes on", ["nothing of it goes on"]),
        ("<p>A line of some words</p>", ["A line of some words"]),
    ],
)
def test_a_line_without_a_stop_needs_words(text: str, expected: str | list[str]) -> None:
    expected = [expected.strip("*")] if isinstance(expected, str) else expected
    assert said(text) == expected


@pytest.mark.parametrize(
    "cut",
    [
        "of the last page",
        "goes on, and",
        "), which is so",
        ", and more",
        "\u3001\u305d\u3057\u3066",
    ],
)
def test_a_sentence_that_begins_in_the_middle_is_not_one(cut: str) -> None:
    assert said(f"{cut} ends here. A whole one follows.") == ["A whole one follows."]


def test_a_name_in_small_letters_may_begin_a_passage_or_a_paragraph() -> None:
    assert said("kubectl is a tool.") == ["kubectl is a tool."]
    assert said("A is here.\n\nbecause it is so.\n\ngit is a tool.") == [
        "A is here.",
        "git is a tool.",
    ]


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("- one\n", []),
        ("```\ncode\n```\n", []),
        ("| a | b |\n|---|---|\n| c | d |\n", []),
        ("A paragraph.\n", ["The six gates of the harbour are:"]),
        ("", ["The six gates of the harbour are:"]),
        ("```\n{{#include x.rs}}\n```\n", ["The six gates of the harbour are:"]),
    ],
)
def test_a_line_with_a_colon_is_a_sentence_where_it_leads_to_nothing(
    below: str, expected: list[str]
) -> None:
    text = f"The six gates of the harbour are:\n\n{below}"
    lead = "The six gates of the harbour are:"
    assert [one for kind, one in kinds(text) if (kind, one) == ("sentence", lead)] == expected
    assert said("For example:\n\nIt is so.") == ["It is so."]


def test_a_template_that_inserts_words_makes_a_gap() -> None:
    text = 'Version {{< skew >}} is out. A {{< link text="gate" >}} is not. `{{% x %}}` is code.'
    assert said(text) == ["A gate is not.", "`{{% x %}}` is code."]
    assert said("{{< note >}} It is so. {{< /note >}}\n") == ["It is so."]
    assert said("It is {% if x %}so{% endif %}. Use {{ value }} here.") == ["Use {{ value }} here."]


def test_an_item_is_one_unit_with_the_line_that_leads_to_the_list() -> None:
    text = "Text. The options are:\n\n* One. It is so.\n* Two\n  is wrapped\n\nEnd it is.\n"
    assert with_leads(text) == [
        ("sentence", "", "Text."),
        ("item", "The options are:", "One. It is so."),
        ("item", "The options are:", "Two is wrapped"),
        ("sentence", "", "End it is."),
    ]
    units = units_of(text)
    assert {lead_of(text, unit) for unit in units[1:3]} == {"The options are:"}
    assert [unit.block for unit in units] == [1, 2, 2, 3]


def test_a_line_right_above_a_list_leads_to_it_without_a_colon() -> None:
    assert with_leads("It is a tool that\n1. reads\n2. writes\n") == [
        ("item", "It is a tool that", "reads"),
        ("item", "It is a tool that", "writes"),
    ]
    assert with_leads("Some words here\n\n- one\n") == [("item", "", "one")]
    assert with_leads("It ends.\n- one\n")[1] == ("item", "", "one")


def test_nested_items_belong_to_the_item_that_ends_in_a_colon() -> None:
    text = "- Fruit is here. It is:\n  - an apple\n    - a red one\n- Nuts:\n  1. a hazelnut\n"
    assert with_leads(text) == [
        ("item", "", "Fruit is here. It is:"),
        ("item", "Fruit is here. It is:", "an apple"),
        ("item", "Fruit is here. It is:", "a red one"),
        ("item", "Nuts:", "a hazelnut"),
    ]
    first, apple, red, nut = (unit.block for unit in units_of(text))
    assert len({first, apple, red, nut}) == 4


def test_an_item_of_a_list_in_a_list_has_all_lead_ins_above_it() -> None:
    text = (
        "The following are not supported:\n\n- Uploads:\n  - larger than 5 GB\n"
        "  - to tape\n    - of any size\n- Downloads:\n  1. by guests\n- Sharing\n"
    )
    outer = "The following are not supported"
    assert with_leads(text) == [
        ("item", f"{outer}: Uploads:", "larger than 5 GB"),
        ("item", f"{outer}: Uploads:", "to tape"),
        ("item", f"{outer}: Uploads:", "of any size"),
        ("item", f"{outer}: Downloads:", "by guests"),
        ("item", f"{outer}:", "Sharing"),
    ]
    large, _, _, guests, sharing = units_of(text)
    assert lead_of(text, large) == f"{outer}:\n\n- Uploads:"
    assert lead_of(text, guests) == text[: text.index("\n  1. by")]
    assert lead_of(text, sharing) == f"{outer}:"


def test_lead_ins_that_are_far_apart_are_all_read_and_the_nearest_has_a_place() -> None:
    items = "- It is one of many.\n" * (LONGEST_UNIT // 20)
    text = f"Never do this:\n\n{items}- Uploads:\n  - to tape\n"
    last = units_of(text)[-1]
    assert (last.lead_text, last.text) == ("Never do this: Uploads:", "to tape")
    assert lead_of(text, last) == "Uploads:"


def test_the_lead_stays_with_a_list_around_code() -> None:
    text = "Do this:\n\n1. Write it.\n\n   ```\n   x\n   ```\n\n2. Run it.\n\n   It is fast.\n"
    assert with_leads(text) == [
        ("item", "Do this:", "Write it."),
        ("code", "Write it.", "x"),
        ("item", "Do this:", "Run it."),
        ("sentence", "", "It is fast."),
    ]


def test_text_in_an_item_is_not_code_because_it_is_indented() -> None:
    text = "1. One is here.\n\n      - deep one\n\n            code\n"
    assert kinds(text) == [
        ("item", "One is here."),
        ("item", "deep one"),
        ("code", "code"),
    ]


@pytest.mark.parametrize("text", ["- \u2014\n", "-\n", "- ![image](x.png)\n", "- Nothing:\n"])
def test_an_item_that_says_nothing_is_not_a_unit(text: str) -> None:
    assert said(text) == []


def test_marks_of_many_kinds_begin_items() -> None:
    text = (
        "- [x] a task\n\n\u2022 a bullet\n\n#. a number\n\n(a) a letter\n\n"
        "<ul><li>a tag</li></ul>\n"
    )
    assert kinds(text) == [
        ("item", "[x] a task"),
        ("item", "a bullet"),
        ("item", "a number"),
        ("item", "a letter"),
        ("item", "a tag"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "`port`\n: A *number*. It is open.\n",
        "`port`\n\n<!-- -->\n\n`port`\n:   A number. It\n    is open.\n",
        "port\n    A number. It is open.\n",
        "<dl><dt>port</dt><dd>A number. It is open.</dd></dl>\n",
        ".. glossary::\n\n   port\n      A number.\n      It is open.\n",
        ".. option:: port\n\n   A number. It is open.\n",
        ".. py:class:: port\n   :noindex:\n\n   A number. It is open.\n",
    ],
)
def test_a_definition_is_one_unit_with_its_term(text: str) -> None:
    (unit,) = units_of(text)
    assert (unit.kind, unit.text) == ("definition", "A number. It is open.")
    assert unit.lead_text.strip("`") == "port"
    assert lead_of(text, unit).strip("`") == "port"


def test_several_definitions_share_a_term() -> None:
    assert with_leads("gate\n: It opens.\n: It closes.\n\nMore is here.\n") == [
        ("definition", "gate", "It opens."),
        ("definition", "gate", "It closes."),
        ("sentence", "", "More is here."),
    ]


def test_what_follows_a_signature_is_its_definition_only_inside() -> None:
    text = (
        ".. function:: open(gate)\n\nIt is outside.\n\n"
        ".. function:: shut()\n\n   - one\n\n   It is.\n"
    )
    assert kinds(text) == [
        ("sentence", "It is outside."),
        ("item", "one"),
        ("sentence", "It is."),
    ]


def test_code_that_looks_like_one_is_not_a_definition() -> None:
    assert said("config = (\n    Config()\n    .set(1)\n") == []
    assert said("list\n: The gates are:\n\n- one\n") == ["one"]


@pytest.mark.parametrize(
    ("code", "span"),
    [
        ("```sh\nopen\n  it\n```", "```sh\nopen\n  it\n```"),
        ("~~~\nopen\n  it\n~~~", "~~~\nopen\n  it\n~~~"),
        ("    open\n      it", "open\n      it"),
        (">>> open\n  it", ">>> open\n  it"),
        ("In [1]: open\n  it", "In [1]: open\n  it"),
        ("Out[2]:\nopen\n  it", "Out[2]:\nopen\n  it"),
        ("<pre>open\n  it</pre>", "<pre>open\n  it</pre>"),
        (
            "<pre><code>\nopen\n  <b>it</b>\n</code></pre> more",
            "<pre><code>\nopen\n  <b>it</b>\n</code></pre>",
        ),
        (
            ".. code:: sh\n   :linenos:\n\n   open\n     it",
            ".. code:: sh\n   :linenos:\n\n   open\n     it",
        ),
        (
            "```{code-block} sh\n:linenos:\nopen\n  it\n```",
            "```{code-block} sh\n:linenos:\nopen\n  it\n```",
        ),
        ("```{r, echo=FALSE}\nopen\n  it\n```", "```{r, echo=FALSE}\nopen\n  it\n```"),
    ],
)
def test_code_is_one_unit_with_the_sentence_above_it(code: str, span: str) -> None:
    text = f"First words. Then *type* this.\n\n{code}\n\nThe end is here.\n"
    above, lead, unit, end = units_of(text)
    assert [above.text, lead.text, end.text] == [
        "First words.",
        "Then type this.",
        "The end is here.",
    ]
    assert (unit.kind, text[unit.start : unit.end]) == ("code", span)
    assert unit.text.removeprefix(">>> ") == "open\n  it"
    assert (unit.lead_text, lead_of(text, unit)) == ("Then type this.", "Then *type* this.")


def test_a_literal_block_is_announced_by_two_colons() -> None:
    text = "Type this::\n\n  open\n\n    it\n\nOr: ::\n\n  shut\n\n::\n\n  go\n"
    assert with_leads(text) == [
        ("code", "Type this:", "open\n\n  it"),
        ("code", "Or:", "shut"),
        ("code", "", "go"),
    ]
    assert with_leads("Some words are here.\n\n::\n\n  go\n")[1] == (
        "code",
        "Some words are here.",
        "go",
    )


def test_code_in_a_quote_and_in_an_item_loses_the_marks_around_it() -> None:
    text = "> ```\n> a\n>   b\n> ```\n>\n>     c\n>\n>     d\n\n- Do:\n\n  ```\n  e\n    f\n  ```\n"
    assert kinds(text) == [("code", "a\n  b"), ("code", "c\n\nd"), ("code", "e\n  f")]


@pytest.mark.parametrize(
    "text",
    [
        "```\ncut off",
        "<pre>cut off",
        "```\n```\n",
        "In [1]:\n\n",
        ".. code::\n\nText ends",
        ".. image:: x.png\n   :alt: words of it\n",
        ".. literalinclude:: x.py\n   :lines: 1\n",
        "```{toctree}\npage\n```\n",
        "```\n{{#include x.rs}}\n```\n",
        "    the rest of code\n    of another passage\n",
        "x = 1\n```\n",
        "```\n" + "x = 1\n" * LONGEST_UNIT + "```\n",
    ],
)
def test_code_that_is_cut_or_not_there_is_not_a_unit(text: str) -> None:
    assert said(text) == []


def test_a_fence_may_wrap_prose() -> None:
    assert kinds("```{note}\nIt is so.\n```\n\nIt ends.\n") == [
        ("sentence", "It is so."),
        ("sentence", "It ends."),
    ]


def test_a_heading_or_other_code_is_not_the_lead() -> None:
    text = "It is here.\n\n# T\n\n```\na\n```\n\n```\nb\n```\n"
    assert [lead for _, lead, _ in with_leads(text)] == ["", "", ""]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t\n",
        "# A heading with words.",
        "A heading with words.\n======================",
        "A heading with words\n~~~~~~~~~~~~~~~~~~~~",
        "---\ntitle: A title of words.\n---\n",
        "<!-- A comment of words. -->",
        "<!--\nA comment of words.\n-->\n",
        "..\n   A comment of words.\n",
        "[ref]: https://a.example 'A title of words.'",
        "[^1]: A note of words.",
        "---",
        "* * *",
        "{{< include file='a b c.' >}}",
        ":orphan: it is so.",
        "[TOC]",
        "(a-label)=",
        "[!INCLUDE [words of it](x.md)]",
        ".. toctree::\n   :maxdepth: 2\n\n   A page of words.\n",
        ".. raw:: html\n\n   A page of words.\n",
        "<script>\nA line of words.\n</script>",
        "<nav>A line of words.</nav>",
        '<img alt="An image\nof words. It is\nlong." />\n',
        "![An image of words.](x.png)",
        "$ echo A sentence.",
    ],
)
def test_marks_headings_and_comments_are_not_units(text: str) -> None:
    assert said(text) == []


def test_a_tag_that_never_ends_is_text() -> None:
    assert said("<b\n\nIt is so.") == ["It is so."]
    assert said("<harbour is a word of this text.") == ["<harbour is a word of this text."]


def test_no_sentence_ends_inside_of_code_or_a_tag() -> None:
    assert said("Use `` a. B `? `` in it. It is so.") == ["Use `` a. B `? `` in it.", "It is so."]
    long = "It is an image. " * 20
    assert said(f'Look at it: <img alt="{long}" src="x.png"> is one. It is so.') == [
        "Look at it: is one.",
        "It is so.",
    ]
    assert said('<img alt="From a -> b.\nIt is one. It is." />\n\nIt is so.\n') == ["It is so."]


def test_a_name_between_words_is_not_the_tag_of_a_block() -> None:
    text = "Use the <div> element and `<title>` of it.\n\n<div> is one, too.\n"
    assert [text[unit.start : unit.end] for unit in units_of(text)] == [
        "Use the <div> element and `<title>` of it.",
        "<div> is one, too.",
    ]
    assert said("It is here.<p>It is there.</p>\n") == ["It is here.", "It is there."]
    assert said("It is 9 <script>alert(1)</script> here.") == []


def test_headings_are_above_the_units_in_readable_form() -> None:
    text = (
        "---\ntitle: Front\n---\n# The `gate` {#x}\n\nA is.\n\n"
        "## Sub *one*\n\nB is.\n\n# C\n\nD is.\n"
    )
    assert [unit.path for unit in units_of(text)] == [
        ("Front", "The `gate`"),
        ("Front", "The `gate`", "Sub one"),
        ("Front", "C"),
    ]


def test_a_passage_that_begins_with_an_underlined_heading_has_it() -> None:
    (unit,) = units_of("The gate\n~~~~~~~~\n\nIt is open.\n")
    assert unit.path == ("The gate",)
    assert said("x = 1\n~~~\n\nIt is open.\n") == ["It is open."]


def test_long_passages_are_read_up_to_the_limits() -> None:
    assert len(units_of("It is. " * (MOST_UNITS + 500))) == MOST_UNITS - 1
    assert len(units_of("- It is.\n" * (MOST_UNITS + 500))) == MOST_UNITS
    assert said("\n" * MOST_LINES + "It is here.") == []
    assert said("x" * LONGEST_UNIT + ". It is here.") == ["It is here."]
    assert said("x" * LONGEST_BLOCK + ". It is here.") == []
    assert said("- " + "It is. " * LONGEST_BLOCK) == []
    assert with_leads(f"{'x' * LONGEST_UNIT} y:\n\n- one\n") == [("item", "", "one")]
    assert said("- " + "\u3002" * MOST_UNITS) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The steps are these\n2. and no list.", ["The steps are these 2. and no list."]),
        ("<Note>\n\nKeep it dry.\n\n</Note>\n", ["Keep it dry."]),
        (".. note:: Keep it dry.\n\nIt is old.", ["Keep it dry.", "It is old."]),
        ("!!! note\n    Keep it dry.\n\nIt is old.", ["Keep it dry.", "It is old."]),
    ],
)
def test_prose_in_markup_of_sites_is_read(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_a_name_with_indented_text_below_is_defined_by_it() -> None:
    text = "timeout\n    how long to wait.\n\n``retries`` : int\n    attempts before it gives up.\n"
    assert with_leads(text) == [
        ("definition", "timeout", "how long to wait."),
        ("definition", "`retries` : int", "attempts before it gives up."),
    ]


def test_a_sentence_that_goes_on_in_an_indented_line_is_one_sentence() -> None:
    text = "The gate stays open for as long as\n    somebody is in it.\n"
    assert kinds(text) == [
        ("sentence", "The gate stays open for as long as somebody is in it."),
    ]


@pytest.mark.parametrize("field", [":returns: a list of gates.", ":raises KeyError: if shut."])
def test_what_a_function_returns_is_said_and_an_option_of_a_directive_is_not(field: str) -> None:
    assert kinds(f"It opens.\n\n{field}\n\n:maxdepth: 2\n") == [
        ("sentence", "It opens."),
        ("sentence", field),
    ]


def test_an_item_may_begin_with_code() -> None:
    text = (
        "Dashes go.\n\n- `A=60` is `--timeout=60`\n- ```\n  X=1\n  ```\n\n  is the same as\n\n"
        "  ```\n  --find\n  ```\n\nOptions can be repeated.\n"
    )
    found = [(unit.kind, unit.lead_text, unit.text) for unit in units_of(text)]
    assert found == [
        ("sentence", "", "Dashes go."),
        ("item", "", "`A=60` is `--timeout=60`"),
        ("code", "", "X=1"),
        ("code", "is the same as", "--find"),
        ("sentence", "", "Options can be repeated."),
    ]
