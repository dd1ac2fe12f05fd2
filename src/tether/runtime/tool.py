"""Tools: what a model may ask for, described and checked by one schema."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast, get_args, overload

from tether.core.canonical import tool_checksum
from tether.core.checks import Checks, freeze, has_methods, refuses_with
from tether.core.copying import copy_plain
from tether.core.errors import (
    InvalidInitialToolValue,
    InvalidToolArgs,
    Problem,
    ToolDownstreamError,
)
from tether.core.events import ToolExecutionEnd, ToolExecutionStart
from tether.core.registry import Registry
from tether.runtime.abort import is_abort
from tether.runtime.clock import Stopwatch
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.schema import ModelSchema, is_model, model_from_function, parameters_of

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tether.runtime.schema import ArgumentSchema

CollisionPolicy = Literal["throw", "replace", "keep"]
COLLISION_POLICIES: tuple[CollisionPolicy, ...] = get_args(CollisionPolicy)

ToolOutput = Any
"""What a handler returns: text or bytes, which become an artifact; `Media`, or a list of it, which
is passed on; anything else is written down as JSON by the executor that runs the tool."""

Handler = Callable[[Any, DispatchContext, Registry], ToolOutput | Awaitable[ToolOutput]]
"""Receives the validated arguments, the live context and the tool's metadata."""


@refuses_with(InvalidInitialToolValue)
class Tool:
    """A name, a description and a schema for the model; a handler it never sees.

    `schema` is a pydantic model, or anything with the two methods of `ArgumentSchema`. `trusted`
    says that the text it returns may be believed; `ephemeral` that it goes with the dispatch;
    `on_collision` what happens when registries with equal names are merged. `meta` is for
    middlewares. Raises `InvalidInitialToolValue`, naming everything that is wrong.
    """

    __slots__ = (
        "_handler",
        "description",
        "ephemeral",
        "meta",
        "name",
        "on_collision",
        "schema",
        "trusted",
    )

    name: str
    description: str
    schema: ArgumentSchema
    meta: Registry
    trusted: bool
    ephemeral: bool
    on_collision: CollisionPolicy
    _handler: Handler

    def __init__(
        self,
        *,
        name: str,
        description: str,
        schema: type[BaseModel] | ArgumentSchema,
        handler: Handler,
        meta: Mapping[str, Any] | None = None,
        trusted: bool = False,
        ephemeral: bool = False,
        on_collision: CollisionPolicy = "throw",
    ) -> None:
        check = Checks()
        freeze(
            self,
            name=check.identifier("name", name),
            description=_description(check, description),
            schema=_schema(check, schema),
            _handler=check.function("handler", handler),
            meta=check.made("meta", Registry, meta),
            trusted=check.flag("trusted", trusted),
            ephemeral=check.flag("ephemeral", ephemeral),
            on_collision=check.choice("on_collision", on_collision, COLLISION_POLICIES),
        )
        check.done(InvalidInitialToolValue)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a tool cannot be changed: {name!r} is set when it is made")

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    def describe(self) -> dict[str, Any]:
        """Return what a model is told: name, description and the JSON Schema of the arguments."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.schema.json_schema(),
        }

    def executor(
        self, ctx: DispatchContext
    ) -> Callable[[Mapping[str, Any]], Awaitable[ToolOutput]]:
        """Return the only way to the handler: checked arguments, two events, wrapped errors."""
        return partial(self._execute, ctx)

    async def _execute(self, ctx: DispatchContext, raw: Mapping[str, Any]) -> ToolOutput:
        """Run one call.

        Raises `InvalidToolArgs` before any event and without touching the handler, and
        `ToolDownstreamError` for what the handler raises. An abort is passed on unwrapped.
        """
        try:
            call_id = tool_checksum(self.name, raw)
        except (TypeError, ValueError) as error:
            raise InvalidToolArgs(self.name, [Problem("args", str(error))]) from None
        arguments = self.schema.validate(self.name, raw)
        watch = Stopwatch(ctx.clock)
        where = (ctx.turn_id, ctx.id, ctx.iteration, call_id, self.name)
        ctx.record(ToolExecutionStart(*where, _shown(arguments), watch.started_at))
        is_error = True
        try:
            output = self._handler(arguments, ctx, self.meta)
            if inspect.isawaitable(output):
                output = await output
            is_error = False
        except Exception as error:
            if is_abort(error, ctx.abort_signal):
                raise
            message = f"the tool {self.name!r} failed: {error}"
            raise ToolDownstreamError(message, cause=error) from error
        finally:
            ctx.record(ToolExecutionEnd(*where, is_error, *watch.read()))
        return output


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
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
    meta: Mapping[str, Any] | None = None,
    trusted: bool = False,
    ephemeral: bool = False,
    on_collision: CollisionPolicy = "throw",
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a typed function: its name, docstring and annotations are what the model sees.

    A parameter annotated `DispatchContext` receives the live context and is not shown to the model.
    Usable bare or with options. Raises `InvalidInitialToolValue`.
    """

    def make(function: Callable[..., Any]) -> Tool:
        injected = _context_parameters(function)
        return Tool(
            name=name or function.__name__,
            description=description or inspect.getdoc(function) or "",
            schema=model_from_function(function, injected),
            handler=_spread(function, injected),
            meta=meta,
            trusted=trusted,
            ephemeral=ephemeral,
            on_collision=on_collision,
        )

    return make if function is None else make(function)


def _context_parameters(function: Callable[..., Any]) -> frozenset[str]:
    return frozenset(p.name for p in parameters_of(function) if p.annotation is DispatchContext)


def _spread(function: Callable[..., Any], injected: frozenset[str]) -> Handler:
    """Turn `function(**arguments)` into a handler of one arguments value."""

    if not injected:
        return lambda arguments, _ctx, _meta: function(**vars(arguments))

    def call(arguments: Any, ctx: DispatchContext, _meta: Registry) -> Any:
        return function(**vars(arguments), **dict.fromkeys(injected, ctx))

    return call


def _shown(arguments: Any) -> dict[str, Any]:
    """Return a copy for the observers, who must not be able to change what the handler gets."""
    given = arguments if isinstance(arguments, Mapping) else vars(arguments)
    return {name: copy_plain(value) for name, value in given.items()}


def _description(check: Checks, description: str) -> str:
    text = check.line("description", description)
    if text is None or (isinstance(text, str) and not text.strip()):
        check.fail("description", "must not be empty: the model chooses by it")
    return text or ""


def _schema(check: Checks, schema: Any) -> ArgumentSchema:
    if has_methods(schema, "json_schema", "validate"):
        return cast("ArgumentSchema", schema)
    if is_model(schema):
        return ModelSchema(schema)
    check.refuse("schema", schema, "a pydantic model class")
    return cast("ArgumentSchema", schema)
