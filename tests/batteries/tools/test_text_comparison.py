"""The tools of the category text_comparison."""

from __future__ import annotations

import re
import shutil
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.testing import run_tool
from tether.batteries.tools.text_comparison import string_similarity, text_diff
from tether.core.errors import LimitExceeded
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError
from tether.runtime.tool import Tool

PATCH = shutil.which("patch")


# The example of the GNU diffutils manual, "Detailed Description of Unified Format": lao and tzu.
LAO = """\
The Way that can be told of is not the eternal Way;
The name that can be named is not the eternal name.
The Nameless is the origin of Heaven and Earth;
The Named is the mother of all things.
Therefore let there always be non-being,
  so we may see their subtlety,
And let there always be being,
  so we may see their outcome.
The two are the same,
But after they are produced,
  they have different names.
"""
TZU = """\
The Nameless is the origin of Heaven and Earth;
The named is the mother of all things.

Therefore let there always be non-being,
  so we may see their subtlety,
And let there always be being,
  so we may see their outcome.
The two are the same,
But after they are produced,
  they have different names.
They both may be called deep and profound.
Deeper and more profound,
The door of all subtleties!
"""
LAO_TO_TZU = """\
--- lao
+++ tzu
@@ -1,7 +1,6 @@
-The Way that can be told of is not the eternal Way;
-The name that can be named is not the eternal name.
 The Nameless is the origin of Heaven and Earth;
-The Named is the mother of all things.
+The named is the mother of all things.
+
 Therefore let there always be non-being,
   so we may see their subtlety,
 And let there always be being,
@@ -9,3 +8,6 @@
 The two are the same,
 But after they are produced,
   they have different names.
+They both may be called deep and profound.
+Deeper and more profound,
+The door of all subtleties!
"""


async def test_the_example_of_the_diffutils_manual() -> None:
    arguments = {"before": LAO, "after": TZU, "before_name": "lao", "after_name": "tzu"}
    assert await run_tool(text_diff, arguments) == LAO_TO_TZU


HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def apply(diff: str, before: str) -> str:
    """Apply a unified diff by the letter: each line it expects has to be where it says."""
    old = re.findall("[^\n]*\n|[^\n]+", before)
    lines = re.findall("[^\n]*\n", diff)
    assert "".join(lines) == diff
    assert not diff or [line[:4] for line in lines[:2]] == ["--- ", "+++ "]
    new: list[str] = []
    position, index = 0, 2
    while index < len(lines):
        header = HUNK.fullmatch(lines[index])
        assert header
        start, old_count, new_start, new_count = (
            int(1 if n is None else n) for n in header.groups()
        )
        new += old[position : (start - 1 if old_count else start)]
        position = start - 1 if old_count else start
        assert len(new) == (new_start - 1 if new_count else new_start)
        index += 1
        while old_count or new_count:
            mark, line = lines[index][0], lines[index][1:]
            index += 1
            if index < len(lines) and lines[index].startswith("\\"):
                assert lines[index] == "\\ No newline at end of file\n"
                line, index = line.removesuffix("\n"), index + 1
            if mark in " -":
                assert old[position] == line
                position, old_count = position + 1, old_count - 1
            if mark in " +":
                new.append(line)
                new_count -= 1
    return "".join(new + old[position:])


TEXTS = st.text("ab\n", max_size=30) | st.text(max_size=12)


@given(before=TEXTS, after=TEXTS, context=st.integers(0, 4))
async def test_a_diff_applies(before: str, after: str, context: int) -> None:
    diff = await run_tool(text_diff, {"before": before, "after": after, "context_lines": context})
    assert apply(diff, before) == after
    assert (diff == "") == (before == after)


