"""Tools by name, with one rule for name clashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.checks import Checks, in_short
from tether.core.errors import InvalidInitialToolValue
from tether.runtime.errors import ToolAlreadyRegistered
from tether.runtime.tool import COLLISION_POLICIES, CollisionPolicy, Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tether.runtime.dispatch_context import DispatchContext


class ToolRegistry:
    """An ordered collection of tools; names are unique.

    A hidden tool is not described to the model, but can still be called: by a model that saw it
    elsewhere, or in an earlier iteration.
    """

    __slots__ = ("_hidden", "_tools")

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._hidden: set[str] = set()
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool, *, overwrite: bool = False) -> None:
        """Add a tool; raises `ToolAlreadyRegistered` on a clash, unless `overwrite` is set."""
        if not isinstance(tool, Tool):
            check = Checks()
            check.instance("tool", tool, Tool, "a Tool")
            check.done(InvalidInitialToolValue)
        if tool.name in self._tools and not overwrite:
            raise _clash(tool)
        self._tools[tool.name] = tool
        self._hidden.discard(tool.name)

    def unregister(self, name: str) -> None:
        """Remove a tool; an unknown name is ignored."""
        self._tools.pop(name, None)
        self._hidden.discard(name)

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name, or None."""
        return self._tools.get(name)

    def has(self, name: str) -> bool:
        """Return whether a tool of that name exists."""
        return name in self._tools

    def all(self) -> list[Tool]:
        """Return all tools in order of registration, hidden or not, as a new list."""
        return list(self._tools.values())

    def hide(self, *names: str) -> None:
        """Stop describing these tools to the model.

        Raises `InvalidInitialToolValue` for an unknown name.
        """
        _check_known(self._tools, names)
        self._hidden.update(names)

    def unhide(self, *names: str) -> None:
        """Describe these tools again; names that are not hidden are ignored."""
        self._hidden.difference_update(names)

    def set_hidden(self, names: Iterable[str]) -> None:
        """Hide exactly these tools and show all others; raises as `hide` does."""
        wanted = set(names)
        _check_known(self._tools, wanted)
        self._hidden = wanted

    def clear_hidden(self) -> None:
        """Describe every tool again."""
        self._hidden.clear()

    def visible(self) -> list[Tool]:
        """Return the tools that are described to the model, in order."""
        return [tool for name, tool in self._tools.items() if name not in self._hidden]

    def hidden(self) -> list[Tool]:
        """Return the tools that are not described to the model, in order."""
        return [tool for name, tool in self._tools.items() if name in self._hidden]

    def copy(self) -> ToolRegistry:
        """Return an independent registry of the same tools."""
        twin = ToolRegistry()
        twin._tools = self._tools.copy()
        twin._hidden = self._hidden.copy()
        return twin

    __copy__ = copy

    def prune_ephemeral(self) -> None:
        """Remove the tools that were meant for one dispatch."""
        if any(tool.ephemeral for tool in self._tools.values()):
            self._tools = {name: tool for name, tool in self._tools.items() if not tool.ephemeral}
            self._hidden.intersection_update(self._tools)

    def absorb(self, other: ToolRegistry, *, on_collision: CollisionPolicy = "throw") -> None:
        """Add the tools of another registry, hidden where they are hidden there.

        On a clash the incoming tool's `on_collision` decides; if that is 'throw', the option given
        here does. Raises `ToolAlreadyRegistered`.
        """
        _check_policy(on_collision)
        check = Checks()
        check.instance("registry", other, ToolRegistry, "a ToolRegistry")
        check.done(InvalidInitialToolValue)
        taken: list[Tool] = []
        for tool in other:
            policy = on_collision if tool.on_collision == "throw" else tool.on_collision
            if tool.name in self._tools and policy == "throw":
                raise _clash(tool)
            if tool.name not in self._tools or policy == "replace":
                taken.append(tool)
        for tool in taken:
            self.register(tool, overwrite=True)
        self._hidden.update(tool.name for tool in other.hidden() if tool in taken)

    @staticmethod
    def merge(
        registries: Iterable[ToolRegistry], *, on_collision: CollisionPolicy = "throw"
    ) -> ToolRegistry:
        """Return a new registry of all tools, from left to right; the given ones are unchanged."""
        _check_policy(on_collision)
        merged = ToolRegistry()
        for registry in registries:
            merged.absorb(registry, on_collision=on_collision)
        return merged

    def bind_context(self, ctx: DispatchContext) -> Callable[[], None]:
        """Prune the ephemeral tools on ack, never on nack; return an unsubscribe."""
        return ctx.on_ack(self.prune_ephemeral)

    def __iter__(self) -> Iterator[Tool]:
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools


def _clash(tool: Tool) -> ToolAlreadyRegistered:
    return ToolAlreadyRegistered(f"there is a tool named {tool.name!r} already")


def _check_policy(on_collision: CollisionPolicy) -> None:
    check = Checks()
    check.choice("on_collision", on_collision, COLLISION_POLICIES)
    check.done(InvalidInitialToolValue)


def _check_known(tools: dict[str, Tool], names: Iterable[str]) -> None:
    check = Checks()
    for name in names:
        if name not in tools:
            check.fail("hidden", f"there is no tool named {in_short(name)}")
    check.done(InvalidInitialToolValue)


def registry_field(check: Checks, path: str, tools: Iterable[Tool]) -> ToolRegistry:
    """Return a registry of the given tools; report objects that are not tools, and double names."""
    registry = ToolRegistry()
    for position, tool in enumerate(
        check.instances(path, tools, Tool, "a Tool (decorate the function with @tool)")
    ):
        if isinstance(tool, Tool) and registry.has(tool.name):
            check.fail(f"{path}[{position}]", f"there is a tool named {tool.name!r} before it")
        elif isinstance(tool, Tool):
            registry.register(tool)
    return registry
