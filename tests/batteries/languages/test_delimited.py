"""Delimiter-separated text: rows, tables, the names and types of columns, the delimiter."""

from __future__ import annotations

import csv
import io
import re
import tracemalloc
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.records.delimited import (
    DELIMITERS,
    LONGEST_CELL,
    MOST_COLUMNS,
    MOST_ROWS,
    RowReader,
    Table,
    as_number,
    cell_type,
    column_names,
    column_type,
    detect_delimiter,
    parse_delimited,
)
from tether.core.errors import InputRefused, LimitExceeded

Rows = list[list[str]]
messy = st.text(st.sampled_from('ab,;\t""\n\r \u2028é'), max_size=30)


def rows_of(text: str, delimiter: str = ",") -> Rows:
    reader = RowReader(delimiter)
    rows = [row for line in text.split("\n") for row in reader.feed(line)]
    reader.finish()
    return rows


# RFC 4180, section 2, rules 1 to 7 with their examples. https://www.rfc-editor.org/rfc/rfc4180
RFC_4180 = [
    ("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
    ("aaa,bbb,ccc\r\nzzz,yyy,xxx", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
    ('"aaa","bbb","ccc"\r\nzzz,yyy,xxx', [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
    ('"aaa","b\r\nbb","ccc"\r\nzzz,yyy,xxx', [["aaa", "b\r\nbb", "ccc"], ["zzz", "yyy", "xxx"]]),
    ('"aaa","b""bb","ccc"', [["aaa", 'b"bb', "ccc"]]),
    ("a, b ,c", [["a", " b ", "c"]]),
]


@pytest.mark.parametrize(("text", "rows"), RFC_4180)
def test_rows_follow_rfc_4180(text: str, rows: Rows) -> None:
    assert rows_of(text) == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", []),
        ("\n\r\n\n", []),
        ("a\rb\r\nc\nd", [["a"], ["b"], ["c"], ["d"]]),
        ('""', [[""]]),
        (",", [["", ""]]),
        ('"a"\r\r"b"\r', [["a"], ["b"]]),
        ('a,b"c"', [["a", 'b"c"']]),
        ('"",', [["", ""]]),
    ],
)
def test_blank_lines_are_no_rows_and_any_line_end_ends_one(text: str, rows: Rows) -> None:
    assert rows_of(text) == rows


@given(messy, st.sampled_from(",;\t"))
def test_rows_are_those_of_the_standard_library(text: str, delimiter: str) -> None:
    """The oracle is `csv` in its strict mode, without the blank rows that it reports."""
    source = io.StringIO(text, newline="")
    try:
        expected = [row for row in csv.reader(source, delimiter=delimiter, strict=True) if row]
    except csv.Error:
        with pytest.raises(InputRefused):
            rows_of(text, delimiter)
    else:
        assert rows_of(text, delimiter) == expected


@given(st.lists(st.lists(messy, min_size=1, max_size=4), max_size=5), st.sampled_from(",;\t|"))
def test_what_the_standard_library_writes_is_read_back(rows: Rows, delimiter: str) -> None:
    target = io.StringIO(newline="")
    csv.writer(target, delimiter=delimiter).writerows(rows)
    assert rows_of(target.getvalue(), delimiter) == rows


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('a\nb,"c', "the quote that opens in line 2 is never closed"),
        ('a\n"b"c', "line 2 goes on after a closing quote, at column 4"),
        ('a\n"b" ,c', "line 2 goes on after a closing quote, at column 4"),
        ("a\nb\0", "line 2 holds a NUL character"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(text: str, why: str) -> None:  # case 57
    with pytest.raises(InputRefused, match=re.escape(why)):
        rows_of(text)


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a" * 200_000, "line 1 has 200,000 characters in a cell; at most 131,072"),
        (f'x\n"{"a" * 200_000}"', "line 2 has 200,000 characters in a cell"),
        ('x\n"' + "a\n" * 100_000, "line 2 has .* characters in a cell.*is its quote closed"),
        ('"' + '""' * 200_000 + '"', "in a cell"),
        ("," * 100_000, "line 1 has 100,001 columns; at most 1,000"),
        ('"",' * 100_000, "line 1 has 1,001 columns"),
        ((("a" * 100_000) + ",") * 11, "line 1 has 1,100,011 characters in a row"),
        ((("a" * 10) + '\n,"') * 1, "never closed"),
        (('"' + "a\n" * 50_000 + '",') * 11, "characters in a row"),
    ],
)
def test_what_is_too_large_is_refused(text: str, why: str) -> None:  # case 57
    with pytest.raises(InputRefused, match=why):
        rows_of(text)


def test_the_largest_cells_and_rows_are_read() -> None:
    assert rows_of("a" * LONGEST_CELL) == [["a" * LONGEST_CELL]]
    assert len(rows_of("," * (MOST_COLUMNS - 1))[0]) == MOST_COLUMNS


@pytest.mark.parametrize("delimiter", ["", ",,", "\n", "\r", "\0", '"'])
def test_what_cannot_be_a_delimiter_is_refused(delimiter: str) -> None:
    with pytest.raises(InputRefused, match="delimiter"):
        RowReader(delimiter)


def test_what_cannot_be_a_quote_is_refused() -> None:
    with pytest.raises(InputRefused, match="the quote has to be one character"):
        RowReader(",", "''")
    assert parse_delimited("a,'b,c'", quote="'", header=False).rows == [["a", "b,c"]]


def test_a_table_names_its_columns_and_counts_ragged_rows() -> None:
    text = "\ufeffname,age\nAnna,31\nBo\nCleo,5,x\n"
    expected = Table(
        ["name", "age"], [["Anna", "31"], ["Bo"], ["Cleo", "5", "x"]], has_header=True, ragged=2
    )
    assert parse_delimited(text) == expected


@pytest.mark.parametrize(
    ("text", "header", "has_header", "columns"),
    [
        ("a,b\n1,2", "auto", True, ["a", "b"]),
        ("1,2\n3,4", "auto", False, ["column_1", "column_2"]),
        ("a,1\nb,2", "auto", False, ["column_1", "column_2"]),
        ("a,\nb,2", "auto", False, ["column_1", "column_2"]),
        ("a, a\nb,2", "auto", False, ["column_1", "column_2"]),
        ("1,2\n3,4", True, True, ["1", "2"]),
        ("a,b\nc,d,e", False, False, ["column_1", "column_2", "column_3"]),
        ("", "auto", False, []),
        ("", True, False, []),
    ],
)
def test_a_first_row_is_a_header_if_it_could_name_columns(
    text: str, header: bool, has_header: bool, columns: list[str]
) -> None:
    table = parse_delimited(text, header=header)
    assert (table.has_header, table.columns) == (has_header, columns)


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        ([" a ", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a", "a", "a_2"], ["a", "a_3", "a_2"]),
        (["", "x", ""], ["column_1", "x", "column_3"]),
        (["column_2", ""], ["column_2", "column_2_2"]),
        (["", "column_1"], ["column_1_2", "column_1"]),
    ],
)
def test_each_column_has_a_name_of_its_own(cells: list[str], names: list[str]) -> None:
    assert column_names(cells) == names


@given(st.lists(st.sampled_from(["", "a", "a_2", "a_2_2", "column_2", "column_2_2"]), max_size=12))
def test_names_differ_and_the_first_of_a_kind_keeps_its_own(cells: list[str]) -> None:
    names = column_names(cells)
    assert len(set(names)) == len(names) == len(cells)
    for cell in filter(None, cells):
        assert names[cells.index(cell)] == cell


def test_too_much_text_and_too_many_rows_are_refused() -> None:  # case 57
    with pytest.raises(LimitExceeded, match="1,000,001 characters"):
        parse_delimited("a" * 1_000_001)
    with pytest.raises(LimitExceeded, match="more than 100,000 rows"):
        parse_delimited("a\n" * (MOST_ROWS + 1))


def test_rows_that_only_carriage_returns_end_are_counted_as_they_are_read() -> None:
    """However many rows one line holds, no more than one of them is held."""
    for line in ("a\r" * 500_000, '"a"\r' * 250_000):
        rows = RowReader().feed(line)
        tracemalloc.start()
        try:
            assert [row for row, _ in zip(rows, range(1_000), strict=False)] == [["a"]] * 1_000
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 500_000
        with pytest.raises(LimitExceeded, match="more than 100,000 rows"):
            parse_delimited(line)


@pytest.mark.parametrize(
    ("text", "delimiter", "columns"),
    [
        ("a,b,c\n1,2,3\n4,5,6", ",", 3),
        ("a\tb\n1,5\t2,5\n", "\t", 2),
        ("1,5;2,5\n3,5;4,5\n", ";", 2),
        ("a|b\nc d|e f\n", "|", 2),
        ('"a,b";c\n"d,e";f\n', ";", 2),
        ("root:x:0\nbin:x:1\ndaemon:x:2", ":", 3),
        ("10:20,a\n11:30,b\n12:40,c", ",", 2),
        ("1 2 3\n4 5 6\n7 8 9", " ", 3),
        ("first name,last name\nAnna Maria,Smith\nBo,Li", ",", 2),
        ("\ufeffa;b\nc;d", ";", 2),
        ("# exported\na,b\nc,d\ne,f\ng,h", ",", 2),
        ("one\ntwo\nthree", None, 1),
        ("hello world", None, 1),
        ("", None, 1),
        ('"a"b\n"c"d', None, 1),
    ],
)
def test_the_delimiter_is_the_one_that_splits_evenly(
    text: str, delimiter: str | None, columns: int
) -> None:
    found = detect_delimiter(text)
    assert (found.delimiter, found.columns) == (delimiter, columns)
    assert found.name == DELIMITERS.get(delimiter or "", "none")


def test_more_rows_make_surer_and_only_the_first_are_looked_at() -> None:
    few, many = detect_delimiter("a,b\nc,d"), detect_delimiter("a,b\n" * 100_000)
    assert 0 < few.confidence < many.confidence < 1
    assert detect_delimiter("a" * 100_000 + "\nb,c").delimiter is None
    assert detect_delimiter('a,b\n"' + "x\n" * 100_000).delimiter == ","


@given(
    st.lists(
        st.lists(st.text(st.sampled_from("abcdef"), min_size=1), min_size=3, max_size=3),
        min_size=3,
        max_size=20,
    ),
    st.sampled_from(sorted(DELIMITERS)),
)
def test_a_table_of_words_shows_its_delimiter(rows: Rows, delimiter: str) -> None:
    text = "\n".join(delimiter.join(row) for row in rows)
    assert detect_delimiter(text)[:2] == (delimiter, DELIMITERS[delimiter])


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("1", "1"),
        (" -1.50 ", "-1.5"),
        ("+.5", "0.5"),
        ("1e3", "1000"),
        ("9007199254740993", "9007199254740993"),
        ("1,5", None),
        ("", None),
        ("\u0661", None),
        ("0x10", None),
        ("nan", None),
        ("1e9999", None),
        ("1" * 41, None),
    ],
)
def test_a_number_is_read_exactly_or_not_at_all(cell: str, number: str | None) -> None:
    assert as_number(cell) == (None if number is None else Decimal(number))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "", "-2"], "integer"),
        (["1", "2.5"], "number"),
        (["true", "FALSE"], "boolean"),
        (["2024-02-29", "1999-12-31"], "date"),
        (["2024-13-01"], "text"),
        (["1", "x"], "text"),
        (["2024-01-01", "1"], "text"),
        ([" ", ""], "empty"),
        ([], "empty"),
    ],
)
def test_a_column_has_the_type_that_fits_all_its_cells(cells: list[str], expected: str) -> None:
    assert column_type(map(cell_type, cells)) == expected
