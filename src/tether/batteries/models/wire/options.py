"""The options that all executors over a wire share, and how three layers of them become one.

Fields of `ModelOptions` control the executor and never reach a request. A wire's own options are a
subclass: every field that it adds is a field of the request's body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from tether.core.checks import in_short
from tether.core.errors import Problem
from tether.trust.nonces import Nonces
from tether.trust.prompt import BUCKETS, Bucket
from tether.trust.settings import FallbackStash, ThoughtSurfacing, UnsupportedMedia

if TYPE_CHECKING:
    from tether.core.errors import InvalidModelOptions

Milliseconds = Annotated[int, Field(ge=0, le=86_400_000)]
"""A limit of time; 0 is no limit."""

Text = Annotated[str, Field(min_length=1)]
MERGED_BY_KEY = ("headers", "retry", "steps")
KIBI, MEBI = 1 << 10, 1 << 20

O = TypeVar("O", bound="ModelOptions")  # noqa: E741  # an options class


class RetryOptions(BaseModel):
    """How often and how patiently a request is made again, before any byte of a reply was used.

    Off unless `max_attempts` is more than 1. The wait doubles from `base_delay_ms` up to
    `max_delay_ms`, give or take a tenth; an endpoint's Retry-After can make it longer, up to the
    same limit.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    max_attempts: Annotated[int, Field(ge=1, le=20)] = 1
    base_delay_ms: Milliseconds = 500
    max_delay_ms: Milliseconds = 30_000
    retriable_statuses: tuple[Annotated[int, Field(ge=400, le=599)], ...] = (429, 502, 503, 504)
    honor_retry_after: bool = True


class ModelOptions(BaseModel):
    """What controls an executor. Unknown names are refused."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        arbitrary_types_allowed=True,
        protected_namespaces=(),
    )

    model: Text
    api_key: SecretStr | None = None
    base_url: Text | None = None
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    stream: bool = True
    stream_idle_timeout_ms: Milliseconds = 0
    request_timeout_ms: Milliseconds = 0
    connect_timeout_ms: Milliseconds = 10_000
    max_response_bytes: Annotated[int, Field(ge=1)] = 64 * MEBI
    max_line_bytes: Annotated[int, Field(ge=KIBI)] = 16 * MEBI
    max_tool_calls: Annotated[int, Field(ge=1)] = 128
    retry: RetryOptions = RetryOptions()
    self_identity: Text = "assistant"
    bucket_order: tuple[Bucket, ...] = BUCKETS
    thought_surfacing: ThoughtSurfacing = "all-self"
    replay_compatibility: tuple[str, ...] = ()
    unsupported_media: UnsupportedMedia = "throw"
    steps: dict[str, Callable[..., Any]] = Field(default_factory=dict[str, Callable[..., Any]])
    nonces: Nonces | None = None
    token_encoding: Text | None = None
    context_window: Annotated[int, Field(ge=1)] | None = None
    auto_ack: bool = False
    strict_tool_choice: bool = False

    def body_fields(self) -> dict[str, Any]:
        """Return the fields of the request: the subclass's own, where they are set."""
        own = type(self).model_fields.keys() - ModelOptions.model_fields.keys()
        given = self.model_dump(include=set(own), exclude_none=True, mode="json")
        return {name: given[name] for name in type(self).model_fields if name in given}


def merged_options(
    kind: type[O], layers: Sequence[Mapping[str, Any]], error: type[InvalidModelOptions]
) -> O:
    """Return the options that the layers make together, the later over the earlier.

    Headers, retry settings and rendering steps are merged key by key; anything else is replaced.
    None means "as below". Raises `error` with every problem; a secret is never shown in it.
    """
    merged: dict[str, Any] = {}
    problems: list[Problem] = []
    for layer in layers:
        if not isinstance(layer, Mapping):
            problems.append(Problem("", f"must be a dictionary of options, not {in_short(layer)}"))
            continue
        for name, value in layer.items():
            if value is None:
                continue
            both = name in MERGED_BY_KEY and isinstance(value, (Mapping, RetryOptions))
            merged[name] = {**_keys(merged.get(name)), **_keys(value)} if both else value
    if problems:
        raise error(problems)
    try:
        return kind.model_validate(_lenient(merged))
    except ValidationError as invalid:
        raise error(_problem(fault) for fault in invalid.errors(include_url=False)) from None


def _keys(value: object) -> Mapping[str, Any]:
    if isinstance(value, RetryOptions):
        return value.model_dump(exclude_unset=True)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _lenient(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with what Python writes in several ways written in the strict one."""
    lenient = {
        name: tuple(value) if isinstance(value, list) and name in _TUPLES else value
        for name, value in options.items()
    }
    key = lenient.get("api_key")
    if isinstance(key, str):
        lenient["api_key"] = SecretStr(key)
    statuses = lenient.get("retry", {})
    if isinstance(statuses, dict) and isinstance(statuses.get("retriable_statuses"), (list, set)):
        lenient["retry"] = {
            **statuses,
            "retriable_statuses": tuple(sorted(statuses["retriable_statuses"])),
        }
    policy = lenient.get("unsupported_media")
    if isinstance(policy, Mapping) and policy.get("mode") == "fallback-stash":
        lenient["unsupported_media"] = FallbackStash(tuple(policy.get("stash_keys", ())))
    return lenient


_TUPLES = ("bucket_order", "replay_compatibility")


def _problem(fault: Mapping[str, Any]) -> Problem:
    path = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return Problem(path, "is no option")
    return Problem(path, str(fault["msg"]))
