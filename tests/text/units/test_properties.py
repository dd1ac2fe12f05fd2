"""What holds of the units of any text: order, places, wholeness, and work that grows with it."""

from __future__ import annotations

import string
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tether.text.units import units_of

MARKS = (
    *("\n", "\n\n", " ", "    ", "\t", "\r\n", "\x0c", "\u2028", "> ", ">>> ", "- ", "1. ", "* - "),
    *("| a | b |\n", "|---|---|\n", "|", "=== ===\n", "+--+--+\n", "+==+==+\n", "```\n", "~~~\n"),
    *("<table>", "</table>", "<tr>", "<td>", "</tr>", "<pre>", "</pre>", "<p>", "</p>", "<li>"),
    *("<dt>", "<dd>", "<h2>", "<script>", "<!--", "-->", "<b", "\n.. code::\n\n   "),
    *("\n.. list-table::\n\n   ", "\n.. option:: x\n\n   ", "::\n\n  ", "In [1]:", ": ", ":\n\n"),
    *("# ", "\n===\n", "---\n", "`", "``", "**", "_", "[", "](", "]", "{{< x >}}", "{% x %}", "{"),
    *(":r:`x`", "\\", "&lt;", "$ ", "\x00"),
)
WORDS = ("It is so.", "Gate", "harbour", "Is it?", "on the", "e.g.", "3.14", "\u5411\u91cf\u3002")
_PIECES = st.sampled_from(MARKS) | st.sampled_from(WORDS)
_TEXTS = st.lists(_PIECES | st.text(max_size=6), max_size=25).map("".join)
_HEADERS = st.sampled_from(
    ["", "| a | b |\n|---|---|", "a b\n=== ===", "|a|b|\n+==+==+", "* - a", "x"]
)


@settings(max_examples=400, deadline=None)
@given(_TEXTS | st.text(string.printable), _HEADERS)
@example("> <dt>he<li>_</pre>", "")
@example("It is.\n>>> \n- One\n", "")
def test_units_are_in_order_apart_stripped_and_inside_the_text(text: str, header: str) -> None:
    at = 0
    for unit in units_of(text, header=header):
        source = text[unit.start : unit.end]
        assert at <= unit.start
        assert source
        assert source == source.strip()
        assert unit.text.strip()
        assert unit.block > 0
        if unit.lead is not None:
            start, end = unit.lead
            assert 0 <= start < end <= unit.start
        assert unit.lead_text == "" or (unit.lead is not None and unit.kind != "row")
        at = unit.end


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text())
def test_no_text_raises(text: str, header: str) -> None:
    assert isinstance(units_of(text, header=header), tuple)


_WORD = st.text(string.ascii_lowercase, min_size=1, max_size=8)
_SENTENCE = st.builds(
    lambda words, gap, stop: f"The {gap.join(words)}{gap}end{stop}",
    st.lists(_WORD, min_size=1, max_size=6),
    st.sampled_from([" ", "\n", "\n  "]),
    st.sampled_from(".!?"),
)
_PARAGRAPHS = st.lists(st.lists(_SENTENCE, min_size=1, max_size=4), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(_PARAGRAPHS)
def test_the_sentences_that_a_paragraph_was_made_of_are_its_units(
    paragraphs: list[list[str]],
) -> None:
    text = "\n\n".join(" ".join(sentences) for sentences in paragraphs)
    units = units_of(text)
    assert [text[unit.start : unit.end] for unit in units] == [
        sentence for sentences in paragraphs for sentence in sentences
    ]
    assert [unit.block for unit in units] == [
        number for number, sentences in enumerate(paragraphs, 1) for _ in sentences
    ]


_CELL = st.text(string.ascii_letters, min_size=1, max_size=6)
_GRID = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(_CELL, min_size=width, max_size=width), min_size=2, max_size=6)
)


@settings(max_examples=150, deadline=None)
@given(_GRID, st.sampled_from(["pipes", "grid", "simple", "html"]), st.integers(0, 5))
def test_the_cells_that_a_table_was_made_of_are_in_its_rows(
    cells: list[list[str]], form: str, cut: int
) -> None:
    names, *body = cells
    expected = [
        "; ".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=True)) for row in body
    ]
    if form == "simple" and len(names) == 1:
        return  # one column of equal signs underlines a heading
    text = TABLES[form](cells)
    assert [unit.text for unit in units_of(text)] == expected
    if form == "pipes":
        lines = text.split("\n")
        first = 2 + min(cut, len(body) - 1)
        rest = units_of("\n".join(lines[first:]), header="\n".join(lines[:2]))
        assert [unit.text for unit in rest] == expected[first - 2 :]


def pipes(cells: list[list[str]]) -> str:
    names, *body = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([names, "|" + "---|" * len(cells[0]), *body])


def grid(cells: list[list[str]]) -> str:
    border = "+" + "------+" * len(cells[0])
    names, *body = ["|" + "|".join(cell.ljust(6) for cell in row) + "|" for row in cells]
    inner = [line for row in body for line in (row, border)]
    return "\n".join([border, names, border.replace("-", "="), *inner])


def simple(cells: list[list[str]]) -> str:
    border = "  ".join(["======"] * len(cells[0]))
    names, *body = ["  ".join(cell.ljust(6) for cell in row).rstrip() for row in cells]
    return "\n".join([border, names, border, *body, border])


def html(cells: list[list[str]]) -> str:
    rows = [
        "".join(f"<{tag}>{cell}</{tag}>" for cell in row)
        for row, tag in zip(cells, ["th", *["td"] * len(cells)], strict=False)
    ]
    return "<table>" + "\n".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


TABLES: dict[str, Callable[[list[list[str]]], str]] = {
    "pipes": pipes,
    "grid": grid,
    "simple": simple,
    "html": html,
}


def calls_in(work: Callable[[], object]) -> int:
    """Count the calls of functions that some work makes, of Python's own ones too."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "part",
    [
        "It is. ",
        "- x:\n",
        "- x\n  - y\n",
        "| a | b |\n",
        "a | b\n--|--\nc | d\n\n",
        "=== ===\na b\n",
        "=== ===\n\n",
        "+--+--+\n| a|b |\n",
        "<p>| a | b |</p>",
        "<p>```",
        "<table><tr><td>a",
        "<pre>x</pre>",
        "Use a <div> and a `<p>`. ",
        "<a b=\n",
        "```\nx\n```\n",
        ".. code::\n\n   x\n",
        ".. list-table::\n\n   * - a\n     - b\n",
        "x::\n\n  y\n\n",
        "term\n: It is.\n",
        ">>> x\n",
        "> > x.\n",
        "[a](",
        "[a][b]",
        "**a",
        "{{< x >}}",
        "<!--",
        "~~~~\n",
        "a\n~~~~\n",
    ],
)
def test_the_work_grows_with_the_length_of_the_text(part: str) -> None:
    short, long = (part * (length // len(part)) for length in (4_000, 16_000))
    units_of(short)  # whatever is made once is made now
    assert calls_in(lambda: units_of(long)) < 5 * calls_in(lambda: units_of(short)) + 200