@pytest.mark.skipif(PATCH is None, reason="the program patch is not installed")
@pytest.mark.parametrize("context", [0, 1, 3, 100])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LAO, TZU),
        (TZU, LAO),
        ("a\nb\nc", "a\nb\nc\n"),
        ("a\nb\nc\n", "a\nb\nc"),
        ("a\nb", "a\nc"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("a\n" * 50, "a\n" * 20 + "b\n" + "a\n" * 29),
        ("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\nx\n3\n4\n5\n6\n7\ny\n9\n"),
        ("é\u2028\x0c\n", "é\u2028\x0cü\n"),
        ("- a\n+ b\n@@ c\n", "-- a\n++ b\n--- c\n"),
        ("x\n", ""),
        ("", "x\ny"),
    ],
)
async def test_the_program_patch_applies_a_diff(
    before: str, after: str, context: int, tmp_path: Path
) -> None:
    assert PATCH is not None
    arguments = {"before": before, "after": after, "context_lines": context}
    diff = await run_tool(text_diff, arguments)
    assert apply(diff, before) == after
    file, patch = tmp_path / "file", tmp_path / "patch"
    file.write_bytes(before.encode())
    patch.write_bytes(diff.encode())
    command = [PATCH, "--binary", "--fuzz=0", "--input", str(patch), str(file)]
    process = await create_subprocess_exec(*command, stdout=PIPE, stderr=STDOUT)
    output, _ = await process.communicate()
    assert process.returncode == 0, output
    assert (file.read_bytes() if file.exists() else b"") == after.encode()


@pytest.mark.unmeasured
async def test_texts_that_differ_too_much_are_refused() -> None:
    arguments = {"before": "a\nb\n" * 33_000, "after": "b\nb\na\n" * 33_000}
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(text_diff, arguments)
    assert isinstance(caught.value.__cause__, LimitExceeded)
    assert "compare smaller parts" in str(caught.value.__cause__)


# Winkler (1990) and the US Census Bureau's table for Jaro-Winkler; for Levenshtein the example of
# every text book; for swaps, "CA" to "ABC" needs 3 edits where no part may be edited twice.
@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("kitten", "sitting", {"levenshtein_distance": 3, "similarity": 0.571429}),
        ("saturday", "sunday", {"levenshtein_distance": 3, "similarity": 0.625}),
        ("intention", "execution", {"levenshtein_distance": 5}),
        ("ca", "abc", {"levenshtein_distance": 3, "damerau_distance": 3}),
        ("teh", "the", {"levenshtein_distance": 2, "damerau_distance": 1}),
        ("MARTHA", "MARHTA", {"jaro_winkler_similarity": 0.961111, "damerau_distance": 1}),
        ("DIXON", "DICKSONX", {"jaro_winkler_similarity": 0.813333}),
        ("DWAYNE", "DUANE", {"jaro_winkler_similarity": 0.84}),
        ("JONES", "JOHNSON", {"jaro_winkler_similarity": 0.832381}),
        ("ABROMS", "ABRAMS", {"jaro_winkler_similarity": 0.922222}),
        ("HARDIN", "MARTINEZ", {"jaro_winkler_similarity": 0.722222}),
        ("ITMAN", "SMITH", {"jaro_winkler_similarity": 0.466667}),
        ("", "", {"equal": True, "similarity": 1, "jaro_winkler_similarity": 1}),
        ("", "abc", {"levenshtein_distance": 3, "similarity": 0, "jaro_winkler_similarity": 0}),
        ("ab", "yz", {"levenshtein_distance": 2, "similarity": 0, "jaro_winkler_similarity": 0}),
        ("é😀", "e😀", {"equal": False, "levenshtein_distance": 1, "similarity": 0.5}),
    ],
)
async def test_similarities_are_the_published_ones(
    a: str, b: str, expected: dict[str, Any]
) -> None:
    result = await run_tool(string_similarity, {"a": a, "b": b})
    assert {name: result[name] for name in expected} == expected


async def test_case_can_be_ignored() -> None:
    arguments = {"a": "STRASSE", "b": "Straße"}
    assert not (await run_tool(string_similarity, arguments))["equal"]
    result = await run_tool(string_similarity, {**arguments, "ignore_case": True})
    assert (result["equal"], result["levenshtein_distance"]) == (True, 0)


async def test_the_longest_strings_are_compared() -> None:
    result = await run_tool(string_similarity, {"a": "ab" * 5_000, "b": "ba" * 5_000})
    assert (result["levenshtein_distance"], result["damerau_distance"]) == (2, 2)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (text_diff, {"before": "a" * 200_001, "after": ""}),
        (text_diff, {"before": "a", "after": "b", "context_lines": -1}),
        (text_diff, {"before": "a", "after": "b", "before_name": "a\nb"}),
        (text_diff, {"before": "a", "after": "b", "after_name": ""}),
        (string_similarity, {"a": "a" * 10_001, "b": ""}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(tool: Tool, arguments: Any) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(tool, arguments)
