"""Tools on the wire: a plainer schema that accepts exactly the same values.

The judge is the `jsonschema` library, on instances that hypothesis makes from the original schema,
and on the same ones with something changed in them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from support.turns import add
from tether import ArtifactTool, Tool, tool, tool_definition
from tether.runtime.schema import ModelSchema
from tether.runtime.tool_definition import plain_schema

JSON = Mapping[str, Any]


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Cat(BaseModel):
    """Purrs."""

    kind: Literal["cat"]
    lives: int = Field(9, ge=0, le=9, description="How many are left.")


class Dog(BaseModel):
    kind: Literal["dog"]
    names: list[str] = Field(default=[], max_length=3)


class Owner(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind", description="Who lives there.")]
    second: Cat | None = None
    either: Cat | Dog | int | Literal["none"] = 0


class Enums(BaseModel):
    colour: Colour = Colour.RED
    size: Size
    one: Literal["only"]
    many: Literal["a", 1, None, True]
    colours: dict[str, Colour] = {}
    said: Annotated[Colour, Field(description="Said beside the reference.")] = Colour.BLUE


class Shapes(BaseModel):
    pair: tuple[int, str]
    any_length: tuple[Cat, ...] = ()
    several: set[int] = set()
    prices: dict[str, Annotated[float, Field(gt=0)]] = Field(default={}, description="By name.")
    anything: Any = None
    optional: str | None = Field(None, min_length=2, pattern="^[a-z]+$")
    nested: dict[str, list[dict[str, Cat]]] = {}


class Tree(BaseModel):
    """A tree."""

    name: str
    children: list[Tree] = []


class Left(BaseModel):
    right: Right | None = None
    cats: list[Cat] = []


class Right(BaseModel):
    left: Left | None = None


class Forest(BaseModel):
    trees: list[Tree]
    left: Left | None = None
    cat: Cat | None = None


class Typed(TypedDict):
    x: int
    colour: Colour


class Dictionaries(BaseModel):
    typed: Typed
    more: list[Typed] = []


class Keywords(BaseModel):
    """Every name that means something in a schema, as the name of a field."""

    model_config = ConfigDict(extra="allow", title="Keywords")

    title: str
    const: int = 1
    ref: str = Field("x", alias="$ref")
    oneOf: list[int] = []  # noqa: N815
    default: dict[str, Any] = {"title": "kept", "const": 1, "oneOf": []}
    enum: Literal["title", "const"] = "title"
    properties: dict[str, str] = {"title": "kept"}
    defs: Colour = Field(Colour.RED, alias="$defs")
    required: bool = False
    examples: list[str] = Field([], examples=[{"title": "kept"}])
    discriminator: str = ""
    items: Cat | None = None
    type: str = ""


class Nothing(BaseModel):
    pass


MODELS: list[type[BaseModel]] = [Owner, Enums, Shapes, Forest, Dictionaries, Keywords, Nothing, Cat]
SCHEMAS = [ModelSchema(model).json_schema() for model in MODELS]
RECURSIVE = [Forest]


def schemas_in(schema: Any) -> Iterator[JSON]:
    """Yield a schema and those inside it, by the list of keywords of JSON Schema 2020-12."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key in ("properties", "patternProperties", "$defs", "dependentSchemas"):
        for inner in schema.get(key, {}).values():
            yield from schemas_in(inner)
    for key in ("anyOf", "allOf", "oneOf", "prefixItems"):
        for inner in schema.get(key, ()):
            yield from schemas_in(inner)
    for key in ("items", "additionalProperties", "not", "propertyNames", "contains"):
        yield from schemas_in(schema.get(key))


def keywords(schema: Any) -> set[str]:
    return {key for inner in schemas_in(schema) for key in inner}


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 10) | st.sampled_from(["", "cat", "red", "ab"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "title", "$ref", "x"]), inner, max_size=3)
    ),
    max_leaves=4,
)
SIMPLE: dict[str, Any] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "integer": st.integers(-2, 10),
    "number": st.integers(-2, 10) | st.floats(-2, 10),
    "string": st.sampled_from(["", "ab", "cat", "red", "Z"]),
}


def instances(schema: Any, root: JSON) -> st.SearchStrategy[Any]:
    """Values that a schema is likely to accept."""
    if not isinstance(schema, dict) or not schema.keys() - {"title", "description", "default"}:
        return anything
    if "$ref" in schema:
        inner = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        return st.deferred(lambda: instances(inner, root))
    if schema.keys() & {"const", "enum"}:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return st.one_of([instances(inner, root) for inner in schema[key]])
    if schema["type"] == "array":
        return arrays(schema, root)
    return objects(schema, root) if schema["type"] == "object" else SIMPLE[schema["type"]]


def arrays(schema: JSON, root: JSON) -> st.SearchStrategy[Any]:
    if "prefixItems" in schema:
        return st.tuples(*(instances(item, root) for item in schema["prefixItems"])).map(list)
    return st.lists(instances(schema.get("items", {}), root), max_size=3)


