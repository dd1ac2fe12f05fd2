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
    error_text,
)
from tether.core.events import ToolExecutionEnd, ToolExecutionStart
from tether.core.registry import Registry
from tether.runtime.abort import is_abort
from tether.runtime.clock import Stopwatch
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.schema import FunctionSchema, ModelSchema, is_model, parameters_of

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
        _refuse_generator(handler)
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

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a tool cannot be changed: {name!r} stays")

    def __copy__(self) -> Tool:
        return self

    def __deepcopy__(self, memo: object) -> Tool:
        return self

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
        call_id, arguments, shown = self._accept(raw)
        watch = Stopwatch(ctx.clock)
        where = (ctx.turn_id, ctx.id, ctx.iteration, call_id, self.name)
        ctx.record(ToolExecutionStart(*where, shown, watch.started_at))
        is_error = True
        try:
            output = self._handler(arguments, ctx, self.meta)
            if inspect.isawaitable(output):
                output = await output
            is_error = False
        except Exception as error:
            if is_abort(error, ctx.abort_signal):
                raise
            message = f"the tool {self.name!r} failed: {error_text(error)}"
            raise ToolDownstreamError(message, cause=error) from error
        finally:
            ctx.record(ToolExecutionEnd(*where, is_error, *watch.read()))
        return output

    def _accept(self, raw: Mapping[str, Any]) -> tuple[str, Any, dict[str, Any]]:
        """Return the checksum, the arguments for the handler, and a copy for the observers."""
        try:
            call_id = tool_checksum(self.name, raw)
            arguments = self.schema.validate(self.name, raw)
            return call_id, arguments, _shown(arguments)
        except InvalidToolArgs:
            raise
        except RecursionError:
            problem = Problem("args", "is nested too deeply")
        except Exception as error:  # noqa: BLE001  # somebody else's validation
            problem = Problem("args", error_text(error))
        raise InvalidToolArgs(self.name, [problem])


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
        label = name or getattr(function, "__name__", None)
        if not callable(function) or label is None:
            hint = 'decorate a function: @tool or @tool(name="…")'
            raise InvalidInitialToolValue([Problem("function", hint)])
        parameters = parameters_of(function)
        injected = frozenset(p.name for p in parameters if _wants_context(p.annotation))
        shown = [p for p in parameters if p.name not in injected]
        return Tool(
            name=label,
            description=description or inspect.getdoc(function) or "",
            schema=FunctionSchema(label, shown),
            handler=_spread(function, injected),
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
    _refuse_generator(function)

    def call(arguments: dict[str, Any], ctx: DispatchContext, _meta: Registry) -> Any:
        return function(**arguments, **dict.fromkeys(injected, ctx))

    return call


def _refuse_generator(function: object) -> None:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        problem = "must return its result: a function that yields would never run"
        raise InvalidInitialToolValue([Problem("handler", problem)])


def _shown(arguments: Any) -> dict[str, Any]:
    """Return a copy for the observers, who must not be able to change what the handler gets."""
    if isinstance(arguments, Mapping):
        given = arguments
    elif hasattr(arguments, "__dict__"):
        given = {**vars(arguments), **(getattr(arguments, "model_extra", None) or {})}
    else:
        given = {"value": arguments}
    return {name: copy_plain(value) for name, value in given.items()}


def _description(check: Checks, description: str) -> str:
    text = check.line("description", description)
    if text is None or (isinstance(text, str) and not text.strip()):
        check.fail("description", "must not be empty: the model chooses by it")
    return text or ""


def _schema(check: Checks, schema: Any) -> ArgumentSchema:
    if has_methods(schema, "json_schema", "validate"):
        made = cast("ArgumentSchema", schema)
    elif is_model(schema):
        made = ModelSchema(schema)
    else:
        check.refuse("schema", schema, "a pydantic model class")
        return cast("ArgumentSchema", schema)
    if not _describes_an_object(made):
        check.fail("schema", "must describe an object: a tool's arguments have names")
    return made


def _describes_an_object(schema: ArgumentSchema) -> bool:
    try:
        return schema.json_schema().get("type") == "object"
    except Exception:  # noqa: BLE001  # a schema that cannot describe itself describes no object
        return False
