"""Tools that read the artifacts of a turn, kept in step with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.artifact import SpooledArtifact
from tether.core.checks import freeze
from tether.core.errors import ArtifactIdCollision, InvalidToolArgs, Problem
from tether.core.registry import Registry
from tether.runtime.tool import Tool
from tether.runtime.tool_registry import ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from tether.runtime.dispatch_context import DispatchContext

CALL_ID = "call_id"


class _Field(NamedTuple):
    """An argument of a forged tool besides the call id."""

    name: str
    schema: Mapping[str, Any]
    default: Any = None


class _Method(NamedTuple):
    """One reader of an artifact, as a tool."""

    name: str
    description: str
    fields: tuple[_Field, ...]
    read: Callable[[SpooledArtifact, Mapping[str, Any]], Awaitable[Any]]


_COUNT = _Field("n", {"type": "integer", "minimum": 1, "description": "How many lines."}, 10)
_START = _Field("start", {"type": "integer", "minimum": 0, "description": "First line, from 0."}, 0)
_END = _Field("end", {"type": "integer", "minimum": 0, "description": "Line to stop before."})
_ENCODING = _Field("encoding", {"type": "string", "description": "A token encoding."}, "o200k_base")

_METHODS = (
    _Method(
        "artifact_head", "Read the first lines of a result.", (_COUNT,), lambda a, v: a.head(v["n"])
    ),
    _Method(
        "artifact_tail", "Read the last lines of a result.", (_COUNT,), lambda a, v: a.tail(v["n"])
    ),
    _Method(
        "artifact_cat",
        "Read a range of lines of a result.",
        (_START, _END),
        lambda a, v: a.cat(v["start"], v["end"]),
    ),
    _Method(
        "artifact_byte_length",
        "Return the size of a result in bytes.",
        (),
        lambda a, _: a.byte_length(),
    ),
    _Method(
        "artifact_line_count",
        "Return the number of lines of a result.",
        (),
        lambda a, _: a.line_count(),
    ),
    _Method(
        "artifact_estimate_tokens",
        "Return how many tokens a result is worth.",
        (_ENCODING,),
        lambda a, v: a.estimate_tokens(v["encoding"]),
    ),
)


def forge_tools(ctx: DispatchContext) -> ToolRegistry:
    """Return reader tools for the artifacts of this turn; an empty registry if there are none.

    A tool can be asked only for the artifacts that are here. Results of these tools are no
    artifacts themselves, so reading does not breed more to read. Raises `ArtifactIdCollision`.
    """
    artifacts = _artifacts(ctx)
    return _forge_all(artifacts) if artifacts else ToolRegistry()


class ForgedTools:
    """Keeps a dispatch's registry in step with its artifacts, without piling tools up."""

    __slots__ = ("_artifacts", "_forged")

    def __init__(self) -> None:
        self._artifacts: dict[str, SpooledArtifact] = {}
        self._forged: ToolRegistry | None = None

    def refresh(self, ctx: DispatchContext) -> None:
        """Offer the tools for the artifacts of this iteration, and only these."""
        artifacts = _artifacts(ctx)
        if artifacts == self._artifacts and self._are_offered(ctx):
            return
        for tool in self._forged or ():
            if ctx.tools.get(tool.name) is tool:
                ctx.tools.unregister(tool.name)
        if self._forged is None:
            ctx.tools.bind_context(ctx)
        self._artifacts = artifacts
        self._forged = _forge_all(artifacts) if artifacts else ToolRegistry()
        ctx.tools.absorb(self._forged)

    def _are_offered(self, ctx: DispatchContext) -> bool:
        return all(ctx.tools.get(tool.name) is tool for tool in self._forged or ())


class ForgedSchema:
    """The arguments of a forged tool: which artifact, and a few simple values."""

    __slots__ = ("_fields", "_ids")

    def __init__(self, ids: tuple[str, ...], fields: tuple[_Field, ...]) -> None:
        self._ids = ids
        self._fields = fields

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema, with the call ids as a closed list."""
        which = {"type": "string", "enum": list(self._ids), "description": "Which result to read."}
        others = {
            field.name: {
                **field.schema,
                **({} if field.default is None else {"default": field.default}),
            }
            for field in self._fields
        }
        return {
            "type": "object",
            "properties": {CALL_ID: which, **others},
            "required": [CALL_ID],
            "additionalProperties": False,
        }

    def validate(self, tool: str, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with their defaults; raise `InvalidToolArgs`."""
        known = {field.name for field in self._fields} | {CALL_ID}
        problems = [Problem(str(name), "is not an argument") for name in raw if name not in known]
        if raw.get(CALL_ID) not in self._ids:
            problems.append(Problem(CALL_ID, f"must be one of {list(self._ids)}"))
        values: dict[str, Any] = {CALL_ID: raw.get(CALL_ID)}
        for field in self._fields:
            value = values[field.name] = raw.get(field.name, field.default)
            if field.name in raw and not _fits(value, field.schema):
                problems.append(Problem(field.name, _expected(field.schema)))
        if problems:
            raise InvalidToolArgs(tool, problems)
        return values


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    if schema["type"] == "string":
        return isinstance(value, str)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and value >= schema["minimum"]


def _expected(schema: Mapping[str, Any]) -> str:
    if schema["type"] == "string":
        return "must be text"
    return f"must be a whole number of at least {schema['minimum']}"


def _forge_all(artifacts: Mapping[str, SpooledArtifact]) -> ToolRegistry:
    return ToolRegistry(_forge(method, artifacts) for method in _METHODS)


def _forge(method: _Method, artifacts: Mapping[str, SpooledArtifact]) -> Tool:
    """Make one tool, past the checks of its class: its parts are constants of this module."""

    async def handle(values: Mapping[str, Any], _ctx: DispatchContext, _meta: Registry) -> str:
        return _as_text(await method.read(artifacts[values[CALL_ID]], values))

    tool = Tool.__new__(Tool)
    freeze(
        tool,
        name=method.name,
        description=method.description,
        schema=ForgedSchema(tuple(artifacts), method.fields),
        _handler=handle,
        meta=Registry(),
        trusted=False,
        ephemeral=True,
        on_collision="replace",
    )
    return tool


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        lines: list[str] = value
        return "\n".join(lines) if lines else "(empty list)"
    return str(int(value))


def _artifacts(ctx: DispatchContext) -> dict[str, SpooledArtifact]:
    found: dict[str, SpooledArtifact] = {}
    for call in ctx.turn_tool_calls:
        if call.from_artifact_tool:
            continue
        held = call.artifacts()
        for position, artifact in enumerate(held):
            found[call.id if len(held) == 1 else f"{call.id}:{position}"] = artifact
    for retrievable in ctx.turn_retrievables:
        if isinstance(retrievable.content, SpooledArtifact) and not retrievable.inline:
            if retrievable.id in found:
                raise ArtifactIdCollision(f"two artifacts have the id {retrievable.id!r}")
            found[retrievable.id] = retrievable.content
    return found
