"""A model behind an endpoint, on any of the three wires."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from tether.app.api_keys import api_key
from tether.app.model_list import names_note
from tether.app.models import fitted_profile
from tether.app.settings.values import Settings, WireName, hidden
from tether.ask.errors import InvalidSettings
from tether.ask.model import AskModel, Style
from tether.batteries.budget.profiles import ModelProfile, ModelProfiles
from tether.batteries.models.anthropic import AnthropicMessages
from tether.batteries.models.anthropic.options import AnthropicOptions
from tether.batteries.models.chat_completions import ChatCompletions
from tether.batteries.models.chat_completions.options import ChatCompletionsOptions
from tether.batteries.models.responses import Responses
from tether.batteries.models.responses.options import ResponsesOptions
from tether.batteries.models.wire.executor import ModelExecutor
from tether.batteries.models.wire.options import ModelOptions
from tether.core.errors import InputRefused, Problem
from tether.trust.nonces import Nonces
from tether.trust.renderer import Renderer

GUESSED_ENCODING = "llama2"
"""The encoding for an unknown model: its small vocabulary counts rather too many tokens than too
few."""

ATTEMPTS = 3
TIMEOUT = 120.0
IDLE_MS = 60_000

Wire = tuple[type[ChatCompletions | Responses | AnthropicMessages], type[ModelOptions]]

WIRES: dict[WireName, Wire] = {
    "chat-completions": (ChatCompletions, ChatCompletionsOptions),
    "responses": (Responses, ResponsesOptions),
    "anthropic": (AnthropicMessages, AnthropicOptions),
}


def endpoint_model(settings: Settings, style: Style, environ: Mapping[str, str]) -> AskModel:
    """Return the model at the address of the settings; nothing is sent yet.

    Its key is read from the variable of the settings. Raises `InvalidSettings` if name, address or
    key is missing, and `InputRefused` for a missing package.
    """
    if find_spec("httpx2") is None:
        raise InputRefused("an endpoint needs httpx2: pip install 'tether[models]'")
    _check_address(settings, environ)
    kind, options = WIRES[settings.wire]
    known = ModelProfiles.load().find(settings.model_name)
    encoding = known.encoding if known.known else GUESSED_ENCODING
    profile = fitted_profile(known, window=settings.window or known.window, encoding=encoding)
    nonces = Nonces()
    given = _options(settings, profile, nonces, api_key(settings.api_key_env, environ) or None)
    executor: ModelExecutor = kind(**given)
    replayed = options(model=settings.model_name).replay_compatibility
    return AskModel(
        name=settings.model_name,
        executor=executor,
        profile=profile,
        style=style,
        helper=executor.executor(auto_ack=True),
        renderer=Renderer(nonces=nonces, replay_compatibility=replayed),
        stash_key=executor.STASH_KEY,
    )


def _options(
    settings: Settings, profile: ModelProfile, nonces: Nonces, key: str | None
) -> dict[str, Any]:
    milliseconds = int((settings.timeout or TIMEOUT) * 1000)
    return {
        "model": settings.model_name,
        "base_url": settings.model,
        "api_key": key,
        "nonces": nonces,
        "retry": {"max_attempts": ATTEMPTS},
        "total_timeout_ms": milliseconds,
        "stream_idle_timeout_ms": min(IDLE_MS, milliseconds),
        "temperature": settings.temperature,
        "context_window": profile.window,
        "token_encoding": profile.encoding,
    }


def _check_address(settings: Settings, environ: Mapping[str, str]) -> None:
    problems: list[Problem] = []
    if not settings.model_name:
        problem = "is needed for an endpoint: give its name for the model with --model-name"
        problem += names_note(settings, environ)
        problems.append(Problem("model_name", problem))
    if not _is_address(settings.model):
        problems.append(Problem("model", f"is not a valid address: {hidden(settings.model)}"))
    if problems:
        raise InvalidSettings(problems)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
