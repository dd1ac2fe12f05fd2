"""A passage as a model reads it: the words, without link targets, anchors and marks of sites."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.chunking.chunker import Chunker
from tether.retrieval.readers.dispatch import read_document
from tether.text.passages import readable_passage


def read(text: str, header: str = "") -> str:
    """Read a text whose plain form has no letters, so that it is never the result."""
    return readable_passage(text, "", header=header)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See [the guide](https://x.test/a?b=c#d).", "See the guide."),
        ("See [the guide][guide].\n\n[guide]: https://x.test/a", "See the guide."),
        ("See [the\nguide](x.md 'Title') and ![a picture](x.png).", "See the guide and ."),
        ("## Install { #install }\n\nRun it.", "## Install\n\nRun it."),
        ("Install\n=======\n\nRun it.", "# Install\n\nRun it."),
        ("## Install {#install .wide}\n\nRun it.", "## Install\n\nRun it."),
        ('<a name="x"></a>\n\nRun it.<a id="y"></a>', "Run it."),
        ("Use <b>all</b> of <https://x.test>.", "Use all of https://x.test."),
        (".. _install:\n\nSee :ref:`install` or `the page <http://x.test>`_.", None),
        ("{{< note >}}\nRun it.\n{{< /note >}}", "Run it."),
        (":::tip Good\n\nRun it.\n\n:::", None),
        ("<!-- a comment -->\n\nRun it.", "Run it."),
        ("- one [a](b)\n- two\n  - three", "- one a\n- two\n  - three"),
        ("1. one\n2. two", "1. one\n2. two"),
        ("> 1. one\n> 2. two", " 1. one\n 2. two"),
        ("Term\n: What it [means](x).", "Term: What it means."),
        ("| a | b |\n|---|---|\n| [l](u) | `c` |\n", "| a | b |\n| l | `c` |"),
        ("```yaml title=x\na: [b](c)\n```\n\nDone.", "```\na: [b](c)\n```\n\nDone."),
        (".. code-block:: yaml\n\n   a: 1\n\nDone.", "```\na: 1\n```\n\nDone."),
    ],
)
def test_the_words_stay_and_what_only_a_browser_needs_goes(text: str, shown: str | None) -> None:
    found = read(text)
    if shown is not None:
        assert found == shown
    assert "x.test/" not in found
    assert "http://x" not in found
    assert not {"_install", ":::", "{{", "{#", "<a"} & set(
        re.findall(r"_install|:::|\{\{|\{#|<a", found)
    )


def test_rows_below_the_header_of_another_passage_keep_it() -> None:
    rows = "| one | [two](x) |\n| three | four |\n"
    assert read(rows, header="| a | b |\n|---|---|") == "| a | b |\n| one | two |\n| three | four |"


def test_a_text_in_another_form_is_read_as_its_reader_did() -> None:
    text = "<tr><td>A cell that is cut"
    assert readable_passage(text, "A cell that is cut") == "A cell that is cut"
    skipped = "<!-- A comment that a reader showed -->\n"
    assert readable_passage(skipped, "A comment", header="| a |") == "| a |\nA comment"


def test_passages_of_a_page_lose_no_sentence() -> None:
    page = (
        "# Backups {#backups}\n\nA [backup](backup.md) is taken every night.\n\n"
        "## Retention\n\nBackups are kept for [30 days](policy.md#days).\n\n"
        "| Kind | Kept |\n|---|---|\n| daily | 30 days |\n\n[ref]: https://x.test\n"
    )
    document = read_document(key="b.md", name="b.md", data=page.encode())
    shown = "\n\n".join(
        readable_passage(it.text, it.plain, header=it.header) for it in Chunker().chunks(document)
    )
    for sentence in (
        "# Backups",
        "A backup is taken every night.",
        "Backups are kept for 30 days.",
        "| Kind | Kept |\n| daily | 30 days |",
    ):
        assert sentence in shown
    assert "](" not in shown
    assert "x.test" not in shown


FRAGMENTS = st.sampled_from(
    [
        *("# ", "## ", "- ", "1. ", "> ", "| ", " |", "|---|---|\n", "```\n", "~~~\n", "    "),
        *(
            "[",
            "](",
            ")",
            "][",
            "]: ",
            "![",
            "<a id='x'>",
            "</a>",
            "<!--",
            "-->",
            "{#x}",
            "{{< n >}}",
        ),
        *(".. _x:\n", ".. note::\n", ":ref:`x`", "`x <y>`_", "::\n", "---\n", "===\n", "***", "__"),
        *(
            "Alpha beta.",
            "gamma",
            "Delta: ",
            "`code`",
            "\n",
            "\n\n",
            " ",
            "\r\n",
            "\t",
            "\x00",
            "é",
        ),
    ]
)


def letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def is_within(found: str, source: str) -> bool:
    rest = iter(source)
    return all(character in rest for character in found)


@given(st.lists(FRAGMENTS, max_size=25).map("".join))
def test_nothing_is_said_that_the_passage_does_not_say(text: str) -> None:
    assert is_within(letters(read(text)), letters(text))
