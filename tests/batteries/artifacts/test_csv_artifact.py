"""Tables as artifacts."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from support.turns import ran, tool_call
from tether import DispatchContext, Helpers, forge_tools
from tether.batteries.artifacts.csv import PAGE_CHARACTERS, SpooledCsvArtifact
from tether.core.errors import InputRefused, LimitExceeded
from tether.core.spool import TextSpool

if TYPE_CHECKING:
    from tether.batteries.artifacts.csv import Operator

PEOPLE = "\n".join(
    [
        "\ufeffname,age,born,member,note",
        '"Anna, ""A""",31,1994-02-01,true,"two\nlines"',
        "Bo,9,2016-12-31,false,",
        "Cleo,31.0,1994-03-01,true,x",
        "Dan,,1980-01-01,FALSE,y,extra",
        "Eve,n/a,1975-05-05,true\n",
    ]
)


class Unread(TextSpool):
    """A reader that must never be read as a whole."""

    async def text(self) -> str:
        raise AssertionError("the whole text was read")


def table(text: str, delimiter: str | None = None, *, header: bool = True) -> SpooledCsvArtifact:
    return SpooledCsvArtifact(Unread(text), delimiter, header)


async def names_where(column: str, operator: Operator, value: Any = "") -> list[str | None]:
    found = await table(PEOPLE).csv_where(column, operator, value)
    assert found["more"] is False
    return [row["values"]["name"] for row in found["rows"]]


async def test_columns_have_names_and_types() -> None:
    assert await table(PEOPLE).csv_columns() == {
        "columns": [
            {"name": "name", "type": "text"},
            {"name": "age", "type": "text"},
            {"name": "born", "type": "date"},
            {"name": "member", "type": "boolean"},
            {"name": "note", "type": "text"},
        ],
        "delimiter": ",",
    }
    assert await table("a;b;c;d\n1;2,5;;0.5\n2;1;;1").csv_columns() == {
        "columns": [
            {"name": "a", "type": "integer"},
            {"name": "b", "type": "text"},
            {"name": "c", "type": "empty"},
            {"name": "d", "type": "number"},
        ],
        "delimiter": ";",
    }


async def test_the_rows_are_objects_and_ragged_ones_keep_what_they_have() -> None:
    rows = (await table(PEOPLE).csv_rows())["rows"]
    assert [row["name"] for row in rows] == ['Anna, "A"', "Bo", "Cleo", "Dan", "Eve"]
    assert rows[0]["note"] == "two\nlines"
    assert rows[3]["column_6"] == "extra"
    assert rows[4]["note"] is None


cells = st.text(st.sampled_from('ab,;"\n\r é\u2028'), max_size=6)


@given(st.lists(st.lists(cells, min_size=3, max_size=3), max_size=8), st.booleans())
async def test_the_rows_are_those_of_the_standard_library(
    rows: list[list[str]], has_header: bool
) -> None:
    """The oracle is `csv.DictReader`."""
    names = ["x", "y", "z"] if has_header else ["column_1", "column_2", "column_3"]
    target = io.StringIO(newline="")
    csv.writer(target, quoting=csv.QUOTE_ALL).writerows([names, *rows] if has_header else rows)
    source = io.StringIO(target.getvalue(), newline="")
    expected = list(csv.DictReader(source, None if has_header else names))
    found = await table(target.getvalue(), ",", header=has_header).csv_rows()
    assert found == {"rows": expected, "next_start": None}


@pytest.mark.parametrize(
    ("start", "end", "numbers", "next_start"),
    [
        (0, None, range(1_000), 1_000),
        (1_000, None, range(1_000, 2_000), 2_000),
        (2_000, None, range(2_000, 2_500), None),
        (5, 8, range(5, 8), None),
        (0, 1_000, range(1_000), None),
        (0, 1_001, range(1_000), 1_000),
        (2_499, 9_999, range(2_499, 2_500), None),
        (3_000, None, range(0), None),
        (8, 5, range(0), None),
        (0, 0, range(0), None),
    ],
)
async def test_a_range_of_rows_is_half_open_and_paged(
    start: int, end: int | None, numbers: range, next_start: int | None
) -> None:
    text = "n\n" + "\n".join(str(number) for number in range(2_500))
    found = await table(text).csv_rows(start, end)
    assert [int(row["n"]) for row in found["rows"]] == list(numbers)
    assert found["next_start"] == next_start


