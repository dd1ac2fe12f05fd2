"""Schemas: one description that checks a value and explains itself to a model.

The only module of the runtime that needs pydantic, and it loads it when the first schema is made:
loading costs more CPU than all of `import tether`.
"""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Annotated, Any, Protocol, cast

from tether.core.checks import in_short
from tether.core.errors import InvalidInitialToolValue, Problem, error_text
from tether.core.plain_data import copy_plain
from tether.runtime.errors import InvalidToolArgs, InvalidTurnGateResolution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pydantic import BaseModel, ValidationError


class ArgumentSchema(Protocol):
    """The schema of a tool's arguments."""

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema that a model is shown."""
        ...

    def validate(self, tool: str, raw: Mapping[str, Any]) -> Any:
        """Return the arguments in the form the handler expects; raises `InvalidToolArgs`."""
        ...


class ModelSchema:
    """Arguments described by a pydantic model.

    An unknown field, which pydantic ignores by default, is refused here: a language model that
    misspells an argument has to learn of it.
    """

    __slots__ = ("_known", "_refused", "model")

    def __init__(self, model: type[BaseModel]) -> None:
        from pydantic import ValidationError  # noqa: PLC0415  # see the module's docstring

        self.model = model
        self._refused = ValidationError
        self._known = None if _says_what_is_extra(model) else _names(model)

    def json_schema(self) -> dict[str, Any]:
        """Return the model's JSON Schema, without a reference at its root."""
        schema = self.model.model_json_schema()
        root = schema.pop("$ref", None)  # a recursive model is described by a reference
        if root is not None:
            schema = {**schema["$defs"][root.rpartition("/")[2]], **schema}
        return schema if self._known is None else {**schema, "additionalProperties": False}

    def validate(self, tool: str, raw: Mapping[str, Any]) -> BaseModel:
        """Return an instance of the model."""
        known = self._known
        unknown = [] if known is None else [str(name) for name in raw if name not in known]
        problems = [Problem(name, "Extra inputs are not permitted") for name in unknown]
        try:
            validated = self.model.model_validate(raw)
        except self._refused as error:
            raise InvalidToolArgs(tool, [*_problems(error), *problems]) from None
        if problems:
            raise InvalidToolArgs(tool, problems)
        return validated


class FunctionSchema:
    """Arguments described by the parameters of a function; validated into a plain dictionary.

    The pydantic model has neutral field names, with the parameters' names as aliases, so that a
    parameter may have any name: `json`, `copy` and `model_config` are reserved by pydantic.
    """

    __slots__ = ("_json", "_model", "_names")

    def __init__(
        self,
        name: str,
        parameters: Sequence[inspect.Parameter],
        descriptions: Mapping[str, str] | None = None,
    ) -> None:
        problems = [Problem(p.name, complaint) for p in parameters if (complaint := _complaint(p))]
        if problems:
            raise InvalidInitialToolValue(problems)
        self._names = {f"argument_{i}": p.name for i, p in enumerate(parameters)}
        self._model = ModelSchema(_model_of(name, parameters))
        try:
            self._json = self._model.json_schema()
        except Exception as error:
            raise InvalidInitialToolValue([Problem("handler", error_text(error))]) from error
        for parameter, text in (descriptions or {}).items():
            if (described := self._json["properties"].get(parameter)) is not None:
                described.setdefault("description", text)

    def json_schema(self) -> dict[str, Any]:
        """Return a copy of the JSON Schema, with the parameters' own names."""
        return cast("dict[str, Any]", copy_plain(self._json))

    def validate(self, tool: str, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments by name, ready to call the function with."""
        values = vars(self._model.validate(tool, raw))
        return {name: values[field] for field, name in self._names.items()}


def _says_what_is_extra(model: type[BaseModel]) -> bool:
    return "extra" in model.model_config or model.__pydantic_root_model__


def _names(model: type[BaseModel]) -> frozenset[str]:
    """Return all names and aliases of the fields."""
    names: set[str] = set()
    for name, field in model.model_fields.items():
        names |= {name, field.alias or name}
        alias = field.validation_alias
        for choice in getattr(alias, "choices", [alias]):
            names.add(str(getattr(choice, "path", [choice])[0]))
    return frozenset(names)


def is_model(value: object) -> bool:
    """Return whether an object is a pydantic model class."""
    from pydantic import BaseModel  # noqa: PLC0415

    return isinstance(value, type) and issubclass(value, BaseModel)


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters, annotations evaluated; raises `InvalidInitialToolValue`."""
    try:
        return list(inspect.signature(function, eval_str=True).parameters.values())
    except (AttributeError, NameError, SyntaxError, TypeError, ValueError) as error:
        unread = f"its annotations have to be readable where it is defined: {error}"
        raise InvalidInitialToolValue([Problem("handler", unread)]) from error


def type_validator(schema: Any) -> Callable[[Any], Any]:
    """Return a function that validates values of a type; it raises `InvalidTurnGateResolution`.

    Raises `ValueError` if the type has no schema.
    """
    from pydantic import (  # noqa: PLC0415
        PydanticSchemaGenerationError,
        PydanticUserError,
        TypeAdapter,
        ValidationError,
    )

    unfit = ValueError(f"must be a type or have a validate method, not {in_short(schema)}")
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(schema)
    except (PydanticSchemaGenerationError, PydanticUserError):
        raise unfit from None
    if not adapter.pydantic_complete:
        raise unfit

    def validate(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            raise InvalidTurnGateResolution(_problems(error)) from None

    return validate


def to_json_text(value: Any, *, indent: int | None = None) -> str:
    """Return any value as JSON text: models, dataclasses, sets and times too.

    Raises `ValueError` for a value without a JSON form.
    """
    from pydantic_core import PydanticSerializationError, to_jsonable_python  # noqa: PLC0415

    try:
        plain = to_jsonable_python(value)
        return json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=indent)
    except (PydanticSerializationError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"has no JSON form: {error_text(error)}") from error


def _model_of(name: str, parameters: Sequence[inspect.Parameter]) -> type[BaseModel]:
    from pydantic import (  # noqa: PLC0415
        ConfigDict,
        Field,
        PydanticSchemaGenerationError,
        PydanticUserError,
        create_model,
    )
    from pydantic.fields import FieldInfo  # noqa: PLC0415

    fields: dict[str, Any] = {}
    for position, p in enumerate(parameters):
        annotation, default = p.annotation, ... if p.default is p.empty else p.default
        if isinstance(default, FieldInfo):  # `x: int = Field(default=3, ge=1)`
            annotation, default = Annotated[annotation, default], default.get_default()
        fields[f"argument_{position}"] = (annotation, Field(default, alias=p.name))
    try:
        return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        raise InvalidInitialToolValue([Problem("handler", error_text(error))]) from error


def _complaint(parameter: inspect.Parameter) -> str | None:
    if parameter.kind in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
        parameter.POSITIONAL_ONLY,
    ):
        return "must be an ordinary named parameter"
    if parameter.annotation is parameter.empty:
        return "needs a type annotation: it becomes the schema the model sees"
    return None


def _problems(error: ValidationError) -> Iterable[Problem]:
    for entry in error.errors(include_url=False, include_context=False, include_input=False):
        path = ".".join(str(part) for part in cast("tuple[object, ...]", entry["loc"]))
        yield Problem(path or "value", entry["msg"])
