"""The options that all executors over a wire share.

Fields of `ModelOptions` control the executor; each wire puts `model`, `stream` and `extra_body`
into its requests. A wire's own options are a subclass: every field that it adds is a field of the
request's body, except those that it names in `CONTROL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Required,
    TypedDict,
    cast,
)
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
)

from tether.batteries.http.limits import delay
from tether.batteries.http.syntax import address_fault, is_header_name, is_header_text
from tether.core.plain_data import canonical_json
from tether.trust.nonces import Nonces
from tether.trust.prompt import BUCKETS, Bucket, QuestionBucket
from tether.trust.render_context import ThoughtSurfacing, UnsupportedMedia

Milliseconds = Annotated[int, Field(ge=0, le=86_400_000)]
"""A time limit; 0 means unlimited."""

Text = Annotated[str, Field(min_length=1)]
KIBI, MEBI = 1 << 10, 1 << 20


class RetryOptions(BaseModel):
    """How often and after which waits a request is repeated, before any byte of a reply was used.

    Off unless `max_attempts` is more than 1. The wait doubles from `base_delay_ms` up to
    `max_delay_ms`, give or take a tenth; an endpoint's Retry-After can extend it up to the same
    limit. A wait that `total_timeout_ms` leaves no time for is not begun.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    max_attempts: Annotated[int, Field(ge=1, le=20)] = 1
    base_delay_ms: Milliseconds = 500
    max_delay_ms: Milliseconds = 30_000
    retriable_statuses: tuple[Annotated[int, Field(ge=400, le=599)], ...] = (429, 502, 503, 504)
    honor_retry_after: bool = True

    def delay_ms(self, attempt: int, *, asked_ms: float, chance: float) -> float:
        """Return the wait after an attempt (the first is 1); the endpoint requested `asked_ms`."""
        return delay(
            attempt,
            first=self.base_delay_ms,
            longest=self.max_delay_ms,
            asked=asked_ms if self.honor_retry_after else 0,
            chance=chance,
        )


