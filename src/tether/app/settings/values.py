"""The settings of the agent, every one with its default."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

from tether.app.settings.remote import (
    RemoteEmbedder,
    RemoteReranker,
    RemoteSearch,
    RemoteTelemetry,
)
from tether.ask.settings import AskSettings

WireName = Literal["chat-completions", "responses", "anthropic"]
StyleChoice = Literal["auto", "quotes", "links", "points", "tools"]
JudgeChoice = Literal["auto", "on", "off"]

EXTRACTIVE = "extractive"
SHIPPED, NO_VERIFIER = "shipped", "none"
DEFAULT_INDEX = Path(".tether/index")
DEFAULT_STORE = ".tether/store.db"
DEFAULT_DATA = Path(".tether")

STARS = "***"
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*|[a-z_][a-z0-9_]*")
_LONGEST_VARIABLE, _MOST_DIGITS = 40, 3

SAFE_PARAMETERS = frozenset({"host", "port", "user", "dbname", "sslmode", "application_name"})
"""The parameters of an address that are shown; any other may be a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of an agent. The only secret in them can be a password in an address.

    `docs` are folders, files and addresses to keep the index in step with; without any, the index
    is used as it is. `store` is a file, or an address `postgresql://…`. `model` is `extractive`
    (quotes, no language model), a file that ends in `.gguf`, or the base address of an endpoint;
    `model_name` is the endpoint's name for the model, and `api_key_env` the name of the variable
    that contains its key. `web` are the hosts whose pages a model with tools may read, each page
    after a person has agreed to it, and `tools` are categories of the toolbox for it. `window` is
    the size of the model's window in tokens (0: as its profile says), `temperature` None is the
    model's default. `timeout` is in seconds; None is the default of an endpoint or of a file.
    `threads` and `gpu_layers` are for a file: 0 threads leaves their number to llama.cpp, and the
    layers run on a GPU if the package was built for one. `verifier` is `shipped`, `none` (only
    words of the documents are shown), or a file that ends in `.onnx`.

    `index` is the folder of the index, and `data` that of the indexes with names. With `wait`, an
    answer waits until every passage of a new index has its vector.
    """

    docs: tuple[str, ...] = ()
    index: Path = DEFAULT_INDEX
    data: Path = DEFAULT_DATA
    wait: bool = False
    store: str = DEFAULT_STORE
    model: str = EXTRACTIVE
    model_name: str = ""
    api_key_env: str = ""
    wire: WireName = "chat-completions"
    style: StyleChoice = "auto"
    web: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    window: int = 0
    temperature: float | None = None
    timeout: float | None = None
    threads: int = 0
    gpu_layers: int = 0
    judge: JudgeChoice = "auto"
    verifier: str = SHIPPED
    offline: bool = False
    owner: str = ""
    embedder: RemoteEmbedder = field(default_factory=RemoteEmbedder)
    reranker: RemoteReranker = field(default_factory=RemoteReranker)
    web_search: RemoteSearch = field(default_factory=RemoteSearch)
    telemetry: RemoteTelemetry = field(default_factory=RemoteTelemetry)
    ask: AskSettings = field(default_factory=AskSettings)

    @property
    def is_endpoint(self) -> bool:
        """Whether the model is behind an endpoint."""
        return is_web_address(self.model)

    @property
    def wants_tools(self) -> bool:
        """Whether there is something that only a model with tools can use."""
        return bool(self.web or self.tools or self.web_search.url)

    @property
    def is_postgres(self) -> bool:
        """Whether the store is a PostgreSQL server."""
        return is_postgres(self.store)


def is_web_address(text: str) -> bool:
    """Return whether a text is an address on the web."""
    return text.lower().startswith(("http://", "https://"))


def is_postgres(store: str) -> bool:
    """Return whether a store is the address of a PostgreSQL server."""
    return store.lower().startswith(("postgresql://", "postgres://"))


def hidden(text: str) -> str:
    """Return an address without its password and unknown parameters; other text unchanged."""
    if "://" not in text:
        return text
    try:
        parts = urlsplit(text)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return f"{text.partition('://')[0]}://{STARS}"
    user, at, host = parts.netloc.rpartition("@")
    if at:
        name, colon, _ = user.partition(":")
        user = f"{name}:{STARS}" if colon else STARS
    query = "&".join(_shown_parameter(name, value) for name, value in pairs)
    return f"{parts.scheme}://{user}{at}{host}{parts.path}{'?' if query else ''}{query}"


def _shown_parameter(name: str, value: str) -> str:
    """Return a parameter; one without a value may be a secret itself."""
    if not value:
        return STARS
    return f"{name}={value if name in SAFE_PARAMETERS else STARS}"


def shown_variable(name: str) -> str:
    """Return the name of a variable, or stars where it may be a key that was given by mistake.

    Names of variables are short, in one letter case, and have few digits; keys are not.
    """
    is_name = _VARIABLE.fullmatch(name) is not None and len(name) <= _LONGEST_VARIABLE
    digits = sum(character.isdigit() for character in name)
    return name if not name or (is_name and digits <= _MOST_DIGITS) else STARS
