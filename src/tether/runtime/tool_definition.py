"""The description of a tool in a request: the function form of chat-completions endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tether.runtime.tool import Tool

_REFERENCE = "#/$defs/"
_NAMED = {"properties", "patternProperties", "$defs", "dependentSchemas"}
_NO_SCHEMAS = {"const", "default", "enum", "examples", "required", "dependentRequired"}
_SAYS_NOTHING = {"title", "description", "default", "examples", "deprecated", "$defs"}
"""Keywords beside a reference that do not narrow it."""

_NOISE = {"title", "discriminator"}
MOST_SCHEMAS = 1_000


def tool_definition(tool: Tool) -> dict[str, Any]:
    """Return the form of a tool in a chat-completions request."""
    described = tool.describe()
    return {
        "type": "function",
        "function": {
            "name": described["name"],
            "description": described["description"],
            "parameters": plain_schema(described["input_schema"]),
        },
    }


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema that accepts the same values, in keywords that every endpoint understands.

    Definitions are written out where they are used, `const` becomes `enum`, the `oneOf` of a union
    with a tag becomes `anyOf`, and titles, which only repeat the names, are left out. A definition
    that contains itself stays a reference; all of them do if writing them out would make thousands
    of schemas.
    """
    definitions: dict[str, Any] = schema.get("$defs", {})
    kept = {name for name in definitions if name in _reachable(definitions, name)}
    if _written_out(schema, definitions, kept) > MOST_SCHEMAS:
        kept = set(definitions)
    plain = _plain({**schema, "$defs": {}}, definitions, kept)
    del plain["$defs"]
    if kept:
        plain["$defs"] = {
            name: _plain(definitions[name], definitions, kept) for name in sorted(kept)
        }
    return plain


def _plain(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], kept: set[str]
) -> dict[str, Any]:
    """Rewrite one schema and those inside it."""

    def rewritten(value: Any) -> Any:
        if isinstance(value, list):
            return [rewritten(item) for item in value]
        return _plain(value, definitions, kept) if isinstance(value, dict) else value

    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "$ref" and (name := _definition(value)) in definitions and name not in kept:
            written = _plain(definitions[name], definitions, kept)
            narrowed = schema.keys() - _SAYS_NOTHING - {"$ref"}
            plain = {**plain, "allOf": [written]} if narrowed else {**written, **plain}
        elif key == "const":
            plain["enum"] = [value]
        elif key in _NAMED:
            plain[key] = {name: rewritten(inner) for name, inner in value.items()}
        elif key == "oneOf" and "discriminator" in schema:
            plain["anyOf"] = _with_tag(rewritten(value), schema["discriminator"]["propertyName"])
        elif key not in _NOISE:
            plain[key] = value if key in _NO_SCHEMAS else rewritten(value)
    return plain


def _with_tag(branches: list[Any], tag: str) -> list[Any]:
    """Require the tag in each branch: `anyOf` accepts a value without it, `oneOf` does not."""
    return [{**it, "required": sorted({*it.get("required", ()), tag})} for it in branches]


def _written_out(schema: Any, definitions: Mapping[str, Any], kept: set[str]) -> int:
    """Return how many references writing out a schema would follow."""
    sizes: dict[str, int] = {}

    def size(name: str) -> int:
        if name not in sizes:
            sizes[name] = 1 + sum(size(inner) for inner in _wanted(definitions[name]))
        return sizes[name]

    def _wanted(within: Any) -> list[str]:
        return [name for name in _references(within) if name in definitions and name not in kept]

    return sum(size(name) for name in _wanted({**schema, "$defs": {}}))


def _definition(reference: str) -> str:
    return reference.removeprefix(_REFERENCE)


def _reachable(definitions: Mapping[str, Any], name: str) -> set[str]:
    """Return the definitions reachable from one, including itself only if it is recursive."""
    found: set[str] = set()
    waiting = [*_references(definitions[name])]
    while waiting:
        if (reference := waiting.pop()) not in found:
            found.add(reference)
            waiting += _references(definitions.get(reference))
    return found


def _references(schema: Any) -> Iterator[str]:
    """Yield the definitions that a schema, or a list of them, names anywhere inside."""
    if isinstance(schema, list):
        for item in schema:
            yield from _references(item)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield _definition(value)
            elif key in _NAMED:
                yield from _references(list(value.values()))
            elif key not in _NO_SCHEMAS:
                yield from _references(value)
