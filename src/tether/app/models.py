"""The model of the settings: quotation, a file run in this process, or an endpoint."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Protocol, runtime_checkable

from tether.app.settings.values import EXTRACTIVE, Settings, WireName
from tether.ask.errors import InvalidSettings
from tether.ask.model import AskModel, Style
from tether.ask.quoting.executor import say_nothing
from tether.batteries.budget.profiles import ModelProfile
from tether.core.errors import Problem

EXTRACTIVE_WINDOW = 1_000_000
"""Quotation has no window; this limits its input, in bytes."""

POINTING: tuple[WireName, ...] = ("chat-completions",)
"""The wires that can hold a model to a JSON schema."""


@runtime_checkable
class Closing(Protocol):
    """An executor with connections or an engine."""

    async def aclose(self) -> None:
        """Close them."""
        ...


def model_of(settings: Settings, *, environ: Mapping[str, str] = os.environ) -> AskModel:
    """Return the model of the settings. Nothing is loaded or called yet.

    Raises `InvalidSettings` for settings that contradict each other, `InputRefused` for a missing
    package or file. `opened_model` also closes it.
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
    """Yield the model of the settings, and close its connections or its engine."""
    async with AsyncExitStack() as stack:
        model = model_of(settings, environ=environ)
        if isinstance(model.executor, Closing):
            stack.push_async_callback(model.executor.aclose)
        yield model


def style_of(settings: Settings) -> Style:
    """Return the style, resolving `auto`; raises `InvalidSettings` for an impossible one."""
    quotes = settings.model == EXTRACTIVE
    if settings.style == "auto":
        if quotes:
            return "quotes"
        written: Style = "links" if settings.is_endpoint else "points"
        return "tools" if settings.wants_tools and settings.is_endpoint else written
    problem = ""
    if quotes != (settings.style == "quotes"):
        problem = f"the style quotes and the model {EXTRACTIVE!r} need each other"
    elif settings.style == "points" and settings.is_endpoint and settings.wire not in POINTING:
        problem = f"points needs the wire {' or '.join(POINTING)}, or a local model"
    if problem:
        raise InvalidSettings([Problem("style", problem)])
    return settings.style


def _extractive() -> AskModel:
    profile = ModelProfile(name=EXTRACTIVE, window=EXTRACTIVE_WINDOW, code=True)
    return AskModel(name=EXTRACTIVE, executor=say_nothing, profile=profile, style="quotes")


def fitted_profile(known: ModelProfile, *, window: int, encoding: str) -> ModelProfile:
    """Return the profile of a model with the window and the encoding that it really has."""
    return replace(
        known,
        window=window,
        max_input=min(known.max_input, window) if window <= known.window else window,
        max_output=min(known.max_output, window),
        encoding=encoding,
    )
