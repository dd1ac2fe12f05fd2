"""Tools that read the artifacts of a turn, updated as artifacts come and go."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.artifact import CALL_ID, SpooledArtifact, tool_methods
from tether.core.checks import freeze
from tether.core.errors import Problem
from tether.core.registry import Registry
from tether.runtime.docstrings import read_docstring
from tether.runtime.errors import ArtifactIdCollision, InvalidToolArgs, ToolAlreadyRegistered
from tether.runtime.line_tools import LINE_TOOLS, answer_text
from tether.runtime.schema import FunctionSchema, parameters_of
from tether.runtime.tool import ArtifactTool
from tether.runtime.tool_registry import ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping

    from tether.core.artifact import ToolMethod
    from tether.runtime.context import Context
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.schema import ArgumentSchema
    from tether.runtime.tool import Tool

    Artifacts = Mapping[str, SpooledArtifact]
    Read = Callable[[SpooledArtifact, Mapping[str, Any]], Awaitable[Any]]


_MOST_LISTED = 20


def forge_tools(ctx: DispatchContext) -> ToolRegistry:
    """Return reader tools for the artifacts of this turn; an empty registry without artifacts.

    Every artifact can be read by line. Further methods of its class, marked with `artifact_tool`,
    work on its instances only. Results of these tools are not artifacts themselves, so that reading
    does not produce more to read. Raises `ArtifactIdCollision`, and `ToolAlreadyRegistered` if two
    unrelated classes claim one name.
    """
    return _forge_all(_artifacts(ctx))


def offered_tools(ctx: Context, *, forced: str | None = None) -> list[Tool]:
    """Return the tools that the model is shown: the visible ones that have something to do.

    A result that is in the prompt whole needs no reader, and seven readers may cost more tokens
    than the result. So a forged tool is shown only if the prompt has a handle that it can read, or
    if it is the one that the model is `forced` to call. It can be called in any case.
    """
    handles = frozenset(_handles(ctx))
    return [tool for tool in ctx.tools.visible() if tool.name == forced or _has_work(tool, handles)]


class ForgedTools:
    """Keeps the tools of a dispatch in line with its artifacts, without piling up."""

    __slots__ = ("_artifacts", "_forged")

    def __init__(self) -> None:
        self._artifacts: dict[str, SpooledArtifact] = {}
        self._forged: ToolRegistry | None = None

    def refresh(self, ctx: DispatchContext) -> None:
        """Offer the tools for the artifacts of this iteration, and no others."""
        artifacts = _artifacts(ctx)
        if artifacts == self._artifacts and self._are_offered(ctx):
            return
        for tool in self._forged or ():
            if ctx.tools.get(tool.name) is tool:
                ctx.tools.unregister(tool.name)
        if self._forged is None:
            ctx.tools.bind_context(ctx)
        self._artifacts = artifacts
        self._forged = _forge_all(artifacts)
        ctx.tools.absorb(self._forged)

    def _are_offered(self, ctx: DispatchContext) -> bool:
        return all(ctx.tools.get(tool.name) is tool for tool in self._forged or ())


class _ForgedSchema:
    """Arguments with a closed list of artifact ids."""

    __slots__ = ("_ids", "_rest")

    def __init__(self, ids: tuple[str, ...], rest: ArgumentSchema) -> None:
        self._ids = ids
        self._rest = rest

    def reads(self, ids: Collection[str]) -> bool:
        """Say whether one of these can be read."""
        return any(id in ids for id in self._ids)

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        rest = self._rest.json_schema()
        which = {"type": "string", "enum": list(self._ids), "description": "Which result to read."}
        return {
            **rest,
            "properties": {CALL_ID: which, **rest["properties"]},
            "required": [CALL_ID, *rest.get("required", ())],
        }

    def validate(self, tool: str, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with their defaults; raise `InvalidToolArgs`."""
        problems: list[Problem] = []
        if raw.get(CALL_ID) not in self._ids:
            problems.append(Problem(CALL_ID, f"must be one of {_listed(self._ids)}"))
        values: dict[str, Any] = {}
        try:
            others = {name: value for name, value in raw.items() if name != CALL_ID}
            values = self._rest.validate(tool, others)
        except InvalidToolArgs as error:
            problems += error.problems
        if problems:
            raise InvalidToolArgs(tool, problems)
        return {**values, CALL_ID: raw[CALL_ID]}


