"""Tools that read the artifacts of a turn, kept in step with them."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.artifact import CALL_ID, SpooledArtifact, tool_methods
from tether.core.checks import freeze
from tether.core.errors import ArtifactIdCollision, ToolAlreadyRegistered
from tether.core.registry import Registry
from tether.runtime.answers import answer_text
from tether.runtime.docstrings import read_docstring
from tether.runtime.forged_schema import ForgedSchema
from tether.runtime.line_tools import LINE_TOOLS
from tether.runtime.schema import FunctionSchema, parameters_of
from tether.runtime.tool import ArtifactTool
from tether.runtime.tool_registry import ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from tether.core.artifact import ToolMethod
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.schema import ArgumentSchema

    Artifacts = Mapping[str, SpooledArtifact]
    Read = Callable[[SpooledArtifact, Mapping[str, Any]], Awaitable[Any]]


def forge_tools(ctx: DispatchContext) -> ToolRegistry:
    """Return reader tools for the artifacts of this turn; an empty registry if there are none.

    Every artifact can be read by line. What its class offers besides, marked with `artifact_tool`,
    can be asked of its instances only. Results of these tools are no artifacts themselves, so
    reading does not breed more to read. Raises `ArtifactIdCollision`, and `ToolAlreadyRegistered`
    where two unrelated classes claim one name.
    """
    return _forge_all(_artifacts(ctx))


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
        self._forged = _forge_all(artifacts)
        ctx.tools.absorb(self._forged)

    def _are_offered(self, ctx: DispatchContext) -> bool:
        return all(ctx.tools.get(tool.name) is tool for tool in self._forged or ())


def _forge_all(artifacts: Artifacts) -> ToolRegistry:
    forged = ToolRegistry()
    if artifacts:
        for line_tool in LINE_TOOLS:
            schema = ForgedSchema(tuple(artifacts), line_tool.schema)
            read = line_tool.read
            forged.register(_tool(line_tool.name, line_tool.description, schema, artifacts, read))
        for _, method, held in _offers(artifacts):
            schema = ForgedSchema(tuple(held), _schema_of(method))
            said = read_docstring(method.description).summary
            forged.register(_tool(method.tool, said, schema, held, _call(method)))
    return forged


class _Offer(NamedTuple):
    """A method that a class offers, and the artifacts it can be asked of."""

    kind: type
    method: ToolMethod
    held: Artifacts


def _offers(artifacts: Artifacts) -> Iterable[_Offer]:
    """Return what the artifacts' classes offer, base classes first.

    A class may offer a name again that it inherits. Its words hold where all that can be asked are
    its instances; else the base class's do, and the call reaches the method of the instance.
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
    """Group the artifacts by their classes and all they inherit from, mixins too."""
    classes: dict[type, dict[str, SpooledArtifact]] = {}
    for id, artifact in artifacts.items():
        for kind in reversed(type(artifact).__mro__):
            classes.setdefault(kind, {})[id] = artifact
    return classes


@cache
def _schema_of(method: ToolMethod) -> ArgumentSchema:
    """Describe the parameters of a method; the first one is the artifact itself."""
    said = read_docstring(inspect.getdoc(method.function) or "")
    return FunctionSchema(method.tool, parameters_of(method.function)[1:], said.parameters)


def _call(method: ToolMethod) -> Read:
    async def read(artifact: SpooledArtifact, values: Mapping[str, Any]) -> Any:
        found = getattr(artifact, method.attribute)(**values)
        value = await found if inspect.isawaitable(found) else found
        return value if method.serialise is None else method.serialise(value)

    return read


def _tool(
    name: str, description: str, schema: ForgedSchema, artifacts: Artifacts, read: Read
) -> ArtifactTool:
    """Make one tool, past the checks of its class: this runs in every iteration."""

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


def _artifacts(ctx: DispatchContext) -> dict[str, SpooledArtifact]:
    """Return what can be read, by id; of two calls with one id the later counts."""
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
