"""The options that all executors over a wire share, and how three layers of them become one.

Fields of `ModelOptions` control the executor and never reach a request. A wire's own options are a
subclass: every field that it adds is a field of the request's body, except those that it names in
`CONTROL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from tether.core.checks import in_short
from tether.core.errors import Problem
from tether.trust.nonces import Nonces
from tether.trust.prompt import BUCKETS, Bucket
from tether.trust.settings import STASH_KEYS, FallbackStash, ThoughtSurfacing, UnsupportedMedia

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
        allow_inf_nan=False,
        hide_input_in_errors=True,
        protected_namespaces=(),
    )

    CONTROL: ClassVar[frozenset[str]] = frozenset()
    """Fields of a subclass that control it too, and stay out of the request's body."""

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

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, url: str | None) -> str | None:
        if url is not None and not _is_http(url):
            raise ValueError("must be an address such as https://api.example.org/v1")
        return url

    @field_validator("api_key")
    @classmethod
    def _fits_a_header(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and not _is_header_text(key.get_secret_value()):
            raise ValueError("must be ASCII without line breaks: is it the whole line of a file?")
        return key

    @field_validator("headers")
    @classmethod
    def _can_be_sent(cls, headers: dict[str, str]) -> dict[str, str]:
        odd = [name for name, value in headers.items() if not _is_header(name, value)]
        if odd:
            raise ValueError(f"must be ASCII without line breaks: {in_short(odd)}")
        return headers

    def key(self) -> str:
        """Return the secret itself; empty where there is none."""
        return self.api_key.get_secret_value() if self.api_key else ""

    def endpoint(self, default: str, path: str) -> str:
        """Return the address of one operation below the base address, whose query is kept."""
        base = urlsplit(self.base_url or default)
        return base._replace(path=base.path.rstrip("/") + path, fragment="").geturl()

    def body_fields(self) -> dict[str, Any]:
        """Return the fields of the request: the subclass's own, where they are set."""
        kept = type(self).model_fields.keys() - ModelOptions.model_fields.keys() - self.CONTROL
        given = self.model_dump(include=set(kept), exclude_none=True, mode="json")
        return {name: given[name] for name in type(self).model_fields if name in given}


def merged_options(
    kind: type[O], layers: Sequence[Mapping[str, Any]], error: type[InvalidModelOptions]
) -> O:
    """Return the options that the layers make together, the later over the earlier.

    Headers, retry settings and rendering steps are merged key by key; anything else is replaced.
    None takes an option, or such a key, back to its default. Raises `error` with every problem; a
    secret is never shown in it.
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        if not isinstance(layer, Mapping):
            refused = f"must be a dictionary of options, not a {type(layer).__name__}"
            raise error([Problem("", refused)])
        for name, value in layer.items():
            both = name in MERGED_BY_KEY and isinstance(value, (Mapping, RetryOptions))
            merged[name] = _both(merged.get(name), value) if both else value
    given = {name: value for name, value in merged.items() if value is not None}
    try:
        return kind.model_validate(_lenient(given))
    except ValidationError as invalid:
        faults = invalid.errors(include_url=False, include_input=False)
        raise error(_problem(fault) for fault in faults) from None


def _both(below: object, above: object) -> dict[str, Any]:
    """Return two layers of one option; names of headers are the same in any case."""
    over = _keys(above)
    names = {str(name).lower() for name in over}
    kept = {name: value for name, value in _keys(below).items() if str(name).lower() not in names}
    return {name: value for name, value in (kept | dict(over)).items() if value is not None}


def _keys(value: object) -> Mapping[str, Any]:
    if isinstance(value, RetryOptions):
        return value.model_dump(exclude_unset=True)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _lenient(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with what Python writes in several ways written in the strict one."""
    return {name: _STRICT.get(name, _as_given)(value) for name, value in options.items()}


def _as_given(value: Any) -> Any:
    return value


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _secret(value: Any) -> Any:
    return SecretStr(value) if isinstance(value, str) else value


def _retry(value: Any) -> Any:
    if isinstance(value, Mapping) and isinstance(value.get("retriable_statuses"), (list, set)):
        return {**value, "retriable_statuses": tuple(value["retriable_statuses"])}
    return value


def _policy(value: Any) -> Any:
    if isinstance(value, Mapping) and value.get("mode") == "fallback-stash":
        keys = value.get("stash_keys", STASH_KEYS)
        return FallbackStash(tuple(keys)) if isinstance(keys, (list, tuple)) else value
    return value


_STRICT: dict[str, Callable[[Any], Any]] = {
    "api_key": _secret,
    "bucket_order": _tuple,
    "replay_compatibility": _tuple,
    "reasoning_field_precedence": _tuple,
    "retry": _retry,
    "unsupported_media": _policy,
}


def _problem(fault: Mapping[str, Any]) -> Problem:
    path = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return Problem(path, "is no option")
    return Problem(path, str(fault["msg"]).removeprefix("Value error, "))


def _is_http(url: str) -> bool:
    if not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_header_text(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _is_header(name: str, value: str) -> bool:
    return bool(name) and " " not in name and _is_header_text(name) and _is_header_text(value)
