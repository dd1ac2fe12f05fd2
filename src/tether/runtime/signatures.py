"""Whether a callable can be called the way the runner will call it."""

from __future__ import annotations

import inspect

from tether.core.checks import in_short


def complaint_about(function: object, *parameters: str) -> str | None:
    """Return what is wrong with an async callback, or None.

    It has to be an async function (or an object with an async `__call__`) that can be called with
    exactly these positional arguments. Finding out here costs one look; finding out during a turn
    costs a conversation.
    """
    shape = f"async def ({', '.join(parameters)})"
    if not callable(function):
        return f"must be callable as {shape}, not {in_short(function)}"
    if not _is_async(function):
        return f"must be asynchronous, callable as {shape}"
    try:
        inspect.signature(function).bind(*parameters)
    except (TypeError, ValueError) as error:
        return f"must be callable as {shape}: {error}"
    return None


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(type(function), "__call__", None)  # noqa: B004  # looks for an async __call__
    )
