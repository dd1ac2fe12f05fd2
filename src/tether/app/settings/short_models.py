"""Short forms of models: `ollama/qwen3` stands for an address, a name, a wire and a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tether.app.settings.values import WireName

if TYPE_CHECKING:
    from tether.app.settings.layers import Origin, OriginKind

NAMELESS = "default"
"""The name that a server with one model is sent: it answers to any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A server or a service that models are behind.

    `address` is where it listens unless `variable`, its own environment variable, says otherwise.
    `key` is the variable with the key. `start` and `fetch` are commands that start the server and
    get a model. A `single` one serves one model, whatever name it is asked for.
    """

    title: str
    address: str
    wire: WireName = "chat-completions"
    variable: str = ""
    key: str = ""
    start: str = ""
    fetch: str = ""
    single: bool = False

    def place(self, environ: Mapping[str, str]) -> str:
        """Return the base address in this environment."""
        given = environ.get(self.variable, "").strip() if self.variable else ""
        if self.variable == "OLLAMA_HOST" and given:
            return _ollama_address(given)
        return given or self.address


PRODUCTS: dict[str, Product] = {
    "ollama": Product(
        title="Ollama",
        address="http://127.0.0.1:11434/v1",
        variable="OLLAMA_HOST",
        start="ollama serve",
        fetch="ollama pull {model}",
    ),
    "vllm": Product(title="vLLM", address="http://127.0.0.1:8000/v1", start="vllm serve {model}"),
    "llamacpp": Product(
        title="llama.cpp",
        address="http://127.0.0.1:8080/v1",
        start="llama-server -m model.gguf",
        single=True,
    ),
    "lmstudio": Product(
        title="LM Studio",
        address="http://127.0.0.1:1234/v1",
        start="lms server start",
        fetch="lms load {model}",
    ),
    "openai": Product(
        title="OpenAI",
        address="https://api.openai.com/v1",
        variable="OPENAI_BASE_URL",
        key="OPENAI_API_KEY",
    ),
    "anthropic": Product(
        title="Anthropic",
        address="https://api.anthropic.com",
        wire="anthropic",
        variable="ANTHROPIC_BASE_URL",
        key="ANTHROPIC_API_KEY",
    ),
}
"""By the name that a short form begins with."""

_RANKS: dict[OriginKind, int] = {
    "default": 0,
    "user file": 1,
    "project file": 2,
    "variable": 3,
    "flag": 4,
}


def is_short_form(text: str) -> bool:
    """Return whether a text is the short form of a model."""
    return text.partition("/")[0] in PRODUCTS


def product_at(address: str, environ: Mapping[str, str]) -> Product | None:
    """Return the product that is behind an address, as far as the address says."""
    for product in PRODUCTS.values():
        if address.rstrip("/") in (product.address, product.place(environ).rstrip("/")):
            return product
    return None


def expand(values: dict[str, Any], origins: dict[str, Origin], environ: Mapping[str, str]) -> None:
    """Replace the short form of a model by what it stands for, where there is one.

    Wire and key of a layer above the model's, or of the same one, are kept; those below belong to
    another model. A name in the short form always counts.
    """
    origin = origins["model"]
    product_name, _, name = values["model"].partition("/")
    product = PRODUCTS.get(product_name)
    if product is None:
        return
    found: dict[str, Any] = {"model": product.place(environ)}
    if name or product.single:
        found["model_name"] = name or NAMELESS
    for key, value in (("wire", product.wire), ("api_key_env", product.key)):
        is_default = origins[key].kind == "default"
        if is_default or _RANKS[origins[key].kind] < _RANKS[origin.kind]:
            found[key] = value
    values.update(found)
    origins.update(dict.fromkeys(found, origin))


def _ollama_address(given: str) -> str:
    """Return the address of `OLLAMA_HOST`, which may be a host, a host with a port, or a URL.

    A server that listens on all addresses is called on this machine's own.
    """
    parts = urlsplit(given if "://" in given else f"http://{given}")
    host = parts.hostname or "127.0.0.1"
    host = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104  # is not bound
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 11434, "https": 443}
    return f"{parts.scheme}://{host}:{parts.port or usual.get(parts.scheme, 11434)}/v1"
