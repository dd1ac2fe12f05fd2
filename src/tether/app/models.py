"""From a setting to a model: quotation without one, a file run in this process, or an endpoint."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol, runtime_checkable

from tether.app.settings.values import EXTRACTIVE, Settings, WireName
from tether.ask.model import AskModel, Style
from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.models.extractive import Extractive
from tether.core.errors import InvalidSettings, Problem

EXTRACTIVE_WINDOW = 1_000_000
"""Quotation has no window; this bounds what it is shown, in bytes."""

CLAIMING: tuple[WireName, ...] = ("chat-completions",)
"""The wires on which a model can be held to a JSON schema of claims."""


@runtime_checkable
class Closing(Protocol):
    """An executor that holds connections or an engine."""

    async def aclose(self) -> None:
        """Let them go."""
        ...


def model_of(settings: Settings, *, environ: Mapping[str, str] = os.environ) -> AskModel:
    """Return the model that the settings name. Nothing is loaded or asked yet.

    Raises `InvalidSettings` for settings that do not go together, `InputRefused` where a package or
    a file is missing. `opened_model` closes it too.
    """
    style = style_of(settings)
    if settings.model == EXTRACTIVE:
        return _extractive()
    if settings.is_endpoint:
        from tether.app.endpoint_models import endpoint_model  # noqa: PLC0415

        return endpoint_model(settings, style, environ)
    from tether.app.local_models import local_model  # noqa: PLC0415

    return local_model(settings, style)


@asynccontextmanager
async def opened_model(
    settings: Settings, *, environ: Mapping[str, str] = os.environ
) -> AsyncGenerator[AskModel]:
    """Yield the model that the settings name, and close its connections or its engine."""
    async with AsyncExitStack() as stack:
        model = model_of(settings, environ=environ)
        if isinstance(model.executor, Closing):
            stack.push_async_callback(model.executor.aclose)
        yield model


def style_of(settings: Settings) -> Style:
    """Return the style that `auto` stands for; raises `InvalidSettings` for one that cannot be."""
    quotes = settings.model == EXTRACTIVE
    if settings.style == "auto":
        if quotes:
            return "quotes"
        written: Style = "links" if settings.is_endpoint else "claims"
        return "tools" if settings.web and settings.is_endpoint else written
    problem = ""
    if quotes != (settings.style == "quotes"):
        problem = f"quotes goes with the model {EXTRACTIVE!r}, and no other style does"
    elif settings.style == "claims" and settings.is_endpoint and settings.wire not in CLAIMING:
        problem = f"claims needs the wire {' or '.join(CLAIMING)}, or a local model"
    if problem:
        raise InvalidSettings([Problem("style", problem)])
    return settings.style


def _extractive() -> AskModel:
    profile = ModelProfile(name=EXTRACTIVE, window=EXTRACTIVE_WINDOW, code=True)
    return AskModel(name=EXTRACTIVE, executor=Extractive(), profile=profile, style="quotes")
