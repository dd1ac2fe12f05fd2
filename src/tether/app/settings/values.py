"""The settings of the agent, every one with its default."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tether.app.folders import DEFAULT_FOLDER
from tether.ask.settings import AskSettings

WireName = Literal["chat-completions", "responses", "anthropic"]
StyleChoice = Literal["auto", "quotes", "links", "claims", "tools"]
JudgeChoice = Literal["auto", "on", "off"]

EXTRACTIVE = "extractive"
DEFAULT_STORE = ".tether/store.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an agent is put together from. Nothing in it is a secret but a password in an address.

    `docs` are folders, files and addresses to keep the index in step with; without any, the index
    is used as it is. `store` is a file, or an address `postgresql://…`. `model` is `extractive`
    (quotes, no language model), a file that ends in `.gguf`, or the base address of an endpoint;
    `model_name` is what the endpoint calls the model, and `api_key_env` the name of the variable
    that holds its key. `web` are the hosts of which a model with tools may read pages, each page
    once a person has agreed to it. `window` is how many tokens the model takes (0: what is known of
    it), `temperature` None is left to the model, `timeout` is in seconds.
    """

    docs: tuple[str, ...] = ()
    index: Path = DEFAULT_FOLDER
    store: str = DEFAULT_STORE
    model: str = EXTRACTIVE
    model_name: str = ""
    api_key_env: str = ""
    wire: WireName = "chat-completions"
    style: StyleChoice = "auto"
    web: tuple[str, ...] = ()
    window: int = 0
    temperature: float | None = None
    timeout: float = 120.0
    judge: JudgeChoice = "auto"
    offline: bool = False
    owner: str = ""
    ask: AskSettings = field(default_factory=AskSettings)

    @property
    def is_endpoint(self) -> bool:
        """Whether the model is asked over a network."""
        return is_endpoint(self.model)

    @property
    def is_postgres(self) -> bool:
        """Whether the store is a PostgreSQL server."""
        return is_postgres(self.store)


def is_endpoint(model: str) -> bool:
    """Say whether a model is the address of an endpoint."""
    return model.lower().startswith(("http://", "https://"))


def is_postgres(store: str) -> bool:
    """Say whether a store is the address of a PostgreSQL server."""
    return store.lower().startswith(("postgresql://", "postgres://"))