class ModelOptions(BaseModel):
    """The options that control an executor. Unknown names are refused."""

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
    """Fields of a subclass that are not part of the request's body."""

    MADE_HERE: ClassVar[tuple[str, ...]] = ("model", "stream")
    """Fields that `extra_body` may not contain: they come from the turn and from other options."""

    model: Text
    api_key: SecretStr | None = None
    base_url: Text | None = Field(default=None, repr=False)
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    extra_body: dict[str, Any] = Field(default_factory=dict[str, Any], repr=False)
    stream: bool = True
    stream_idle_timeout_ms: Milliseconds = 0
    request_timeout_ms: Milliseconds = 0
    total_timeout_ms: Milliseconds = 0
    connect_timeout_ms: Milliseconds = 10_000
    max_response_bytes: Annotated[int, Field(ge=1)] = 64 * MEBI
    max_line_bytes: Annotated[int, Field(ge=KIBI)] = 16 * MEBI
    max_tool_calls: Annotated[int, Field(ge=1)] = 128
    max_call_argument_bytes: Annotated[int, Field(ge=1)] = 1 * MEBI
    max_reply_argument_bytes: Annotated[int, Field(ge=1)] = 4 * MEBI
    retry: RetryOptions = RetryOptions()
    self_identity: Text = "assistant"
    bucket_order: tuple[Bucket, ...] = BUCKETS
    question_buckets: tuple[QuestionBucket, ...] = ()
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
        has_key = bool(info.data.get("api_key"))
        fault = None if url is None else address_fault(url, has_key=has_key)
        if fault is not None:
            raise ValueError(fault)
        return url

    @field_validator("api_key")
    @classmethod
    def _fits_a_header(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and not is_header_text(key.get_secret_value()):
            raise ValueError("must be ASCII without line breaks: is it the whole line of a file?")
        return key

    @field_validator("headers")
    @classmethod
    def _can_be_sent(cls, headers: dict[str, str]) -> dict[str, str]:
        if not all(map(is_header_name, headers)):
            raise ValueError("must have names of ASCII without spaces or line breaks")
        odd = [name for name, value in headers.items() if not is_header_text(value)]
        if odd:
            raise ValueError(f"must be ASCII without line breaks: {', '.join(odd)}")
        return headers

    @field_validator("*")
    @classmethod
    def _is_json(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse values that JSON cannot express; the message must not show them."""
        goes_out = info.field_name == "extra_body" or info.field_name not in _SHARED
        if goes_out and isinstance(value, dict) and not _has_json(cast("dict[str, Any]", value)):
            raise ValueError("must contain only JSON: no NaN, no objects, and text as keys")
        return value

    @field_validator("extra_body")
    @classmethod
    def _leaves_alone(cls, extra: dict[str, Any]) -> dict[str, Any]:
        taken = [name for name in cls.MADE_HERE if name in extra]
        if taken:
            raise ValueError(f"must not contain {', '.join(taken)}: the executor sets these itself")
        return extra

    def key(self) -> str:
        """Return the secret itself; empty without one."""
        return self.api_key.get_secret_value() if self.api_key else ""

    def bearer(self) -> dict[str, str]:
        """Return the key as an Authorization header; empty without a key."""
        return {"Authorization": f"Bearer {self.key()}"} if self.key() else {}

    def endpoint(self, default: str, path: str) -> str:
        """Return the address of an operation below the base address, keeping its query."""
        base = urlsplit(self.base_url or default)
        return base._replace(path=base.path.rstrip("/") + path, fragment="").geturl()

    def body_fields(self) -> dict[str, Any]:
        """Return the fields of the request: the subclass's own that are set."""
        kept = type(self).model_fields.keys() - _SHARED - self.CONTROL
        given = self.model_dump(include=set(kept), exclude_none=True, mode="json")
        return {name: given[name] for name in type(self).model_fields if name in given}


_SHARED = frozenset(ModelOptions.model_fields)


class RetryKeywords(TypedDict, total=False):
    """The keys of `RetryOptions` in a dictionary."""

    max_attempts: int | None
    base_delay_ms: int | None
    max_delay_ms: int | None
    retriable_statuses: Sequence[int] | set[int] | None
    honor_retry_after: bool | None


class StashKeywords(TypedDict, total=False):
    """The keys of `FallbackStash` in a dictionary."""

    mode: Required[Literal["fallback-stash"]]
    stash_keys: Sequence[str]


class ModelKeywords(TypedDict, total=False):
    """The fields of `ModelOptions` as keywords, for type checkers; None is the default.

    The keywords of a wire are a subclass with a key for each field that its options add.
    """

    model: str | None
    api_key: str | SecretStr | None
    base_url: str | None
    headers: Mapping[str, str | None] | None
    extra_body: dict[str, Any] | None
    stream: bool | None
    stream_idle_timeout_ms: int | None
    request_timeout_ms: int | None
    total_timeout_ms: int | None
    connect_timeout_ms: int | None
    max_response_bytes: int | None
    max_line_bytes: int | None
    max_tool_calls: int | None
    max_call_argument_bytes: int | None
    max_reply_argument_bytes: int | None
    retry: RetryOptions | RetryKeywords | None
    self_identity: str | None
    bucket_order: Sequence[Bucket] | None
    question_buckets: Sequence[QuestionBucket] | None
    thought_surfacing: ThoughtSurfacing | None
    replay_compatibility: Sequence[str] | None
    unsupported_media: UnsupportedMedia | StashKeywords | None
    steps: Mapping[str, Callable[..., Any] | None] | None
    nonces: Nonces | None
    token_encoding: str | None
    context_window: int | None
    auto_ack: bool | None
    strict_tool_choice: bool | None


def _has_json(value: dict[str, Any]) -> bool:
    try:
        canonical_json(value)
    except ValueError:
        return False
    return True
