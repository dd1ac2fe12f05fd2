"""Tools from typed functions."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, get_args, overload

from tether.core.errors import InvalidInitialToolValue, Problem
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.docstrings import read_docstring
from tether.runtime.schema import FunctionSchema, parameters_of
from tether.runtime.tool import Tool, refuse_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tether.core.registry import Registry
    from tether.runtime.tool import ArtifactConstructor, CollisionPolicy, Handler


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    artifact_constructor: ArtifactConstructor | None = None,
    meta: Mapping[str, Any] | None = None,
    trusted: bool = False,
    ephemeral: bool = False,
    on_collision: CollisionPolicy = "throw",
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    artifact_constructor: ArtifactConstructor | None = None,
    meta: Mapping[str, Any] | None = None,
    trusted: bool = False,
    ephemeral: bool = False,
    on_collision: CollisionPolicy = "throw",
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool from a typed function: the model sees its name, docstring and annotations.

    Parameters that the docstring describes (Google, NumPy or Sphinx style) get these descriptions.
    A parameter annotated `DispatchContext` receives the live context and is not shown to the model.
    Usable bare or with options. Raises `InvalidInitialToolValue`.
    """

    def make(function: Callable[..., Any]) -> Tool:
        label = getattr(function, "__name__", None) if name is None else name
        if not callable(function) or label is None:
            hint = 'decorate a function: @tool or @tool(name="…")'
            raise InvalidInitialToolValue([Problem("function", hint)])
        parameters = parameters_of(function)
        injected = frozenset(p.name for p in parameters if _wants_context(p.annotation))
        shown = [p for p in parameters if p.name not in injected]
        said = read_docstring(inspect.getdoc(function) or "")
        return Tool(
            name=label,
            description=said.summary if description is None else description,
            schema=FunctionSchema(label, shown, said.parameters),
            handler=_spread(function, injected),
            artifact_constructor=artifact_constructor,
            meta=meta,
            trusted=trusted,
            ephemeral=ephemeral,
            on_collision=on_collision,
        )

    return make if function is None else make(function)


def _wants_context(annotation: Any) -> bool:
    return annotation is DispatchContext or DispatchContext in get_args(annotation)


def _spread(function: Callable[..., Any], injected: frozenset[str]) -> Handler:
    """Turn `function(**arguments)` into a handler of one arguments value."""
    refuse_generator(function)

    def call(arguments: dict[str, Any], ctx: DispatchContext, _meta: Registry) -> Any:
        return function(**arguments, **dict.fromkeys(injected, ctx))

    return call
