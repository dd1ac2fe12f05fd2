"""The schema of an answer that points, and the reply read back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.ask.pointing.form import (
    LONGEST_REPLY,
    MOST_POINTS,
    Reply,
    points_schema,
    read_reply,
    response_format,
)


def reply(*units: object, answered: object = True, **more: object) -> str:
    return json.dumps({"answered": answered, "units": units, **more})


def test_whether_it_is_answered_comes_first_and_only_known_numbers_may_be_chosen() -> None:
    schema = points_schema(["1.1", "1.2"], yes_or_no=True)
    assert list(schema["properties"]) == schema["required"] == ["answered", "units", "yes_or_no"]
    assert schema["properties"]["answered"] == {"type": "boolean"}
    units = schema["properties"]["units"]
    assert units["items"]["enum"] == ["1.1", "1.2"]
    assert (units["minItems"], units["maxItems"]) == (1, MOST_POINTS)
    assert schema["additionalProperties"] is False


def test_a_yes_or_no_is_asked_for_only_where_the_question_does() -> None:
    form = response_format(["1.1"], yes_or_no=False)
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    assert list(form["json_schema"]["schema"]["properties"]) == ["answered", "units"]


def test_a_schema_without_numbers_is_still_valid() -> None:
    assert "enum" not in points_schema([], yes_or_no=False)["properties"]["units"]["items"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (reply("1.1", "2.10"), Reply(is_answered=True, numbers=("1.1", "2.10"))),
        (reply("1.1", "1.1"), Reply(is_answered=True, numbers=("1.1",))),
        (reply(), Reply(is_answered=True)),
        (reply("1.1", answered=False), Reply(is_answered=False, numbers=("1.1",))),
        (reply("1.1", answered="yes"), Reply(is_answered=True, numbers=("1.1",))),
        (f"```json\n{reply('1.1')}\n```", Reply(is_answered=True, numbers=("1.1",))),
        (f"Here: {reply('1.1')} Done.", Reply(is_answered=True, numbers=("1.1",))),
        (reply("1.1", yes_or_no="no"), Reply(is_answered=True, numbers=("1.1",), lead="no")),
        (reply("1.1", yes_or_no="maybe"), Reply(is_answered=True, numbers=("1.1",))),
        (reply("1.1", yes_or_no=[]), Reply(is_answered=True, numbers=("1.1",))),
        (
            reply(1.1, "one", ["1.1"], None, "2.2"),
            Reply(is_answered=True, numbers=("2.2",), strays=("1.1", "one", "['1.1']", "None")),
        ),
        ('{"answered": true, "units": "1.1"}', Reply(is_answered=True)),
        ('{"answered": true}', Reply(is_answered=True)),
    ],
)
def test_a_reply_is_read(text: str, expected: Reply) -> None:
    assert read_reply(text) == expected


@pytest.mark.parametrize(
    ("text", "numbers", "is_answered"),
    [
        ('{"answered": true, "units": ["1.1", "1.', ("1.1",), True),
        ('{"answered": true, "units": ["1.1", "1.1", "2.3"', ("1.1", "2.3"), True),
        ('{"answered": true, "units"', (), True),
        ('{"answered": false, "uni', (), False),
        ('{"answered": true, "units": ["1.1"], "units": ["1.2"]}', ("1.1",), True),
        ('"answered" and "units" are given above.', (), True),
    ],
)
def test_of_a_broken_reply_only_whole_numbers_are_read(
    text: str, numbers: tuple[str, ...], is_answered: bool
) -> None:
    expected = Reply(is_answered=is_answered, numbers=numbers, is_whole=False)
    assert read_reply(text) == expected


@pytest.mark.parametrize(
    "text", ["", "A worker restarts.", '{"answer": "1.1"}', reply("1.1") + " " * LONGEST_REPLY]
)
def test_a_text_that_has_nothing_of_the_form_is_not_a_reply(text: str) -> None:
    assert read_reply(text) is None


PIECES = st.sampled_from(
    ['{"answered"', ": true", ": false", ', "units": ', "[", '"1.1"', '"2.', ", ", "]", "}", "NaN"]
)


@given(st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=40).map('"units": '.__add__))
def test_no_text_breaks_the_reading_and_every_number_was_whole(text: str) -> None:
    found = read_reply(text)
    for number in () if found is None else found.numbers:
        assert f'"{number}"' in text
