"""What is known of a model, cut to the window that it is really given."""

from __future__ import annotations

from tether.batteries.budget.profiles import ModelProfile


def fitted_profile(known: ModelProfile, *, window: int, encoding: str) -> ModelProfile:
    """Return what is known of a model with another window and another way to count."""
    return ModelProfile(
        name=known.name,
        models=known.models,
        window=window,
        max_input=min(known.max_input, window) if window <= known.window else window,
        max_output=min(known.max_output, window),
        encoding=encoding,
        tools=known.tools,
        images=known.images,
        code=known.code,
        strictness=known.strictness,
        known=known.known,
    )
