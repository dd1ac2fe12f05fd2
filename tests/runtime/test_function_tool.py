"""Tools made of typed functions: what the model sees is what the function says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from support.turns import add
from tether import DispatchContext, SpooledArtifact, tool
from tether.batteries.testing import run_tool
from tether.core.errors import InvalidInitialToolValue
from tether.runtime.errors import InvalidToolArgs
from tether.runtime.schema import to_json_text


def properties(made: Any) -> dict[str, Any]:
    schema = made.describe()["input_schema"]
    Draft202012Validator.check_schema(schema)
    return dict(schema["properties"])


async def test_a_typed_function_becomes_a_tool_with_its_docstring_and_annotations() -> None:
    assert (add.name, add.description) == ("add", "Add two numbers.")
    schema = add.describe()["input_schema"]
    assert properties(add).keys() == {"a", "b"}
    assert schema["required"] == ["a", "b"]
    assert schema["additionalProperties"] is False
    assert await run_tool(add, {"a": 1, "b": 2}) == "3"


async def test_an_unknown_argument_of_a_function_tool_is_refused_by_name() -> None:
    # SECURITY 68
    with pytest.raises(InvalidToolArgs) as refused:
        await run_tool(add, {"a": 1, "b": 2, "c": 3})
    assert [problem.path for problem in refused.value.problems] == ["c"]


class Point(BaseModel):
    """A point in the plane."""

    x: int


def test_parameters_are_described_by_the_docstring_and_the_tool_by_the_rest_of_it() -> None:
    @tool
    def move(
        point: Point,
        steps: int = 1,
        why: Annotated[str, Field(description="In a few words.")] = "",
        ctx: DispatchContext | None = None,
    ) -> str:
        """Move a point.

        Args:
            point: Where it is.
            steps: How far,
                in steps.
            why: The annotation is nearer and wins.
            ctx: Not for the model.
            nobody: There is no such parameter.

        Returns:
            Where it is then.
        """
        return ""

    assert move.description == "Move a point.\n\nReturns:\n    Where it is then."
    described = {name: shown.get("description") for name, shown in properties(move).items()}
    assert described == {
        "point": "Where it is.",
        "steps": "How far, in steps.",
        "why": "In a few words.",
    }


def test_a_description_that_is_given_goes_before_the_docstring() -> None:
    def look(where: str) -> str:
        """Look.

        Args:
            where: A place.
        """
        return where

    given = tool(description="Look around.")(look)
    assert given.description == "Look around."
    assert properties(given)["where"]["description"] == "A place."


def test_what_a_model_is_shown_is_a_copy() -> None:
    add.describe()["input_schema"]["properties"].clear()
    assert properties(add).keys() == {"a", "b"}


async def test_a_plain_function_and_one_that_wants_the_context_are_tools_too() -> None:
    class Page(SpooledArtifact):
        __slots__ = ()

    @tool(
        name="loud",
        description="Shout.",
        artifact_constructor=lambda: Page,
        meta={"scope": "read"},
        trusted=True,
        ephemeral=True,
        on_collision="keep",
    )
    def shout(text: str, ctx: DispatchContext, times: int = 1) -> str:
        return f"{text.upper()}{'!' * times} in {ctx.iteration}"

    assert (shout.trusted, shout.ephemeral, shout.on_collision) == (True, True, "keep")
    assert (shout.artifact_constructor, shout.meta.all()) == (Page, {"scope": "read"})
    assert properties(shout).keys() == {"text", "times"}
    assert await run_tool(shout, {"text": "hey", "times": 2}) == "HEY!! in 0"


def test_a_function_that_cannot_be_a_schema_names_its_bad_parameters() -> None:
    def bad(a, *rest: int, fine: int = 0, **more: int) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001  # pyright: ignore
        """Bad."""
        return ""

    with pytest.raises(InvalidInitialToolValue) as caught:
        tool(bad)  # pyright: ignore
    assert [problem.path for problem in caught.value.problems] == ["a", "rest", "more"]


def test_a_positional_only_parameter_is_refused() -> None:
    def bad(a: int, /) -> str:
        """Bad."""
        return ""

    with pytest.raises(InvalidInitialToolValue, match="ordinary named parameter"):
        tool(bad)


class Opaque:
    """No schema can be made of this."""


def test_a_parameter_of_an_impossible_type_is_refused() -> None:
    def takes(thing: Opaque) -> str:
        """Take."""
        return ""

    with pytest.raises(InvalidInitialToolValue, match="Opaque"):
        tool(takes)


def test_an_annotation_that_cannot_be_read_is_refused_with_the_reason() -> None:
    class Local:
        pass

    def takes(thing: Local) -> str:
        """Take."""
        return ""

    with pytest.raises(InvalidInitialToolValue, match="readable where it is defined"):
        tool(takes)


def test_a_parameter_that_no_model_could_fill_is_refused() -> None:
    def call_back(function: Callable[[], int]) -> str:
        """Call back."""
        return str(function())

    with pytest.raises(InvalidInitialToolValue, match="handler"):
        tool(call_back)


@pytest.mark.parametrize("doc", [None, "", "\n    Args:\n        a: A number.\n"])
def test_a_function_that_does_not_say_what_it_does_needs_a_description(doc: str | None) -> None:
    # CONTRACT 74
    def silent(a: int) -> str:
        return ""

    silent.__doc__ = doc
    with pytest.raises(InvalidInitialToolValue, match="the model chooses by it"):
        tool(silent)
    assert tool(description="Speak.")(silent).description == "Speak."


async def test_parameters_may_have_any_name() -> None:
    @tool
    def odd(
        json: str, schema: int, model_config: int, copy: bool = False, _private: int = 7
    ) -> str:
        """Take odd names."""
        return f"{json} {schema} {model_config} {copy} {_private}"

    assert list(properties(odd)) == ["json", "schema", "model_config", "copy", "_private"]
    output = await run_tool(odd, {"json": "a", "schema": 1, "model_config": 2})
    assert output == "a 1 2 False 7"
    with pytest.raises(InvalidToolArgs) as refused:
        await run_tool(odd, {"json": 5})
    paths = [problem.path for problem in refused.value.problems]
    assert paths == ["json", "schema", "model_config"]


async def test_a_context_may_be_optional_or_annotated_and_is_injected_all_the_same() -> None:
    @tool
    def both(one: DispatchContext | None, two: Annotated[DispatchContext, "live"]) -> str:
        """Take contexts."""
        return f"{one is two} {one is not None}"

    assert properties(both) == {}
    assert await run_tool(both) == "True True"


async def test_a_partial_with_a_name_is_a_tool() -> None:
    def power(base: int, exponent: int) -> str:
        return str(base**exponent)

    square = tool(name="square", description="Square.")(partial(power, exponent=2))
    assert await run_tool(square, {"base": 3}) == "9"
    with pytest.raises(InvalidInitialToolValue, match="decorate a function"):
        tool(partial(power, exponent=2))


@pytest.mark.parametrize("wrong", ["name", 5])
def test_something_else_than_a_function_is_refused_with_a_hint(wrong: Any) -> None:
    with pytest.raises(InvalidInitialToolValue, match="@tool"):
        tool(wrong)


def test_a_function_that_yields_is_refused() -> None:
    async def stream(a: int) -> AsyncIterator[str]:
        """Stream."""
        yield str(a)

    def count(a: int) -> Iterator[str]:
        """Count."""
        yield str(a)

    for function in (stream, count):
        with pytest.raises(InvalidInitialToolValue, match="yields"):
            tool(function)


def test_json_text_is_indented_where_asked() -> None:
    # the form that the standard library's json module gives
    assert to_json_text({"a": [1, "é"]}) == '{"a": [1, "é"]}'
    assert to_json_text({"a": [1]}, indent=2) == '{\n  "a": [\n    1\n  ]\n}'


async def test_a_field_as_the_default_is_a_description_of_the_parameter() -> None:
    @tool
    def order(
        count: int = Field(default=3, ge=1, description="How many."),
        notes: list[str] = Field(default_factory=list),  # noqa: B008  # what is tested
        item: str = Field(description="Which one."),
    ) -> str:
        """Order something."""
        return f"{count} {item} {notes}"

    schema = order.describe()["input_schema"]
    assert schema["required"] == ["item"]
    assert schema["properties"]["count"]["minimum"] == 1
    assert schema["properties"]["count"]["description"] == "How many."
    assert await run_tool(order, {"item": "tea"}) == "3 tea []"
    with pytest.raises(InvalidToolArgs, match="count"):
        await run_tool(order, {"item": "tea", "count": 0})


@pytest.mark.parametrize("annotation", ["not valid!", "Annotated.nope", "nowhere"])
def test_an_annotation_that_cannot_be_read_is_refused(annotation: str) -> None:
    def broken(x: int) -> str:
        """Break."""
        return str(x)

    broken.__annotations__["x"] = annotation
    with pytest.raises(InvalidInitialToolValue, match="annotations"):
        tool(broken)


def test_an_empty_name_or_description_is_not_passed_over() -> None:
    def named(x: int) -> str:
        """Do it."""
        return str(x)

    with pytest.raises(InvalidInitialToolValue, match="name"):
        tool(name="")(named)
    with pytest.raises(InvalidInitialToolValue, match="description"):
        tool(description="")(named)