def _has_work(tool: Tool, handles: Collection[str]) -> bool:
    return not isinstance(tool.schema, _ForgedSchema) or tool.schema.reads(handles)


def _listed(ids: tuple[str, ...]) -> str:
    """Return the newest ids: a model that guessed does not need all of them."""
    shown = list(ids[-_MOST_LISTED:])
    return str(shown) if len(shown) == len(ids) else f"{len(ids):,}, of which the last are {shown}"


def _forge_all(artifacts: Artifacts) -> ToolRegistry:
    forged = ToolRegistry()
    if artifacts:
        for line_tool in LINE_TOOLS:
            schema = _ForgedSchema(tuple(artifacts), line_tool.schema)
            read = line_tool.read
            forged.register(_tool(line_tool.name, line_tool.description, schema, artifacts, read))
        for _, method, held in _offers(artifacts):
            schema = _ForgedSchema(tuple(held), _schema_of(method))
            said = read_docstring(method.description).summary
            forged.register(_tool(method.tool, said, schema, held, _call(method)))
    return forged


class _Offer(NamedTuple):
    """A method that a class offers, and the artifacts it can read."""

    kind: type
    method: ToolMethod
    held: Artifacts


def _offers(artifacts: Artifacts) -> Iterable[_Offer]:
    """Return the offers of the artifacts' classes, base classes first.

    A class may offer an inherited name again. Its description is used if all artifacts with that
    name are its instances; otherwise that of the base class is. The call reaches the method of the
    instance.
    """
    offers: dict[str, _Offer] = {}
    for kind, held in _by_class(artifacts).items():
        for method in tool_methods(kind):
            earlier = offers.get(method.tool)
            if earlier is None or (issubclass(kind, earlier.kind) and held == earlier.held):
                offers[method.tool] = _Offer(kind, method, held)
            elif not issubclass(kind, earlier.kind):
                both = f"{earlier.kind.__name__} and {kind.__name__}"
                raise ToolAlreadyRegistered(f"{both} both offer a tool named {method.tool!r}")
    return offers.values()


def _by_class(artifacts: Artifacts) -> dict[type, dict[str, SpooledArtifact]]:
    """Group the artifacts by their classes and base classes, including mixins."""
    classes: dict[type, dict[str, SpooledArtifact]] = {}
    for id, artifact in artifacts.items():
        for kind in reversed(type(artifact).__mro__):
            classes.setdefault(kind, {})[id] = artifact
    return classes


@cache
def _schema_of(method: ToolMethod) -> ArgumentSchema:
    """Describe the parameters of a method, without the artifact itself."""
    said = read_docstring(inspect.getdoc(method.function) or "")
    return FunctionSchema(method.tool, parameters_of(method.function)[1:], said.parameters)


def _call(method: ToolMethod) -> Read:
    async def read(artifact: SpooledArtifact, values: Mapping[str, Any]) -> Any:
        found = getattr(artifact, method.attribute)(**values)
        value = await found if inspect.isawaitable(found) else found
        return value if method.serialise is None else method.serialise(value)

    return read


def _tool(
    name: str, description: str, schema: _ForgedSchema, artifacts: Artifacts, read: Read
) -> ArtifactTool:
    """Make one tool without the checks of its class: this runs in every iteration."""

    async def handle(values: dict[str, Any], _ctx: DispatchContext, _meta: Registry) -> str:
        which = values.pop(CALL_ID)
        return answer_text(await read(artifacts[which], values))

    tool = ArtifactTool.__new__(ArtifactTool)
    freeze(
        tool,
        name=name,
        description=description,
        schema=schema,
        _handler=handle,
        artifact_constructor=None,
        meta=Registry(),
        trusted=False,
        ephemeral=True,
        on_collision="replace",
    )
    return tool


def _handles(ctx: Context) -> Iterator[str]:
    """Yield the ids of the artifacts that are not in the prompt; a list of them always is."""
    for call in ctx.turn_tool_calls:
        if not call.inline and isinstance(call.results, SpooledArtifact):
            yield call.id
    for retrievable in ctx.turn_retrievables:
        if not retrievable.inline:
            yield retrievable.id


def _artifacts(ctx: DispatchContext) -> dict[str, SpooledArtifact]:
    """Return the artifacts by id; of two calls with one id the later counts."""
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
