"""Brackets and angle brackets that are words of a document, and not markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.ask.citations.markdown import as_plain
from tether.ask.quoting.inlines import shown
from tether.text.units import units_of
from tether.text.units.inlines import readable

BRACKETED = [
    "tether[local]",
    "'tether[local]'",
    "`tether[local]`",
    "[collection]",
    "`[collection]`",
    "[tool.tether]",
    "rows[0][1]",
    "tether[local][models]",
    "dict[str, list[int]]",
    "[a [b] c]",
    "[[wiki]]",
    "[-a][-b]",
    "[--name][,FILE]",
    "[options...]",
    "[0, 1)",
    "(0, 1]",
    "[unbalanced",
    "closing]",
    "`[half`",
    "`half]`",
    "x[`y`]",
    "[]",
    "arr[]",
]
PLACEHOLDERS = [
    *("<time>", "<name>", "<your-token>", "<dir>", "<title>", "<address>", "<source>", "<option>"),
    *("--at=<time>", "'<label>'", "(<link>)", "<path>/<data>", "`<div>`", "`at <b>`", "`</time>`"),
]
WORDS = ["every", "worker", "reads", "this", "value", "at", "start", "again"]


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """A sentence of words, some of which have brackets."""
    words = draw(st.lists(st.sampled_from([*WORDS, *BRACKETED, *PLACEHOLDERS]), min_size=4))
    return f"Here {' '.join(words)} it ends."


@given(sentences())
def test_a_sentence_with_brackets_is_read_and_quoted_whole(sentence: str) -> None:
    assert readable(sentence) == sentence
    assert as_plain(shown(sentence)) == sentence
    assert [unit.text for unit in units_of(f"Before it.\n\n{sentence}\n\nAfter it.")][1:-1] == [
        sentence
    ]


@pytest.mark.parametrize("word", BRACKETED)
def test_brackets_are_whole_in_items_cells_terms_and_code(word: str) -> None:
    item = f"The folder is in {word} of the file."
    assert [unit.text for unit in units_of(f"- {item}\n")] == [item]
    assert [unit.text for unit in units_of(f"| Name | Use |\n|---|---|\n| x | {item} |\n")] == [
        f"Name: x; Use: {item}"
    ]
    code = f"```sh\nrun {word}\n```\n"
    assert [unit.text for unit in units_of(code)] == [f"run {word}"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("See [the guide][guide] now.", "See the guide now."),
        ("See [the guide][The Guide] now.", "See the guide now."),
        ("See [guide][] now.", "See guide now."),
        ("See [guide] now.", "See [guide] now."),
        ("See [`rows[0]`][code] now.", "See `rows[0]` now."),
        ("See [tether[local]](x.md) now.", "See tether[local] now."),
        ("See [collection][^1] now.", "See [collection] now."),
    ],
)
def test_links_with_labels_keep_their_text(source: str, text: str) -> None:
    assert readable(source) == text
    assert as_plain(shown(source)) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[collection]: the folder of the pages.", ["[collection]: the folder of the pages."]),
        ("[collection]: https://a.example", []),
        ("[collection]: https://a.example is the page.", []),
        ("[collection]: <a folder> (A title of words.)", []),
        ("[^note]: a note of some words.", []),
    ],
)
def test_a_definition_of_a_label_is_an_address(text: str, found: list[str]) -> None:
    assert [unit.text for unit in units_of(text)] == found


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Start at <time>12:00</time> sharp.", "Start at 12:00 sharp."),
        ("Start at <time datetime='12:00'> sharp.", "Start at sharp."),
        ("A <b>bold</b> and <i>half word.", "A bold and half word."),
        ("One<br>two <span> three.", "One two three."),
        ("One</time> two.", "One two."),
    ],
)
def test_real_elements_are_markup(source: str, text: str) -> None:
    assert readable(source) == text


def test_the_box_of_a_task_is_a_part_of_its_item() -> None:
    text = "- [x] Backups are kept.\n- [ ] Exports are kept.\n1. [X] Logs are kept.\n"
    assert [unit.text for unit in units_of(text)] == [
        "[x] Backups are kept.",
        "[ ] Exports are kept.",
        "[X] Logs are kept.",
    ]
