"""Tools that a model may call, described and checked by one schema."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from tether.core.artifact import SpooledArtifact
from tether.core.checks import Checks, freeze, has_methods, refuses_with
from tether.core.errors import InputRefused, InvalidInitialToolValue, Problem, error_text
from tether.core.events import ToolExecutionEnd, ToolExecutionStart
from tether.core.plain_data import copy_plain, tool_checksum
from tether.core.registry import Registry
from tether.core.tokenizable import Tokenizable
from tether.runtime.abort import is_abort
from tether.runtime.clock import Stopwatch
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError
from tether.runtime.schema import ModelSchema, is_model

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tether.runtime.schema import ArgumentSchema

CollisionPolicy = Literal["throw", "replace", "keep"]
COLLISION_POLICIES: tuple[CollisionPolicy, ...] = get_args(CollisionPolicy)

ToolOutput = Any
"""A handler's result: text or bytes, which become an artifact; `Media`, or a list of it, which is
passed on; the executor that runs the tool turns anything else into JSON."""

ArtifactConstructor = type[SpooledArtifact] | Callable[[], type[SpooledArtifact]]
"""A class of artifact, or a function without parameters that returns one."""

TextOutput = str | Tokenizable
"""The result of a tool that reads artifacts."""

Handler = Callable[[Any, DispatchContext, Registry], ToolOutput | Awaitable[ToolOutput]]
"""Receives the validated arguments, the live context and the tool's metadata."""


@refuses_with(InvalidInitialToolValue)
class Tool:
    """A name, a description and a schema for the model; a handler it never sees.

    `schema` is a pydantic model, or anything with the two methods of `ArgumentSchema`. `trusted`
    marks its text as trusted; an `ephemeral` tool is removed with the dispatch; `on_collision`
    decides when registries with equal names are merged. `meta` is for
    middlewares. `artifact_constructor` is the class of artifact that its text becomes, or a
    function that returns it, for a class that is defined later; it is resolved here. Raises
    `InvalidInitialToolValue`, with all problems.
    """

    __slots__ = (
        "_handler",
        "artifact_constructor",
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
    artifact_constructor: type[SpooledArtifact] | None
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
        artifact_constructor: ArtifactConstructor | None = None,
        meta: Mapping[str, Any] | None = None,
        trusted: bool = False,
        ephemeral: bool = False,
        on_collision: CollisionPolicy = "throw",
    ) -> None:
        check = Checks()
        refuse_generator(handler)
        freeze(
            self,
            name=check.tool_name("name", name),
            description=_description(check, description),
            schema=_schema(check, schema),
            _handler=check.function("handler", handler),
            artifact_constructor=_artifact_class(check, artifact_constructor),
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
        return f"{type(self).__name__}({self.name!r})"

    def describe(self) -> dict[str, Any]:
        """Return the description for a model: name, text and JSON Schema of the arguments."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.schema.json_schema(),
        }

    def wrapped(self, around: Callable[[Handler], Handler]) -> Tool:
        """Return the same tool with another handler around its own.

        Use it to add work right where a tool acts: asking a person, counting, caching. The wrapped
        handler receives checked arguments. Raises `InvalidInitialToolValue` if `around` does not
        return a handler.
        """
        check = Checks()
        handler = check.function("around", around(self._handler))
        refuse_generator(handler)
        check.done(InvalidInitialToolValue)
        twin = type(self).__new__(type(self))
        freeze(twin, **{**_state(self), "_handler": handler})
        return twin

    def executor(
        self, ctx: DispatchContext
    ) -> Callable[[Mapping[str, Any]], Awaitable[ToolOutput]]:
        """Return the only access to the handler: checked arguments, two events, wrapped errors."""
        return partial(self._execute, ctx)

    async def _execute(self, ctx: DispatchContext, raw: Mapping[str, Any]) -> ToolOutput:
        """Run one call.

        Raises `InvalidToolArgs` before any event and without calling the handler, and
        `ToolDownstreamError` for an error of the handler. An abort is passed on unwrapped.
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
            said = error.message if isinstance(error, InputRefused) else error_text(error)
            message = f"the tool {self.name!r} failed: {said}"
            raise ToolDownstreamError(message, cause=error) from error
        finally:
            ctx.record(ToolExecutionEnd(*where, is_error, *watch.read()))
        return output

    def _accept(self, raw: Mapping[str, Any]) -> tuple[str, Any, dict[str, Any]]:
        """Return the checksum, the arguments for the handler, and a copy for the observers."""
        try:
            call_id = tool_checksum(self.name, raw)
            arguments = self.schema.validate(self.name, raw)
            return call_id, arguments, shown_arguments(arguments)
        except InvalidToolArgs:
            raise
        except RecursionError:
            problem = Problem("args", "is nested too deeply")
        except Exception as error:  # noqa: BLE001  # foreign validation
            problem = Problem("args", error_text(error))
        raise InvalidToolArgs(self.name, [problem])


@refuses_with(InvalidInitialToolValue)
class ArtifactTool(Tool):
    """A tool that reads artifacts: its result is text for the model, not another artifact.

    Otherwise reading would produce ever more artifacts. Records of its calls are marked, and no
    reader tools are made for them. `forge_tools` makes these; you can register your own as well.
    """

    __slots__ = ()

    def __init__(
        self,
        *,
        name: str,
        description: str,
        schema: type[BaseModel] | ArgumentSchema,
        handler: Callable[[Any, DispatchContext, Registry], TextOutput | Awaitable[TextOutput]],
        meta: Mapping[str, Any] | None = None,
        trusted: bool = False,
        ephemeral: bool = False,
        on_collision: CollisionPolicy = "throw",
    ) -> None:
        super().__init__(
            name=name,
            description=description,
            schema=schema,
            handler=handler,
            meta=meta,
            trusted=trusted,
            ephemeral=ephemeral,
            on_collision=on_collision,
        )


def refuse_generator(function: object) -> None:
    """Raise `InvalidInitialToolValue` for a function that yields instead of returning."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        problem = "must return its result: a function that yields would never run"
        raise InvalidInitialToolValue([Problem("handler", problem)])


def shown_arguments(arguments: Any) -> dict[str, Any]:
    """Return a copy for the observers, who must not be able to change the handler's arguments."""
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


def _artifact_class(
    check: Checks, given: ArtifactConstructor | None
) -> type[SpooledArtifact] | None:
    """Return the class, calling a function for it; report anything but an artifact class."""
    found: object = given
    if given is not None and not isinstance(given, type):
        try:
            found = given() if callable(given) else given
        except Exception as error:  # noqa: BLE001  # a foreign function
            check.fail("artifact_constructor", f"failed when it was called: {error_text(error)}")
            return None
    if found is None and given is None:
        return None
    if isinstance(found, type) and issubclass(found, SpooledArtifact):
        return found
    check.refuse(
        "artifact_constructor", found, "a SpooledArtifact class, or a function returning one"
    )
    return None


def _state(tool: Tool) -> dict[str, Any]:
    """Return all attributes of a tool, including those of a subclass."""
    slots = [name for kind in type(tool).__mro__ for name in getattr(kind, "__slots__", ())]
    set_slots = {name: getattr(tool, name) for name in slots if hasattr(tool, name)}
    return {**set_slots, **getattr(tool, "__dict__", {})}


def _describes_an_object(schema: ArgumentSchema) -> bool:
    try:
        return schema.json_schema().get("type") == "object"
    except Exception:  # noqa: BLE001  # a schema that cannot describe itself describes no object
        return False
