"""The checks behind every constructor: all problems at once, each under its path."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from dataclasses import FrozenInstanceError, dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pytest

from tether.core.checks import MISSING, Checks, freeze, refuses_with
from tether.core.errors import InvalidInitialMemoryValue, InvalidInput, Problem

CONTROL_CHARACTERS = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))]
"""The category Cc, which no edition of Unicode changes."""


@refuses_with(InvalidInitialMemoryValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Point:
    """The smallest value built the way the real ones are."""

    name: str
    weight: float

    def __init__(self, *, name: str, weight: float = 1) -> None:
        check = Checks()
        freeze(self, name=check.identifier("name", name), weight=check.score("weight", weight))
        check.done(InvalidInitialMemoryValue)


@refuses_with(InvalidInitialMemoryValue)
class Broken:
    """Its constructor has a mistake of its own."""

    def __init__(self, *, name: str) -> None:
        raise TypeError(f"a mistake inside, not in {name}")


@refuses_with(InvalidInitialMemoryValue)
class Open:
    """It accepts any further argument."""

    def __init__(self, *, name: str, **more: object) -> None:
        check = Checks()
        self.name = check.identifier("name", name)
        self.more = more
        check.done(InvalidInitialMemoryValue)


def problems_of(kind: type[object], **fields: Any) -> list[Problem]:
    make: Any = kind
    with pytest.raises(InvalidInitialMemoryValue) as refused:
        make(**fields)
    assert refused.value.code == "E_INVALID_INITIAL_MEMORY_VALUE"
    return list(refused.value.problems)


def test_good_arguments_are_kept() -> None:
    point = Point(name="home", weight=0.5)
    assert (point.name, point.weight) == ("home", 0.5)


def test_missing_wrong_and_unknown_arguments_are_reported_together() -> None:
    problems = problems_of(Point, weight=2, colour="red", size=3)
    assert {problem.path for problem in problems} == {"name", "weight", "colour", "size"}
    assert len(problems) == 4


def test_a_missing_argument_is_required() -> None:
    assert problems_of(Point) == [Problem("name", "is required")]


def test_unknown_arguments_alone_are_reported_in_order_of_their_names() -> None:
    assert problems_of(Point, name="home", size=3, colour="red") == [
        Problem("colour", "is not a field"),
        Problem("size", "is not a field"),
    ]


def test_an_unknown_argument_called_self_is_reported_like_any_other() -> None:
    assert problems_of(Point, name="home", self=1) == [Problem("self", "is not a field")]


def test_positional_arguments_are_not_accepted() -> None:
    make: Any = Point
    with pytest.raises(TypeError, match="positional"):
        make("home")


def test_a_mistake_inside_a_constructor_is_not_disguised() -> None:
    with pytest.raises(TypeError, match="a mistake inside"):
        Broken(name="home")


def test_a_class_that_takes_anything_reports_only_what_is_missing() -> None:
    assert problems_of(Open, colour="red") == [Problem("name", "is required")]
    assert Open(name="home", colour="red").more == {"colour": "red"}


def test_the_signature_stays_readable() -> None:
    assert list(inspect.signature(Point).parameters) == ["name", "weight"]


def test_freeze_fills_a_frozen_value_once() -> None:
    point = Point(name="home")
    with pytest.raises(FrozenInstanceError):
        point.name = "away"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    freeze(point, name="away")
    assert point.name == "away"


def test_done_is_silent_without_problems() -> None:
    check = Checks()
    check.done(InvalidInput)
    check.fail("a", "is odd")
    with pytest.raises(InvalidInput) as refused:
        check.done(InvalidInput)
    assert refused.value.problems == (Problem("a", "is odd"),)


def test_missing_describes_itself_as_nothing() -> None:
    assert repr(MISSING) == "nothing"


def failing(method: str, *arguments: Any) -> str:
    """The message of the one problem that a check must find."""
    check = Checks()
    getattr(check, method)("field", *arguments)
    [problem] = check.problems
    assert problem.path == "field"
    return problem.message


def passing(method: str, *arguments: Any) -> Any:
    check = Checks()
    result = getattr(check, method)("field", *arguments)
    assert check.problems == []
    return result


@pytest.mark.parametrize("value", ["a", "row-17", "\u00fcber \U0001f600", " "])
def test_an_identifier_is_kept_as_it_is(value: str) -> None:
    assert passing("identifier", value) is value


@pytest.mark.parametrize("value", ["", None, 5, b"a", "a\ud800", ["a"]])
def test_what_is_no_identifier_is_refused(value: object) -> None:
    assert "non-empty text" in failing("identifier", value)


@pytest.mark.parametrize("first", [0x00, 0x80], ids=["C0", "C1"])
def test_an_identifier_holds_no_control_character(first: int) -> None:
    block = [one for one in CONTROL_CHARACTERS if first <= ord(one) < first + 0x80]
    assert len(block) >= 32
    check = Checks()
    for position, character in enumerate(block):
        check.identifier(f"field[{position}]", f"a{character}b")
    assert [problem.path for problem in check.problems] == [
        f"field[{position}]" for position in range(len(block))
    ]


def test_a_number_too_long_to_print_is_still_reported_as_a_problem() -> None:
    assert "non-empty text" in failing("identifier", 10**5000)


def test_a_line_is_optional_clean_text() -> None:
    assert passing("line", None) is None
    assert passing("line", "a\x00b") == "ab"
    assert passing("line", "") == ""
    assert "text" in failing("line", 5)


@pytest.mark.parametrize("value", ["c", "", None, 1, ["a"], {}])
def test_a_choice_outside_the_set_is_refused_with_the_set(value: object) -> None:
    message = failing("choice", value, ("a", "b"))
    assert "'a' or 'b'" in message
    assert repr(value) in message


def test_a_choice_of_the_set_is_kept() -> None:
    assert passing("choice", "b", ("a", "b")) == "b"


@pytest.mark.parametrize("value", [0, 1, "true", None, []])
def test_a_flag_is_nothing_but_true_or_false(value: object) -> None:
    assert "True or False" in failing("flag", value)


def test_a_flag_is_kept() -> None:
    assert passing("flag", False) is False
    assert passing("flag", True) is True


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, 0.5, 1e-300])
def test_a_score_from_zero_to_one_is_kept(value: float) -> None:
    assert passing("score", value) == value


@pytest.mark.parametrize(
    "value", [-0.001, 1.001, 2, float("nan"), float("inf"), True, "0.5", None, 1j, 10**300]
)
def test_any_other_score_is_refused(value: object) -> None:
    assert "from 0 to 1" in failing("score", value)


def test_a_score_beyond_the_range_of_floats_is_refused_like_any_other() -> None:
    assert "from 0 to 1" in failing("score", 10**400)


def test_an_instance_must_be_of_its_class() -> None:
    assert passing("instance", 5, int, "a number") == 5
    assert "a number" in failing("instance", "5", int, "a number")
    assert passing("instance", "5", (int, str), "either") == "5"


@pytest.mark.parametrize("values", [[1, 2], (1, 2), {1: 1, 2: 2}.keys(), iter([1, 2])])
def test_any_list_like_of_instances_becomes_a_tuple(values: object) -> None:
    assert passing("instances", values, int, "numbers") == (1, 2)


@pytest.mark.parametrize("values", ["12", b"12", {1: 2}, 5, None])
def test_what_is_not_list_like_is_refused(values: object) -> None:
    assert "a list of numbers" in failing("instances", values, int, "numbers")


def test_every_wrong_member_is_reported_by_position() -> None:
    check = Checks()
    check.instances("field", ["a", 1, None], int, "a number")
    assert [problem.path for problem in check.problems] == ["field[0]", "field[2]"]


@pytest.mark.parametrize("value", [{"a": 1}, MappingProxyType({"a": 1}), OrderedDict(a=1)])
def test_a_mapping_becomes_a_new_dictionary(value: object) -> None:
    result = passing("mapping", value)
    assert result == {"a": 1}
    assert type(result) is dict
    assert result is not value


@pytest.mark.parametrize("value", [{1: 2}, [("a", 1)], None, "a"])
def test_what_is_no_mapping_with_text_keys_is_refused(value: object) -> None:
    assert "text keys" in failing("mapping", value)


def test_a_time_is_parsed_or_refused_in_words() -> None:
    assert passing("time", 0) == datetime(1970, 1, 1, tzinfo=UTC)
    assert "ISO 8601" in failing("time", "soon")


def even(value: int) -> int:
    if value % 2:
        raise InvalidInput([Problem("parity", "is odd"), Problem("", "is refused")])
    return value


def test_a_part_reports_its_problems_under_the_name_of_its_field() -> None:
    assert passing("made", even, 2) == 2
    check = Checks()
    check.made("field", even, 3)
    assert check.problems == [Problem("field.parity", "is odd"), Problem("field", "is refused")]


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("identifier", ()),
        ("line", ()),
        ("choice", (("a",),)),
        ("flag", ()),
        ("score", ()),
        ("instance", (int, "a number")),
        ("instances", (int, "numbers")),
        ("mapping", ()),
        ("time", ()),
    ],
)
def test_what_was_not_given_is_reported_as_required(method: str, more: tuple[Any, ...]) -> None:
    assert failing(method, MISSING, *more) == "is required"


def test_a_part_that_was_not_given_is_reported_as_required() -> None:
    assert failing("made", even, MISSING) == "is required"


def test_an_identifier_may_hold_what_cannot_be_printed_but_controls_nothing() -> None:
    check = Checks()
    assert check.identifier("id", "a\u00a0b\u2028") == "a\u00a0b\u2028"
    assert check.problems == []
