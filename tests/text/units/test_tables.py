"""The rows of tables as units: each row with its header, in each way that tables are written."""

from __future__ import annotations

import pytest

from tether.text.units import units_of

GRID = """\
+-------+---------+
| Gate  | Opens   |
+=======+=========+
| north | at six, |
|       | *daily* |
+-------+---------+
| south |         |
+-------+---------+
"""
SIMPLE = """\
=====  =========
Gate   Opens
=====  =========
north  at six,
       *daily*
south
=====  =========
"""
LISTED = """\
.. list-table:: Gates
   :header-rows: 1

   * - Gate
     - Opens
   * - north
     - at six,
       *daily*
   * - south
     -
"""
FENCED = """\
```{list-table}
:header-rows: 1

* - Gate
  - Opens
* - north
  - at six, daily
* - south
  -
```
"""
TAGGED = """\
<table><thead><tr><th>Gate</th><th>Opens:</th></tr></thead>
<tbody>
<tr>
<td>north</td>
<td>at six, <b>daily</b></td></tr><tr><td>south<td></td></tr>
</table>
"""


def rows(text: str, header: str = "") -> list[str]:
    units = units_of(text, header=header)
    return [unit.text for unit in units if unit.kind == "row"]


def leads(text: str) -> set[str]:
    return {text[slice(*unit.lead)] if unit.lead else "" for unit in units_of(text)}


@pytest.mark.parametrize(
    ("table", "header"),
    [
        (
            "| Gate | Opens |\n|---|---|\n| north | at six, *daily* |\n| south | |",
            "| Gate | Opens |",
        ),
        ("Gate | Opens\n--- | ---\nnorth | at six, [daily](x)\nsouth |", "Gate | Opens"),
        (
            "> | Gate | Opens |\n> |---|---|\n> | north | at six, daily |\n> | south | |",
            "| Gate | Opens |",
        ),
        (GRID, "| Gate  | Opens   |"),
        (SIMPLE, "Gate   Opens"),
        (LISTED, "* - Gate\n     - Opens"),
        (FENCED, "* - Gate\n  - Opens"),
        (TAGGED, "<tr><th>Gate</th><th>Opens:</th></tr>"),
    ],
)
def test_each_row_is_a_unit_with_its_header(table: str, header: str) -> None:
    text = f"The table is below.\n\n{table}\n\nIt is above.\n"
    first, *found, last = units_of(text)
    assert [first.text, last.text] == ["The table is below.", "It is above."]
    assert [unit.text for unit in found] == [
        "Gate: north; Opens: at six, daily",
        "Gate: south",
    ]
    assert {text[slice(*unit.lead)] for unit in found if unit.lead} == {header}
    assert {(unit.kind, unit.block, unit.lead_text) for unit in found} == {("row", 2, "")}


def test_a_row_is_written_with_its_bars() -> None:
    text = f"| a | b |\n|---|---|\n  | c | d |  \n\n{GRID}"
    units = units_of(text)
    assert text[units[0].start : units[0].end] == "| c | d |"
    assert text[units[1].start : units[1].end] == "| north | at six, |\n|       | *daily* |"


def test_cells_stand_alone_where_their_column_has_no_name() -> None:
    assert rows("| | b |\n|---|---|\n| c | d |\n| | e | f |\n") == ["c; b: d", "b: e; f"]
    assert rows("|---|---|\n| c | d |\n") == ["c; d"]
    assert rows("| c | d |\n| e | f |\n") == ["c; d", "e; f"]


def test_the_names_of_several_header_rows_are_joined() -> None:
    text = "| Gate | |\n| by name | by day |\n| --- | --- |\n| north | 6 |\n"
    assert rows(text) == ["Gate by name: north; by day: 6"]
    assert leads(text) == {"| Gate | |\n| by name | by day |"}


def test_bars_in_cells_and_code_are_kept() -> None:
    assert rows("| a |\n|---|\n| `x \\| y` \\| z |\n") == ["a: `x | y` | z"]


