"""JSON artifacts: what form they have, what a path finds in them, and what they hold in memory."""

from __future__ import annotations

import asyncio
import json
import threading
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import jsonpath_rfc9535
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.turns import ran, tool_call
from tether import DispatchContext, Helpers, SpooledArtifact, TextSpool, forge_tools
from tether.batteries.artifacts import SpooledJsonArtifact
from tether.batteries.artifacts import json as artifact_json
from tether.batteries.artifacts import json as json_artifact
from tether.core.artifact import LONGEST_LINE
from tether.core.errors import InputRefused, LimitExceeded, NotASpoolReader
from tether.runtime.errors import InvalidToolArgs

DOCUMENT = '{"name": "tether", "tags": ["a", "b"], "owner": {"name": "x"}}'
LIST = "[\n  1,\n  2\n]\n"
LINES = '{"a": 1}\n{"b": 2, "a": 3}\n\n[4]\n"text"\r\n \t\n'
JSON5 = "// settings\n{name: 'tether', tags: ['a', 'b',],}\n"

JSON_TOOLS = [
    "artifact_json_type",
    "artifact_json_keys",
    "artifact_json_length",
    "artifact_json_get",
    "artifact_json_pluck",
    "artifact_json_filter",
    "artifact_json_slice",
]


def artifact(text: str, format: Any = None) -> SpooledJsonArtifact:
    return SpooledJsonArtifact(TextSpool(text), format)