async def test_long_rows_make_a_short_page_but_never_an_empty_one() -> None:
    text = "n,x\n" + "\n".join(f"{n},{'x' * 30_000}" for n in range(10))
    found = await table(text).csv_rows()
    assert [row["n"] for row in found["rows"]] == ["0", "1"]
    assert found["next_start"] == 2
    assert len(json.dumps(found, indent=2)) < 100_000
    long = await table(f"n\n{'x' * (PAGE_CHARACTERS + 1)}\ny").csv_rows()
    assert (len(long["rows"]), long["next_start"]) == (1, 1)


@pytest.mark.parametrize(
    ("column", "operator", "value", "names"),
    [
        ("age", "eq", "31", ['Anna, "A"', "Cleo"]),
        ("age", "eq", 31, ['Anna, "A"', "Cleo"]),
        ("age", "eq", 31.0, ['Anna, "A"', "Cleo"]),
        ("age", "ne", "31", ["Bo", "Dan", "Eve"]),
        ("age", "lt", "31", ["Bo"]),
        ("age", "le", "31", ['Anna, "A"', "Bo", "Cleo"]),
        ("age", "gt", "9", ['Anna, "A"', "Cleo"]),
        ("age", "ge", "9", ['Anna, "A"', "Bo", "Cleo"]),
        ("name", "eq", "Bo", ["Bo"]),
        ("name", "ne", "Bo", ['Anna, "A"', "Cleo", "Dan", "Eve"]),
        ("name", "gt", "Cleo", ["Dan", "Eve"]),
        ("born", "lt", "1994-02-15", ['Anna, "A"', "Dan", "Eve"]),
        ("name", "contains", "n", ['Anna, "A"', "Dan"]),
        ("name", "starts_with", "B", ["Bo"]),
        ("name", "ends_with", "o", ["Bo", "Cleo"]),
        ("name", "matches", "^[A-C]", ['Anna, "A"', "Bo", "Cleo"]),
        ("note", "matches", r"o\nl", ['Anna, "A"']),
        ("age", "is_empty", "", ["Dan"]),
        ("note", "is_empty", "", ["Bo", "Eve"]),
        ("note", "not_empty", "", ['Anna, "A"', "Cleo", "Dan"]),
    ],
)
async def test_rows_are_found_by_a_condition(
    column: str, operator: Operator, value: Any, names: list[str]
) -> None:
    assert await names_where(column, operator, value) == names


@given(
    st.lists(st.decimals(-5, 5, places=1), min_size=1, max_size=20),
    st.decimals(-5, 5, places=1),
    st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]),
)
async def test_numbers_are_compared_as_numbers(
    numbers: list[Any], value: Any, operator: Operator
) -> None:
    text = "n\n" + "\n".join(str(number) for number in numbers)
    found = await table(text, ",").csv_where("n", operator, str(value))
    expected = [n for n, number in enumerate(numbers) if getattr(number, f"__{operator}__")(value)]
    assert [row["row"] for row in found["rows"]] == expected


async def test_whole_numbers_beyond_floats_differ() -> None:
    text = "n\n9007199254740992\n9007199254740993"
    found = await table(text).csv_where("n", "eq", "9007199254740993")
    assert [row["row"] for row in found["rows"]] == [1]


async def test_true_and_false_are_found_in_any_case() -> None:
    subject = table("n,on\n1,TRUE\n2,false\n3, True\n4,yes\n")
    for value, rows in ((True, [0, 2]), (False, [1])):
        found = await subject.csv_where("on", "eq", value)
        assert [row["row"] for row in found["rows"]] == rows
    found = await subject.csv_where("on", "ne", True)
    assert [row["row"] for row in found["rows"]] == [1, 3]
    found = await subject.csv_where("n", "gt", 2)
    assert [row["row"] for row in found["rows"]] == [2, 3]


async def test_the_search_stops_at_its_limit_and_says_that_there_is_more() -> None:
    text = "n\n" + "x\n" * 50
    found = await table(text).csv_where("n", "eq", "x", limit=10)
    assert [row["row"] for row in found["rows"]] == list(range(10))
    assert found["more"] is True


async def test_a_sample_is_drawn_again_by_its_seed() -> None:
    text = "n\n" + "\n".join(str(number) for number in range(500))
    sample = await table(text).csv_sample(20, seed=7)
    numbers = [row["row"] for row in sample]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 20
    assert all(row["values"] == {"n": str(row["row"])} for row in sample)
    assert await table(text).csv_sample(20, seed=7) == sample
    assert await table(text).csv_sample(20, seed=8) != sample
    assert len(await table(text).csv_sample(1_000)) == 500