def objects(schema: JSON, root: JSON) -> st.SearchStrategy[Any]:
    known = {name: instances(inner, root) for name, inner in schema.get("properties", {}).items()}
    required = {name: known.pop(name) for name in schema.get("required", ())}
    named = st.fixed_dictionaries(required, optional=known)
    extra = schema.get("additionalProperties", True)
    if extra is False:
        return named
    others = st.dictionaries(st.sampled_from(["x", "title"]), instances(extra, root), max_size=2)
    return st.tuples(others, named).map(lambda both: both[0] | both[1])


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """The same value with one part of it replaced, left out or added."""
    if not isinstance(value, (list, dict)) or not value or draw(st.booleans()):
        return draw(anything)
    twin: Any = copy.copy(value)
    where = draw(st.sampled_from(sorted(twin) if isinstance(twin, dict) else range(len(twin))))
    match draw(st.sampled_from(["change", "drop", "add"])):
        case "drop":
            del twin[where]
        case "add" if isinstance(twin, dict):
            twin[draw(st.sampled_from(["title", "kind", "more"]))] = draw(anything)
        case _:
            twin[where] = draw(changed(twin[where]))
    return twin


def verdicts(schema: JSON, instance: Any) -> tuple[bool, bool]:
    """Whether an instance is valid under a schema, and under its plainer form."""
    plain = plain_schema(schema)
    return (
        Draft202012Validator(schema).is_valid(instance),
        Draft202012Validator(plain).is_valid(instance),
    )


@pytest.mark.unmeasured
@pytest.mark.parametrize("schema", SCHEMAS, ids=[model.__name__ for model in MODELS])
@given(data=st.data())
def test_the_same_values_are_valid_under_the_plainer_schema(schema: JSON, data: Any) -> None:
    value = data.draw(instances(schema, schema))
    for instance in (value, data.draw(changed(value)), data.draw(anything)):
        before, after = verdicts(schema, instance)
        assert before == after, instance


@pytest.mark.parametrize("model", MODELS)
def test_the_plainer_schema_is_one_without_titles_and_references(model: type[BaseModel]) -> None:
    schema = ModelSchema(model).json_schema()
    before = copy.deepcopy(schema)
    plain = plain_schema(schema)
    Draft202012Validator.check_schema(plain)
    noise = {"title", "discriminator", "const", "oneOf"}
    assert not keywords(plain) & (noise if model in RECURSIVE else noise | {"$ref", "$defs"})
    assert schema == before


class Tea(BaseModel):
    kind: Literal["tea"] = "tea"


class Coffee(BaseModel):
    kind: Literal["coffee"] = "coffee"


class Drink(BaseModel):
    cup: Annotated[Tea | Coffee, Field(discriminator="kind")]


def test_a_tag_that_has_a_default_is_still_needed_where_it_decides() -> None:
    before, after = verdicts(ModelSchema(Drink).json_schema(), {"cup": {}})
    assert before == after


def test_a_definition_that_contains_itself_stays_a_reference_and_no_other_does() -> None:
    plain = plain_schema(ModelSchema(Forest).json_schema())
    assert plain["$defs"].keys() == {"Tree", "Left", "Right"}
    assert plain["properties"]["trees"]["items"] == {"$ref": "#/$defs/Tree"}
    assert plain["properties"]["cat"]["anyOf"][0]["description"] == "Purrs."
    assert "title" not in plain["$defs"]["Tree"]


def test_words_defaults_and_names_stay_where_they_were() -> None:
    plain = plain_schema(ModelSchema(Keywords).json_schema())
    assert list(plain["properties"]) == list(Keywords.model_json_schema()["properties"])
    kept = {"title": "kept", "const": 1, "oneOf": []}
    assert plain["properties"]["default"]["default"] == kept
    assert plain["properties"]["examples"]["examples"] == [{"title": "kept"}]
    assert plain["required"] == ["title"]
    enums = plain_schema(ModelSchema(Enums).json_schema())["properties"]
    assert enums["said"]["description"] == "Said beside the reference."
    assert enums["said"]["default"] == "blue"
    assert enums["said"]["enum"] == ["red", "blue"] == enums["colour"]["enum"]
    assert enums["one"] == {"type": "string", "enum": ["only"]}


NAMES = ["title", "const", "$ref", "oneOf", "default", "enum", "x"]
LEAVES: list[JSON] = [
    {"type": "integer"},
    {"type": "string", "title": "Noise"},
    {"const": None},
    {"const": {"$ref": "a value"}, "title": "Noise"},
    {"enum": ["cat", 1, {"title": "a value"}]},
    {"$ref": "#/$defs/one"},
    {"$ref": "#/$defs/two", "description": "Said here.", "default": {"$ref": "a value"}},
    {"description": "Said before it.", "$ref": "#/$defs/one"},
    {},
]


