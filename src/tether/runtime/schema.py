"""Schemas: one description that checks a value and explains itself to a model.

The only module of the runtime that needs pydantic, and it loads it when the first schema is made:
loading costs more CPU than all of `import tether`.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Protocol, cast

from tether.core.errors import (
    InvalidInitialToolValue,
    InvalidToolArgs,
    InvalidTurnGateResolution,
    Problem,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from pydantic import BaseModel, ValidationError


class ArgumentSchema(Protocol):
    """What a tool asks of its arguments."""

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema that a model is shown."""
        ...

    def validate(self, tool: str, raw: Mapping[str, Any]) -> Any:
        """Return the arguments in the form the handler wants; raise `InvalidToolArgs`."""
        ...


class ModelSchema:
    """Arguments described by a pydantic model."""

    __slots__ = ("_refused", "model")

    def __init__(self, model: type[BaseModel]) -> None:
        from pydantic import ValidationError  # noqa: PLC0415  # see the module's docstring

        self.model = model
        self._refused = ValidationError

    def json_schema(self) -> dict[str, Any]:
        """Return the model's JSON Schema."""
        return self.model.model_json_schema()

    def validate(self, tool: str, raw: Mapping[str, Any]) -> BaseModel:
        """Return an instance of the model."""
        try:
            return self.model.model_validate(raw)
        except self._refused as error:
            raise InvalidToolArgs(tool, _problems(error)) from None


def is_model(value: object) -> bool:
    """Say whether something is a pydantic model class."""
    from pydantic import BaseModel  # noqa: PLC0415

    return isinstance(value, type) and issubclass(value, BaseModel)


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return a function's parameters, annotations read; raise `InvalidInitialToolValue`."""
    try:
        return list(inspect.signature(function, eval_str=True).parameters.values())
    except (NameError, TypeError, ValueError) as error:
        unread = f"its annotations have to be readable where it is defined: {error}"
        raise InvalidInitialToolValue([Problem("handler", unread)]) from error


def model_from_function(function: Callable[..., Any], skip: Collection[str]) -> type[BaseModel]:
    """Return a model with one field per parameter; unknown arguments are refused.

    Raises `InvalidInitialToolValue`, naming every parameter that cannot be a field.
    """
    from pydantic import ConfigDict, PydanticSchemaGenerationError, create_model  # noqa: PLC0415

    shown = [parameter for parameter in parameters_of(function) if parameter.name not in skip]
    problems = [Problem(p.name, complaint) for p in shown if (complaint := _complaint(p))]
    if problems:
        raise InvalidInitialToolValue(problems)
    fields: dict[str, Any] = {
        p.name: (p.annotation, ... if p.default is p.empty else p.default) for p in shown
    }
    try:
        return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    except PydanticSchemaGenerationError as error:
        raise InvalidInitialToolValue([Problem("handler", str(error))]) from error


def type_validator(schema: Any) -> Callable[[Any], Any]:
    """Return a function that fits a value to a type; it raises `InvalidTurnGateResolution`.

    Raises `InvalidInitialToolValue` itself if no schema can be made of the type.
    """
    from pydantic import (  # noqa: PLC0415
        PydanticSchemaGenerationError,
        PydanticUserError,
        TypeAdapter,
        ValidationError,
    )

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(schema)
    except (PydanticSchemaGenerationError, PydanticUserError):
        raise InvalidInitialToolValue(
            [Problem("schema", f"must be a type or have a validate method, not {schema!r}")]
        ) from None

    def validate(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            raise InvalidTurnGateResolution(_problems(error)) from None

    return validate


def _complaint(parameter: inspect.Parameter) -> str | None:
    if parameter.kind in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
        parameter.POSITIONAL_ONLY,
    ):
        return "must be an ordinary named parameter"
    if parameter.annotation is parameter.empty:
        return "needs a type annotation: it becomes the schema the model sees"
    if parameter.name.startswith("_"):
        return "must not start with an underscore"
    return None


def _problems(error: ValidationError) -> Iterable[Problem]:
    for entry in error.errors(include_url=False, include_context=False, include_input=False):
        path = ".".join(str(part) for part in cast("tuple[object, ...]", entry["loc"]))
        yield Problem(path or "value", entry["msg"])
