"""What is said in place of a large text."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tether.core.artifact import tool_methods
from tether.runtime.docstrings import read_docstring
from tether.runtime.line_tools import LINE_TOOLS, MOST_COUNTED
from tether.trust.loaded import Handle, HandleTool

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from tether.core.artifact import SpooledArtifact
    from tether.trust.rendering import Rendering

T = TypeVar("T")


async def load_handle(
    call_id: str, artifact: SpooledArtifact, encoding: str | None = None
) -> Handle:
    """Measure an artifact; in tokens too, where there is an encoding and it is not too long.

    `call_id` is the id by which the tools that read artifacts know it. What cannot be measured is
    shown as 0: a handle to a broken artifact must not take the whole prompt with it.
    """
    size = await measured(artifact.byte_length()) or 0
    return Handle(
        call_id=call_id,
        kind=type(artifact).__name__,
        byte_length=size,
        line_count=await measured(artifact.line_count()) or 0,
        tokens=await measured(artifact.estimate_tokens(encoding))
        if encoding is not None and 0 < size <= MOST_COUNTED
        else None,
        tools=_tools_of(type(artifact)),
    )


def render_handle(_rendering: Rendering, handle: Handle) -> str:
    """Return how large the text is and how to ask for pieces of it; the text itself is not in it.

    It goes through the payload step like any other body.
    """
    lines = [
        "This result is large, so its text is not shown here.",
        f"call_id: {handle.call_id}",
        f"kind: {handle.kind}",
        f"byte_length: {handle.byte_length}",
        f"line_count: {handle.line_count}",
    ]
    if handle.tokens is not None:
        lines.append(f"estimated_tokens: {handle.tokens} ({handle.tokens.encoding})")
    lines.append(f"To read pieces of it, call one of these tools with call_id={handle.call_id}:")
    lines += [f"- {tool.name}: {tool.description}" for tool in handle.tools]
    lines.append("It can be asked for as long as this turn lasts, and is shown nowhere else.")
    return "\n".join(lines)


async def measured(measure: Awaitable[T]) -> T | None:
    """Return a measure, or None where it cannot be had."""
    try:
        return await measure
    except Exception:  # noqa: BLE001  # somebody's reader; who reads it will learn what is wrong
        return None


def _tools_of(kind: type) -> tuple[HandleTool, ...]:
    """Return what a class and its bases offer, then what every artifact does."""
    methods = {
        method.tool: method for base in reversed(kind.__mro__) for method in tool_methods(base)
    }
    own = [
        HandleTool(method.tool, read_docstring(method.description).summary)
        for method in methods.values()
    ]
    return (*own, *(HandleTool(tool.name, tool.description) for tool in LINE_TOOLS))
