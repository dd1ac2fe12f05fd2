"""The tools of the category string_processing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.tools import refused
from tether.batteries.testing import run_tool
from tether.batteries.tools.string_processing import (
    LONGEST_RESULT,
    string_extract,
    string_transform,
)
from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError
from tether.runtime.tool import Tool


# The tables of Rails' inflector (activesupport/test/inflector_test_cases.rb): camel to underscore,
# underscore to lower camel, underscores to dashes, title case, and parameterize for the slugs.
@pytest.mark.parametrize(
    ("style", "text", "expected"),
    [
        ("snake_case", "Product", "product"),
        ("snake_case", "SpecialGuest", "special_guest"),
        ("snake_case", "Area51Controller", "area51_controller"),
        ("snake_case", "HTMLTidy", "html_tidy"),
        ("snake_case", "HTMLTidyGenerator", "html_tidy_generator"),
        ("snake_case", "FreeBSD", "free_bsd"),
        ("snake_case", "HTML", "html"),
        ("camel_case", "special_guest", "specialGuest"),
        ("camel_case", "application_controller", "applicationController"),
        ("camel_case", "area51_controller", "area51Controller"),
        ("pascal_case", "special_guest", "SpecialGuest"),
        ("pascal_case", "area51_controller", "Area51Controller"),
        ("kebab_case", "street", "street"),
        ("kebab_case", "person_street_address", "person-street-address"),
        ("title_case", "active_record", "Active Record"),
        ("title_case", "ActiveRecord", "Active Record"),
        ("title_case", "action web service", "Action Web Service"),
        ("title_case", "Action web service", "Action Web Service"),
        ("title_case", "actionwebservice", "Actionwebservice"),
        ("title_case", "david's code", "David's Code"),
        ("title_case", "david's Code", "David's Code"),
        ("sentence_case", "employee_salary", "Employee salary"),
        ("sentence_case", "underground", "Underground"),
        ("slug", "Donald E. Knuth", "donald-e-knuth"),
        ("slug", "Random text with *(bad)* characters", "random-text-with-bad-characters"),
        ("slug", "Trailing bad characters!@#", "trailing-bad-characters"),
        ("slug", "!@#Leading bad characters", "leading-bad-characters"),
        ("slug", "Squeeze   separators", "squeeze-separators"),
        ("slug", "Test with + sign", "test-with-sign"),
        ("slug", "Malmö", "malmo"),
        ("slug", "Garçons", "garcons"),
        ("slug", "Ærøskøbing", "aeroskobing"),
        ("slug", "Aßlar", "asslar"),
    ],
)
async def test_names_and_titles_go_as_in_rails(style: str, text: str, expected: str) -> None:
    assert await run_tool(string_transform, {"text": text, "style": style}) == expected


# What the description promises; the letters are those of the texts.
@pytest.mark.parametrize(
    ("style", "text", "expected"),
    [
        ("snake_case", "HTTPServer", "http_server"),
        ("snake_case", "userIDs", "user_ids"),
        ("snake_case", "URLsTable", "urls_table"),
        ("snake_case", "SHA256SUM", "sha256sum"),
        ("snake_case", "sha256Sum", "sha256_sum"),
        ("snake_case", "don't stop", "dont_stop"),
        ("snake_case", "  --a  b__c.d/e ", "a_b_c_d_e"),
        ("snake_case", "ÉcoleNormaleSupérieure", "école_normale_supérieure"),
        ("snake_case", "e\u0301coleNormale", "école_normale"),
        ("snake_case", "ЗдравствуйМир", "здравствуй_мир"),
        ("snake_case", "हिन्दी भाषा", "हिन्दी_भाषा"),
        ("snake_case", "\u01c5epStop", "\u01c6ep_stop"),
        ("constant_case", "maxRetryCount", "MAX_RETRY_COUNT"),
        ("constant_case", "", ""),
        ("camel_case", "!?", ""),
        ("title_case", "THE QUICK FOX", "The Quick Fox"),
        ("title_case", '"hello," said NASA', '"Hello," Said NASA'),
        ("title_case", "--- ...", "--- ..."),
        ("sentence_case", "THE FOX. IT JUMPS! OK?", "The fox. It jumps! Ok?"),
        ("sentence_case", "What NASA and I saw. the End", "What NASA and I saw. The end"),
        ("sentence_case", "userIDs", "User IDs"),
        ("upper", "straße", "STRASSE"),
        ("lower", "ΟΔΟΣ", "οδο\u03c2"),
        ("trim", " \t a b \u3000\n", "a b"),
        ("collapse_whitespace", " a \t\n b\u00a0c ", "a b c"),
        ("slug", "Привет, йод!", "привет-йод"),
        ("slug", "Łódź \u2013 Đakovo", "lodz-dakovo"),
        ("slug", "½ ﬁne ℡", "1-2-fine-tel"),
    ],
)
async def test_words_are_found_in_any_script(style: str, text: str, expected: str) -> None:
    assert await run_tool(string_transform, {"text": text, "style": style}) == expected


WORDS = st.lists(st.from_regex("[a-z]+[0-9]{0,2}", fullmatch=True), min_size=1, max_size=5)


@pytest.mark.unmeasured
@given(words=WORDS)
async def test_the_styles_of_names_translate_into_each_other(words: list[str]) -> None:
    spelled = {
        "snake_case": "_".join(words),
        "kebab_case": "-".join(words),
        "constant_case": "_".join(words).upper(),
    }
    for text in spelled.values():
        for style, expected in spelled.items():
            assert await run_tool(string_transform, {"text": text, "style": style}) == expected


@given(
    text=st.text(st.characters(codec="ascii")),
    style=st.sampled_from(["snake_case", "kebab_case", "constant_case", "slug"]),
)
async def test_a_style_changes_nothing_the_second_time(text: str, style: str) -> None:
    once = await run_tool(string_transform, {"text": text, "style": style})
    assert await run_tool(string_transform, {"text": once, "style": style}) == once
    assert re.fullmatch("(?:[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*)?", once)


async def test_thousands_of_marks_on_one_letter_are_refused() -> None:  # case 177
    error = await refused(string_transform, text="a" + "\u0301\u0323" * 5_000, style="slug")
    assert isinstance(error, LimitExceeded)
    assert "combining marks" in str(error)


async def test_a_pattern_finds_its_groups() -> None:
    arguments = {"text": "John 25, Ann 7", "pattern": r"(?P<name>\w+) (?P<age>\d)(\d)?"}
    assert await run_tool(string_extract, arguments) == {
        "matches": [
            {
                "text": "John 25",
                "start": 0,
                "end": 7,
                "groups": ["John", "2", "5"],
                "named_groups": {"name": "John", "age": "2"},
            },
            {
                "text": "Ann 7",
                "start": 9,
                "end": 14,
                "groups": ["Ann", "7", None],
                "named_groups": {"name": "Ann", "age": "7"},
            },
        ],
        "count": 2,
        "truncated": False,
    }


def found(result: dict[str, Any]) -> list[str]:
    return [match["text"] for match in result["matches"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"text": "aXbxc", "pattern": "x", "flags": "i"}, ["X", "x"]),
        ({"text": "a\nb", "pattern": "^.$", "flags": "m"}, ["a", "b"]),
        ({"text": "a\nb", "pattern": "a.b", "flags": "s"}, ["a\nb"]),
        ({"text": "a\nb", "pattern": "a.b"}, []),
        ({"text": "ab", "pattern": ""}, ["", "", ""]),
        ({"text": "a,b,,c", "delimiter": ","}, ["a", "b", "", "c"]),
        ({"text": "", "delimiter": ","}, [""]),
        ({"text": "a--b-", "delimiter": "--"}, ["a", "b-"]),
        ({"text": "f(a) g(b) h(", "start": "(", "end": ")"}, ["a", "b"]),
        ({"text": "|a|b|", "start": "|", "end": "|"}, ["a"]),
        ({"text": "none", "start": "<", "end": ">"}, []),
    ],
)
async def test_parts_are_taken_out(arguments: dict[str, Any], expected: list[str]) -> None:
    assert found(await run_tool(string_extract, arguments)) == expected


@pytest.mark.parametrize(
    "how", [{"pattern": "[aé😀]"}, {"delimiter": "x"}, {"start": "x", "end": "x"}]
)
async def test_positions_count_characters(how: dict[str, str]) -> None:  # case 53
    text = "éxa😀xéx"
    result = await run_tool(string_extract, {"text": text, **how})
    assert result["count"] > 0
    for match in result["matches"]:
        assert text[match["start"] : match["end"]] == match["text"]


@given(text=st.text(), delimiter=st.text(min_size=1, max_size=3))
async def test_splitting_is_what_python_does(text: str, delimiter: str) -> None:
    arguments = {"text": text, "delimiter": delimiter, "limit": 1_000}
    assert found(await run_tool(string_extract, arguments)) == text.split(delimiter)


async def test_the_limit_cuts_the_matches_and_says_so() -> None:
    arguments = {"text": "a" * 5_000, "pattern": "a"}
    assert (await run_tool(string_extract, arguments))["count"] == 100
    result = await run_tool(string_extract, {**arguments, "limit": 1_000})
    assert (result["count"], result["truncated"]) == (1_000, True)
    result = await run_tool(string_extract, {"text": "aaa", "pattern": "a", "limit": 3})
    assert (result["count"], result["truncated"]) == (3, False)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(.*a){25}", "^(([a-z])+.)+[A-Z]([a-z])+$"]
)
async def test_patterns_made_to_take_for_ever_do_not(pattern: str) -> None:  # case 52
    for length in (20_000, 999_999):
        arguments = {"text": "a" * length + "!", "pattern": pattern}
        assert await count_or_refusal(arguments) in (0, 1, "E_LIMIT_EXCEEDED")


async def count_or_refusal(arguments: dict[str, Any]) -> int | str:
    try:
        result = await run_tool(string_extract, arguments)
    except ToolDownstreamError as error:
        return error.__cause__.code if isinstance(error.__cause__, InputRefused) else repr(error)
    return int(result["count"])


@pytest.mark.parametrize(  # case 53
    ("pattern", "expected"),
    [
        (r"(a)\1", "no look-ahead or look-behind, no backreferences"),
        ("(?<=a)b", "no look-ahead"),
        ("a(?!b)", "no look-ahead"),
        ("(?P<x>", "cannot be used"),
        ("((a{100}){100}){100}", "repeats at most"),
        ("[", "cannot be used"),
    ],
)
async def test_what_re2_lacks_is_said(pattern: str, expected: str) -> None:
    assert expected in str(await refused(string_extract, text="aa", pattern=pattern))


async def test_matches_that_repeat_a_long_text_are_refused() -> None:  # case 53
    arguments = {"text": "a" * (LONGEST_RESULT // 2 + 1), "pattern": "(.*)"}
    error = await refused(string_extract, **arguments)
    assert isinstance(error, LimitExceeded)
    assert "fewer groups" in str(error)
    whole = await run_tool(string_extract, {**arguments, "pattern": ".+"})
    assert found(whole) == [arguments["text"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "pattern; delimiter; start and end"),
        ({"pattern": "a", "delimiter": "b"}, "one of these and not several"),
        ({"delimiter": "a", "end": "b"}, "one of these and not several"),
        ({"start": "a"}, "start and end belong together"),
        ({"end": "a"}, "start and end belong together"),
        ({"delimiter": "a", "flags": "i"}, "flags go with a pattern"),
    ],
)
async def test_one_way_has_to_be_chosen(arguments: dict[str, Any], expected: str) -> None:
    assert expected in str(await refused(string_extract, text="abc", **arguments))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (string_transform, {"text": "a", "style": "leet"}),
        (string_transform, {"text": "a" * 20_001, "style": "upper"}),
        (string_extract, {"text": "a", "pattern": "a" * 513}),
        (string_extract, {"text": "a", "pattern": "a", "flags": "g"}),
        (string_extract, {"text": "a", "delimiter": ""}),
        (string_extract, {"text": "a", "pattern": "a", "limit": 1_001}),
        (string_extract, {"text": "a", "pattern": "a", "limit": 0}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(tool: Tool, arguments: Any) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(tool, arguments)