async def test_each_row_is_as_likely_to_be_drawn() -> None:
    text = "n\n" + "\n".join("abcdefghij")
    artifact = table(text)
    drawn: Counter[int] = Counter()
    for seed in range(2_000):
        drawn.update(row["row"] for row in await artifact.csv_sample(3, seed))
    # 2,000 draws of 3 of 10 rows: 600 times each, with a standard deviation of about 20.
    assert len(drawn) == 10
    assert all(500 < count < 700 for count in drawn.values())


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda a: a.csv_rows(-1), "start has to be 0 or more, not -1"),
        (lambda a: a.csv_rows(0, -1), "end has to be 0 or more, not -1"),
        (lambda a: a.csv_where("name", "eq", "x", 0), "limit has to be from 1 to 1,000, not 0"),
        (lambda a: a.csv_where("name", "eq", "x", 10**5000), "limit has to be from 1 to 1,000"),
        (lambda a: a.csv_where("nobody", "eq", "x"), "no column 'nobody'; the columns are ['name'"),
        (lambda a: a.csv_where("name", "matches", "(?=x)"), "RE2"),
        (lambda a: a.csv_sample(0), "n has to be from 1 to 1,000, not 0"),
        (lambda a: a.csv_sample(1_001), "n has to be from 1 to 1,000, not 1001"),
    ],
)
async def test_a_bad_argument_is_refused_by_name(call: Any, why: str) -> None:
    with pytest.raises(InputRefused) as refused:
        await call(table(PEOPLE))
    assert why in refused.value.message


def test_what_cannot_be_a_delimiter_is_refused_at_once() -> None:
    with pytest.raises(InputRefused, match="one character"):
        table("a", "ab")


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
async def test_an_empty_table_has_nothing(text: str) -> None:
    artifact = table(text)
    assert (await artifact.csv_columns())["columns"] == []
    assert await artifact.csv_rows() == {"rows": [], "next_start": None}
    assert await artifact.csv_sample() == []


async def test_without_a_header_columns_are_numbered() -> None:
    found = await table("a,b\nc,d,e", header=False).csv_rows()
    assert found["rows"][0] == {"column_1": "a", "column_2": "b"}
    assert found["rows"][1] == {"column_1": "c", "column_2": "d", "column_3": "e"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('a\n"b\nc', "the quote that opens in line 2 is never closed"),
        ('a\n"b" c', "line 2 goes on after a closing quote"),
        (f"a\n{'x' * 5_000_000}", "line 2 has more than 1,000,000 characters"),
        ("a\n" + "é," * 1_200_000, "line 2 has more than 1,000,000 characters"),
        ('a\n"' + "x\n" * 100_000, "is its quote closed"),
    ],
)
async def test_a_bad_line_is_refused_by_number(text: str, why: str) -> None:  # case 57
    with pytest.raises(InputRefused, match=why):
        await table(text, ",").csv_rows()


async def test_a_sample_of_very_long_rows_is_refused() -> None:
    text = "a,b\n" + f"{'x' * 100_000},{'y' * 100_000}\n" * 30
    with pytest.raises(LimitExceeded, match="draw fewer"):
        await table(text, ",").csv_sample(30)
    assert len(await table(text, ",").csv_sample(10)) == 10


async def test_a_model_asks_the_table_through_tools() -> None:
    """CONTRACT 106: the tools of a class accept only the ids of its artifacts."""
    answers: dict[str, Any] = {}
    asked: dict[str, dict[str, Any]] = {
        "artifact_csv_columns": {},
        "artifact_csv_rows": {"start": 1, "end": 2},
        "artifact_csv_where": {"column": "age", "operator": "lt", "value": 10},
        "artifact_csv_sample": {"n": 2},
    }

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.turn_tool_calls.add(tool_call("csv", results=table(PEOPLE)))
        ctx.turn_tool_calls.add(tool_call("text", results="plain"))
        for name, args in asked.items():
            tool = forge_tools(ctx).get(name)
            assert tool is not None
            schema = tool.describe()["input_schema"]
            Draft202012Validator.check_schema(schema)
            assert schema["properties"]["call_id"]["enum"] == ["csv"]
            answers[name] = json.loads(await tool.executor(ctx)({"call_id": "csv", **args}))
        ctx.ack()

    run = await ran(execute)
    assert run.errors == []
    assert answers["artifact_csv_rows"]["rows"][0]["name"] == "Bo"
    assert [row["row"] for row in answers["artifact_csv_where"]["rows"]] == [1]
    assert len(answers["artifact_csv_sample"]) == 2
    assert answers["artifact_csv_columns"]["delimiter"] == ","