def wider(inner: Any) -> Any:
    return st.one_of(
        st.dictionaries(st.sampled_from(NAMES), inner, max_size=3).map(
            lambda named: {"type": "object", "properties": named, "required": sorted(named)[:1]}
        ),
        inner.map(lambda item: {"type": "array", "items": item, "title": "Noise"}),
        st.lists(inner, min_size=1, max_size=2).map(
            lambda items: {"type": "array", "prefixItems": items, "items": False}
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda choices: {"anyOf": choices}),
        inner.map(lambda item: {"type": "object", "additionalProperties": item}),
        inner.map(lambda item: {"type": "object", "patternProperties": {"^t": item}}),
    )


made_up = st.recursive(st.sampled_from(LEAVES), wider, max_leaves=6)
ENDING = {"type": "object", "properties": {"next": {"$ref": "#/$defs/one"}}}


@given(inner=made_up, two=made_up, one=made_up | st.just(ENDING), data=st.data())
def test_a_made_up_schema_keeps_its_meaning_too(
    inner: JSON, one: JSON, two: JSON, data: st.DataObject
) -> None:
    if _leads_to({"one": one, "two": two}):
        one, two = {"type": "object", "additionalProperties": {"$ref": "#/$defs/two"}}, ENDING
    schema = {
        "type": "object",
        "properties": {"title": inner, "x": {"$ref": "#/$defs/one"}},
        "$defs": {"one": one, "two": two},
    }
    Draft202012Validator.check_schema(plain_schema(schema))
    assert "title" not in keywords(plain_schema(schema))
    names = st.sampled_from(["title", "x"])
    for instance in data.draw(st.lists(st.dictionaries(names, anything), max_size=5)):
        before, after = verdicts(schema, instance)
        assert before == after, instance


def _leads_to(definitions: JSON) -> bool:
    """Whether a definition is nothing but a way to itself: no validator can follow that."""

    def bare(schema: JSON, seen: frozenset[str]) -> bool:
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            return name in seen or bare(definitions[name], seen | {name})
        return any(bare(inner, seen) for inner in schema.get("anyOf", ()))

    return any(bare(schema, frozenset({name})) for name, schema in definitions.items())


def test_a_tool_is_described_in_the_function_form() -> None:
    assert tool_definition(add) == {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Add two numbers.",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a", "b"],
                "additionalProperties": False,
            },
        },
    }


def test_arguments_may_be_named_like_keywords() -> None:
    @tool
    def odd(title: str, const: int, oneOf: Colour, default: Cat | None = None) -> str:  # noqa: N803
        """Take odd names.

        Args:
            title: A title.
            const: A number.
            default: A cat.
        """
        return ""

    parameters = tool_definition(odd)["function"]["parameters"]
    shown = parameters["properties"]
    assert list(shown) == ["title", "const", "oneOf", "default"]
    assert shown["title"] == {"type": "string", "description": "A title."}
    assert shown["const"] == {"type": "integer", "description": "A number."}
    assert shown["oneOf"]["enum"] == ["red", "blue"]
    assert shown["default"]["description"] == "A cat."
    assert shown["default"]["default"] is None


def test_a_tool_without_arguments_has_an_empty_object() -> None:
    # CONTRACT 1.8: tools with an empty schema
    for made in (
        Tool(name="a", description="A.", schema=Nothing, handler=lambda *_: ""),
        ArtifactTool(name="b", description="B.", schema=Nothing, handler=lambda *_: ""),
    ):
        parameters = tool_definition(made)["function"]["parameters"]
        assert (parameters["type"], parameters["properties"]) == ("object", {})


def test_what_stands_beside_a_reference_still_holds() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Name", "minLength": 1, "description": "A name."}},
        "$defs": {"Name": {"type": "string", "minLength": 3}},
    }
    plain = plain_schema(schema)
    assert "$defs" not in plain
    for value in ("abc", "ab", "", 5):
        before = Draft202012Validator(schema).is_valid({"a": value})
        assert Draft202012Validator(plain).is_valid({"a": value}) is before


def test_a_union_without_a_tag_and_odd_names_stay_what_they_are() -> None:
    schema = {
        "type": "object",
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        "anyOf": [{"required": ["c"]}, {"required": ["d"]}],
        "dependentRequired": {"title": ["a"]},
    }
    assert plain_schema(schema) == schema


def test_definitions_that_would_grow_without_end_stay_references() -> None:
    definitions: dict[str, Any] = {"D0": {"type": "string"}}
    for level in range(1, 17):
        below = {"$ref": f"#/$defs/D{level - 1}"}
        definitions[f"D{level}"] = {"type": "object", "properties": {"a": below, "b": below}}
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/D16"}}, "$defs": definitions}
    assert plain_schema(schema) == schema


def test_a_reference_to_elsewhere_stays() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "https://x/y"}}}
    assert plain_schema(schema) == schema