class LineSpool:
    """Lines that are made as they are asked for, and cannot be had as a whole."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.made = 0

    def byte_length(self) -> int:
        return 1 << 40

    def line_count(self) -> int:
        return self.count

    def text(self) -> str:
        raise AssertionError("the whole text was read")

    async def lines(
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        for number in range(start, self.count if end is None else end):
            self.made += 1
            yield json.dumps({"id": number, "even": number % 2 == 0, "padding": "x" * 1_000})


# CONTRACT 104: inferred in the order json, jsonl, json5, or taken from the hint.
@pytest.mark.parametrize(
    ("text", "format", "found"),
    [
        (DOCUMENT, None, "json"),
        (LIST, None, "json"),
        ("\n\n  5\n\n", None, "json"),
        ("\ufeff[1]", None, "json"),
        ('{"a": 1}', None, "json"),
        (LINES, None, "jsonl"),
        ("1\n2", None, "jsonl"),
        ("\ufeff{}\n{}\n", None, "jsonl"),
        (JSON5, None, "json5"),
        ("{a: 1}", None, "json5"),
        ('{"a": 1} // one line', None, "json5"),
        ("{}\n// a remark", None, "json5"),
        ("[1,\n2,]", None, "json5"),
        (LINES, "jsonl", "jsonl"),
        (LINES, "ndjson", "ndjson"),
        (DOCUMENT, "json5", "json5"),
        (DOCUMENT, "jsonl", "jsonl"),
        ("not JSON", "json", "json"),
    ],
)
async def test_the_format_is_inferred_or_taken_from_the_hint(
    text: str, format: Any, found: str
) -> None:
    subject = artifact(text, format)
    assert await subject.json_type() == found
    assert await subject.json_type() == found


@pytest.mark.parametrize(
    ("text", "length", "keys"),
    [
        (DOCUMENT, 1, ["name", "tags", "owner"]),
        (JSON5, 1, ["name", "tags"]),
        (LIST, 1, None),
        ("5", 1, None),
        (LINES, 4, ["a", "b"]),
        ("1\n2", 2, []),
    ],
)
async def test_length_and_keys(text: str, length: int, keys: Any) -> None:
    # CONTRACT 104
    assert await artifact(text).json_length() == length
    assert await artifact(text).json_keys() == keys


async def test_no_records_at_all() -> None:
    empty = artifact("\n \n", "jsonl")
    assert await empty.json_length() == 0
    assert await empty.json_keys() == []
    assert await empty.json_get("$") == []
    assert await empty.json_slice() == []
    for format in (None, "json", "json5"):
        with pytest.raises(InputRefused):
            await artifact("\n \n", format).json_length()


# CONTRACT 105
@pytest.mark.parametrize(
    ("text", "path", "found", "kept"),
    [
        (DOCUMENT, "$.name", ["tether"], True),
        (DOCUMENT, "$..name", ["tether", "x"], True),
        (DOCUMENT, "$.nothing", [], False),
        (LIST, "$[*]", [1, 2], True),
        (JSON5, " $.tags[1]\n", ["b"], True),
    ],
)
async def test_paths_in_a_document(text: str, path: str, found: list[Any], kept: bool) -> None:
    subject = artifact(text)
    assert await subject.json_get(path) == found
    assert await subject.json_pluck(path) == found
    whole = (await subject.json_get("$"))[0]
    assert await subject.json_filter(path) == ([whole] if kept else [])


async def test_paths_in_lines_are_followed_in_every_record() -> None:
    # CONTRACT 105
    subject = artifact(LINES)
    assert await subject.json_get("$.a") == [1, 3]
    assert await subject.json_pluck("$[*]") == [1, 2, 3, 4]
    assert await subject.json_get("$.nothing") == []
    assert await subject.json_filter("$.b") == [{"b": 2, "a": 3}]
    assert await subject.json_filter("$[?@ > 1]") == [{"b": 2, "a": 3}, [4]]
    assert await subject.json_filter("$.nothing") == []


async def test_a_slice_is_a_range_of_records_and_a_document_is_one() -> None:
    # CONTRACT 105
    lines = artifact("0\n1\n\n2\n3\n")
    assert await lines.json_slice(1, 3) == [1, 2]
    assert await lines.json_slice(2) == [2, 3]
    assert await lines.json_slice() == [0, 1, 2, 3]
    assert await lines.json_slice(3, 100) == [3]
    assert await lines.json_slice(2, 1) == []
    assert await lines.json_slice(0, 0) == []
    for start, end in ((0, None), (5, 6), (0, 0)):
        assert await artifact(LIST).json_slice(start, end) == [[1, 2]]
        assert await artifact(JSON5).json_slice(start, end) == [
            {"name": "tether", "tags": ["a", "b"]}
        ]
    for start, end in ((-1, None), (0, -1)):
        with pytest.raises(InputRefused, match="cannot be negative"):
            await lines.json_slice(start, end)


records = st.lists(
    st.dictionaries(st.sampled_from("ab"), st.integers() | st.lists(st.integers()))
    | st.lists(st.integers()),
    min_size=2,
)


@given(records, st.sampled_from(["$.a", "$..*", "$[0]", "$.a[?@ > 0]", "$"]))
async def test_lines_answer_as_the_other_library_does_for_each(found: Any, path: str) -> None:
    text = "\n".join(json.dumps(record) for record in found)
    matches = [jsonpath_rfc9535.find(path, record).values() for record in found]
    assert await artifact(text).json_get(path) == [value for each in matches for value in each]
    kept = [record for record, each in zip(found, matches, strict=True) if each]
    assert await artifact(text).json_filter(path) == kept


@pytest.mark.parametrize(
    ("text", "format", "said"),
    [
        ("", None, "the text is empty"),
        ("hello", None, "As JSON5 it cannot be read either"),
        ('{"a": 1}\n{"a": 2\n', None, "line 2: the text is not JSON"),
        ("1\n[", "jsonl", "line 2: the text is not JSON: Expecting value at column 2"),
        ('{"a": 1, "a": 2}', None, "'a' twice"),
        ("[NaN]", None, "NaN"),
        ("{a: 1}", "json", "not JSON"),
        ("{a: }", "json5", "expected a value"),
        ("1\n\nx\n", "ndjson", "line 3: the text is not JSON"),
    ],
)
async def test_what_is_no_json_is_refused(text: str, format: Any, said: str) -> None:
    for ask in (artifact(text, format).json_keys, artifact(text, format).json_slice):
        with pytest.raises(InputRefused) as refused:
            await ask()
        assert said in refused.value.message


async def test_a_path_that_is_wrong_is_refused_before_anything_is_read() -> None:
    subject = SpooledJsonArtifact(LineSpool(3))
    for ask in (subject.json_get, subject.json_pluck, subject.json_filter):
        with pytest.raises(InputRefused, match="at character 3"):
            await ask("$[x]")


async def test_records_may_be_deeper_than_a_path_can_follow_but_not_than_the_limit() -> None:
    with pytest.raises(LimitExceeded, match="nested"):
        await artifact("[" * 100_000).json_type()
    with pytest.raises(LimitExceeded, match=r"line 2: .*nested"):
        await artifact("1\n" + "[" * 300 + "]" * 300, "jsonl").json_get("$")


async def test_lines_are_read_one_by_one_and_never_held() -> None:
    spool = LineSpool(3_000)
    subject = SpooledJsonArtifact(spool)
    assert await subject.json_type() == "jsonl"
    tracemalloc.start()
    try:
        assert len(await subject.json_get("$[?@ == true]")) == 1_500
        assert await subject.json_length() == 3_000
        assert await subject.json_keys() == ["id", "even", "padding"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000, "the lines are more than three megabytes"


async def test_a_slice_reads_no_further_than_its_end() -> None:
    spool = LineSpool(3_000)
    subject = SpooledJsonArtifact(spool, "jsonl")
    assert [record["id"] for record in await subject.json_slice(2, 4)] == [2, 3]
    assert spool.made == 5
    assert await subject.json_slice(2, 4)


class CountingSpool(TextSpool):
    """Text, and how often all of it was asked for."""

    read = 0

    async def text(self) -> str:
        self.read += 1
        return await super().text()


@pytest.mark.parametrize("format", [None, "json", "json5"])
async def test_a_document_is_parsed_once_and_what_is_returned_is_a_copy(format: Any) -> None:
    spool = CountingSpool('{"a": {"b": [1]}}')
    subject = SpooledJsonArtifact(spool, format)
    asked: list[tuple[Any, list[str]]] = [
        (subject.json_get, ["$.a"]),
        (subject.json_pluck, ["$.a"]),
        (subject.json_filter, ["$.a"]),
        (subject.json_slice, []),
    ]
    for ask, arguments in asked:
        [found] = await ask(*arguments)
        (found.get("a") or found)["b"].append(2)
        found.clear()
        assert await subject.json_get("$") == [{"a": {"b": [1]}}]
    assert spool.read == 1


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('[\n"%s"]', None),
        ('["%s"]', "json"),
        ("['%s']", "json5"),
        ('["%s"]\n["%s"]', None),
        ('["%s"]\n["%s"]', "jsonl"),
    ],
)
async def test_large_text_is_parsed_and_asked_in_a_thread(
    monkeypatch: pytest.MonkeyPatch, text: str, format: Any
) -> None:
    used: set[int] = set()
    to_thread = asyncio.to_thread

    async def noticed(function: Any, argument: Any) -> Any:
        def call() -> Any:
            used.add(threading.get_ident())
            return function(argument)

        return await to_thread(call)

    monkeypatch.setattr(asyncio, "to_thread", noticed)
    small, large = text.replace("%s", "x"), text.replace("%s", "x" * artifact_json.LARGE)
    assert (await artifact(small, format).json_get("$[0]"))[0] == "x"
    assert not used
    for name, arguments in (("json_slice", []), ("json_get", ["$[0]"])):
        used.clear()
        found = await getattr(artifact(large, format), name)(*arguments)
        assert len(str(found)) > artifact_json.LARGE
        assert used
        assert threading.get_ident() not in used


async def test_what_is_wrong_with_a_large_text_is_said_all_the_same() -> None:
    large = "[1,\n" + " " * artifact_json.LARGE + "1"
    with pytest.raises(InputRefused, match="not JSON"):
        await artifact(large, "json").json_length()


async def test_a_document_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_artifact, "LARGEST_DOCUMENT", 20)
    assert await artifact("[" + " " * 18 + "]").json_length() == 1
    for format in (None, "json", "json5"):
        with pytest.raises(LimitExceeded, match="JSON Lines"):
            await artifact("[\n" + " " * 18 + "]", format).json_length()
    with pytest.raises(InputRefused, match=r"line 3: .*JSON Lines"):
        await artifact("1\n" * 2 + "x" * 30).json_length()


async def test_a_record_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact_json, "LARGEST_RECORD", 20)
    with pytest.raises(LimitExceeded, match=r"line 2: .*21 characters"):
        await artifact("1\n[" + " " * 19 + "]\n", "jsonl").json_get("$")


async def test_what_one_call_takes_and_returns_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    # Case 60: one budget for all records of a call, which grows with what is read.
    monkeypatch.setattr(artifact_json, "STEPS", 1_000)
    monkeypatch.setattr(artifact_json, "MOST_RESULTS", 1_000)
    numbers = json.dumps(list(range(100)))
    assert len(await artifact(numbers).json_get("$[?@ >= 0]")) == 100
    for text in (numbers, f"{numbers}\n{numbers}"):
        with pytest.raises(LimitExceeded, match="steps"):
            await artifact(text).json_get("$[?$[?@ > 0]]")
    lines = "\n".join(f'{{"key{number}": {numbers}}}' for number in range(300))
    subject = artifact(lines)
    assert await subject.json_get("$.key7[0]") == [0]
    assert await artifact('{"a": 1}\n' * 2_000).json_keys() == ["a"]
    for ask in (subject.json_slice, subject.json_keys):
        with pytest.raises(
            LimitExceeded, match=r"the answer would have more than 1,000 .* fewer records .* path"
        ):
            await ask()
    for path in ("$", "$..*"):
        with pytest.raises(
            LimitExceeded, match=r"the answer would have more than 1,000 .* fewer records .* path"
        ):
            await subject.json_get(path)
    with pytest.raises(
        LimitExceeded, match=r"the answer would have more than 1,000 .* fewer records .* path"
    ):
        await subject.json_filter("$.*")
    with pytest.raises(
        LimitExceeded, match=r"the answer would have more than 1,000 .* fewer records .* path"
    ):
        await artifact(json.dumps([numbers] * 300)).json_slice()


def test_what_it_is_made_of_is_checked() -> None:
    with pytest.raises(NotASpoolReader):
        SpooledJsonArtifact("text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputRefused, match="json or jsonl or ndjson or json5"):
        artifact("1", "yaml")


async def test_json_tools_are_there_for_json_artifacts_only() -> None:
    # CONTRACT 106
    answers: list[str] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.turn_tool_calls.add(tool_call("plain", results=SpooledArtifact(TextSpool("[1]"))))
        names = [tool.name for tool in forge_tools(ctx)]
        assert not set(names) & set(JSON_TOOLS)
        ctx.turn_tool_calls.add(tool_call("lines", results=artifact(LINES)))
        forged = forge_tools(ctx)
        assert [tool.name for tool in forged if tool.name not in names] == JSON_TOOLS
        for tool in forged:
            ids = tool.describe()["input_schema"]["properties"]["call_id"]["enum"]
            assert ids == (["lines"] if tool.name in JSON_TOOLS else ["plain", "lines"])
        asked: list[tuple[str, dict[str, Any]]] = [
            ("artifact_json_type", {}),
            ("artifact_json_keys", {}),
            ("artifact_json_length", {}),
            ("artifact_json_get", {"path": "$.a"}),
            ("artifact_json_pluck", {"path": "$.nothing"}),
            ("artifact_json_filter", {"path": "$.b"}),
            ("artifact_json_slice", {"start": 3}),
        ]
        for name, args in asked:
            tool_for_it = forged.get(name)
            assert tool_for_it is not None
            answers.append(await tool_for_it.executor(ctx)({"call_id": "lines", **args}))
        get = forged.get("artifact_json_get")
        assert get is not None
        with pytest.raises(InvalidToolArgs, match="path"):
            await get.executor(ctx)({"call_id": "lines"})
        ctx.ack()

    run = await ran(execute)
    assert run.errors == []
    assert [answer.split() for answer in answers] == [
        ["jsonl"],
        ["a", "b"],
        ["4"],
        ["[", "1,", "3", "]"],
        ["(empty", "list)"],
        ["[", "{", '"b":', "2,", '"a":', "3", "}", "]"],
        ["text"],
    ]