@pytest.mark.parametrize(
    "text",
    [
        "Home | Docs | More of it\n",
        "| a line of a poem\n| and another one\n",
        "|  |  |\n|---|---|\n|  |  |\n",
        "+---+---+\n",
        "===  ===\n",
        "a    b\nc    d\n===  ===\n",
        "<table><tr><td>cut off",
        ".. list-table::\n\n   no rows\n",
        ".. list-table::\n\n   * no cells\n",
        ".. csv-table::\n\n   a, b\n",
    ],
)
def test_other_lines_with_bars_and_borders_are_not_rows(text: str) -> None:
    assert units_of(text) == ()


def test_bars_between_the_words_of_a_paragraph_make_no_table() -> None:
    text = "Use one of a | b | c | d\nin a pattern of it.\n"
    assert [unit.text for unit in units_of(text)] == [
        "Use one of a | b | c | d in a pattern of it."
    ]


def test_a_table_ends_where_its_bars_do() -> None:
    text = "Gates:\nGate | Opens\n--- | ---\nnorth | six\nIt is so.\n# T\n| a | b |\n\nIt ends."
    assert [unit.text for unit in units_of(text)] == [
        "Gate: north; Opens: six",
        "It is so.",
        "a; b",
        "It ends.",
    ]


@pytest.mark.parametrize(
    ("header", "text", "expected"),
    [
        ("| A | B |\n|---|---|", "| c | d |\n| e | |\n\n| x | y |", ["A: c; B: d", "A: e", "x; y"]),
        ("A | B\r\n--- | ---", "c | d\r\n", ["A: c; B: d"]),
        ("| A | B |\n|---|---|", "| A | B |\n|---|---|\n| c | d |", ["A: c; B: d"]),
        ("| A | B |\n+===+===+", "| c | d |\n+---+---+\n| e | f |", ["A: c; B: d", "A: e; B: f"]),
        ("A    B\n===  ===", "c    d\ne    f", ["A: c; B: d", "A: e; B: f"]),
        ("===  ===\nA    B\n===  ===", "c    d\n===  ===\n", ["A: c; B: d"]),
        ("* - A\n  - B", "| c | d |", ["c; d"]),
        ("| A | B |\n|---|---|", "It is not a row.", []),
        ("| A | B |\n|---|---|", "rest of a cell | d |\n| e | f |\n| g | cut", ["A: e; B: f"]),
        (
            "| A | B |\n|---|---|",
            "| e | without a bar\n| g | h |",
            ["A: e; B: without a bar", "A: g; B: h"],
        ),
    ],
)
def test_a_header_that_was_split_off_names_the_first_rows(
    header: str, text: str, expected: list[str]
) -> None:
    assert rows(text, header) == expected
    for unit in units_of(text, header=header):
        assert text[unit.start : unit.end].strip()
        assert unit.lead is None or unit.lead[1] <= unit.start


def test_a_simple_table_may_have_empty_lines_and_no_end() -> None:
    text = "===  ===\nA    B\n===  ===\nc    d\n\ne    f\n---  ---\n===  ===\n\nIt ends.\n"
    assert [unit.text for unit in units_of(text)] == ["A: c; B: d", "A: e; B: f", "It ends."]
    assert rows("===  ===\nA    B\n===  ===\nc    d") == ["A: c; B: d"]
    assert rows("===  ===\nc    d\n===  ===\n") == ["c; d"]
    assert rows("===  ===\nc    d\n\nIt ends.\n") == ["c; d"]
    assert rows("  ===  ===\n  c    d\n  e\n         f\n  ===  ===\n") == ["c; d", "e; f"]


def test_a_grid_may_join_cells_and_break_its_columns() -> None:
    text = (
        "+---+---+\n| A | B |\n+===+===+\n| both  |\n+---+---+\n| c | d |\n|   +---+\n|   | e |\n"
        "+---+---+\n| of another width | x |\n"
    )
    assert rows(text) == ["A: both", "A: c; B: d e", "A: of another width; B: x"]


def test_cells_of_html_may_span_columns() -> None:
    text = (
        "<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td colspan='2'>c</td></tr>\n"
        "<tr><th>d</th><td><p>e &lt; f</p></td></tr>\n<tr><td>cut"
    )
    assert rows(text) == ["A: c", "A: d; B: e < f"]
