"""The options that all executors over a wire share, and how three layers of them become one.

Fields of `ModelOptions` control the executor; a wire puts `model`, `stream` and `extra_body` into
its requests by itself. A wire's own options are a subclass: every field that it adds is a field of
the request's body, except those that it names in `CONTROL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    Required,
    TypedDict,
    TypeVar,
    cast,
)
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from tether.batteries.models.wire.lenient import lenient
from tether.core.canonical import canonical_json
from tether.core.errors import Problem
from tether.trust.nonces import Nonces
from tether.trust.prompt import BUCKETS, Bucket
from tether.trust.settings import ThoughtSurfacing, UnsupportedMedia

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

    MADE_HERE: ClassVar[tuple[str, ...]] = ("model", "stream")
    """Fields that `extra_body` may not hold: they are made from the turn and from other options."""

    model: Text
    api_key: SecretStr | None = None
    base_url: Text | None = Field(default=None, repr=False)
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    extra_body: dict[str, Any] = Field(default_factory=dict[str, Any], repr=False)
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
    def _is_an_address(cls, url: str | None, info: ValidationInfo) -> str | None:
        if url is None:
            return url
        if not _is_http(url):
            raise ValueError("must be an address such as https://api.example.org/v1")
        if "@" in urlsplit(url).netloc and info.data.get("api_key"):
            raise ValueError("must not hold a user where there is an api_key: which one is it?")
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
        if not all(map(_is_header_name, headers)):
            raise ValueError("must have names of ASCII without spaces or line breaks")
        odd = [name for name, value in headers.items() if not _is_header_text(value)]
        if odd:
            raise ValueError(f"must be ASCII without line breaks: {', '.join(odd)}")
        return headers

    @field_validator("*")
    @classmethod
    def _is_json(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse what no request can hold; the message must not show it."""
        goes_out = info.field_name == "extra_body" or info.field_name not in _SHARED
        if goes_out and isinstance(value, dict) and not _has_json(cast("dict[str, Any]", value)):
            raise ValueError("must hold nothing but JSON: no NaN, no objects, and text as keys")
        return value

    @field_validator("extra_body")
    @classmethod
    def _leaves_alone(cls, extra: dict[str, Any]) -> dict[str, Any]:
        taken = [name for name in cls.MADE_HERE if name in extra]
        if taken:
            raise ValueError(f"must not hold {', '.join(taken)}: the executor makes these itself")
        return extra

    def key(self) -> str:
        """Return the secret itself; empty where there is none."""
        return self.api_key.get_secret_value() if self.api_key else ""

    def endpoint(self, default: str, path: str) -> str:
        """Return the address of one operation below the base address, whose query is kept."""
        base = urlsplit(self.base_url or default)
        return base._replace(path=base.path.rstrip("/") + path, fragment="").geturl()

    def body_fields(self) -> dict[str, Any]:
        """Return the fields of the request: the subclass's own, where they are set."""
        kept = type(self).model_fields.keys() - _SHARED - self.CONTROL
        given = self.model_dump(include=set(kept), exclude_none=True, mode="json")
        return {name: given[name] for name in type(self).model_fields if name in given}


_SHARED = frozenset(ModelOptions.model_fields)


class RetryKeywords(TypedDict, total=False):
    """The keys of `RetryOptions`, as a dictionary has them."""

    max_attempts: int | None
    base_delay_ms: int | None
    max_delay_ms: int | None
    retriable_statuses: Sequence[int] | set[int] | None
    honor_retry_after: bool | None


class StashKeywords(TypedDict, total=False):
    """`FallbackStash`, as a dictionary has it."""

    mode: Required[Literal["fallback-stash"]]
    stash_keys: Sequence[str]


class ModelKeywords(TypedDict, total=False):
    """The fields of `ModelOptions` as keywords, for type checkers; None is the default.

    A wire's own keywords are a subclass with a key for each field of its own.
    """

    model: str | None
    api_key: str | SecretStr | None
    base_url: str | None
    headers: Mapping[str, str | None] | None
    extra_body: dict[str, Any] | None
    stream: bool | None
    stream_idle_timeout_ms: int | None
    request_timeout_ms: int | None
    connect_timeout_ms: int | None
    max_response_bytes: int | None
    max_line_bytes: int | None
    max_tool_calls: int | None
    retry: RetryOptions | RetryKeywords | None
    self_identity: str | None
    bucket_order: Sequence[Bucket] | None
    thought_surfacing: ThoughtSurfacing | None
    replay_compatibility: Sequence[str] | None
    unsupported_media: UnsupportedMedia | StashKeywords | None
    steps: Mapping[str, Callable[..., Any] | None] | None
    nonces: Nonces | None
    token_encoding: str | None
    context_window: int | None
    auto_ack: bool | None
    strict_tool_choice: bool | None


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
            merged[name] = _both(name, merged.get(name), value) if both else value
    known = kind.model_fields
    given = {name: it for name, it in merged.items() if it is not None or name not in known}
    try:
        return kind.model_validate(_hidden(lenient(given)))
    except ValidationError as invalid:
        faults = invalid.errors(include_url=False, include_context=False, include_input=False)
    raise error(map(_problem, faults))  # out here, where it does not hold on to what was given


def _hidden(given: dict[str, Any]) -> dict[str, Any]:
    key = given.get("api_key")
    return given | {"api_key": SecretStr(key)} if isinstance(key, str) else given


def _both(name: str, below: object, above: object) -> dict[str, Any]:
    """Return two layers of one option; names of headers are the same in any case."""
    over = _keys(above)
    names = {str(key).lower() for key in over}
    kept = {key: value for key, value in _keys(below).items() if str(key).lower() not in names}
    both = (kept | dict(over)).items()
    return {key: value for key, value in both if value is not None or _is_unknown(name, key)}


def _is_unknown(name: str, key: str) -> bool:
    return name == "retry" and key not in RetryOptions.model_fields


def _keys(value: object) -> Mapping[str, Any]:
    if isinstance(value, RetryOptions):
        return value.model_dump(exclude_unset=True)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _problem(fault: Mapping[str, Any]) -> Problem:
    parts = [str(part) for part in fault["loc"]]
    if parts[-1:] == ["[key]"]:  # the part before it is the key, which may be anything
        return Problem(".".join(parts[:-2]), "must be JSON, whose keys are text")
    path = ".".join(parts)
    if fault["type"] == "extra_forbidden":
        return Problem(path, "is no option")
    return Problem(path, str(fault["msg"]).removeprefix("Value error, "))


def _has_json(value: dict[str, Any]) -> bool:
    try:
        canonical_json(value)
    except ValueError:
        return False
    return True


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


def _is_header_name(name: str) -> bool:
    return bool(name) and " " not in name and _is_header_text(name)
