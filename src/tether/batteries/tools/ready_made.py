"""How the tools of this box are made: a plain function, its category and one example."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import Field

from tether.runtime.function_tool import tool
from tether.runtime.tool import Tool

LONGEST_TEXT = 1_000_000

Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
"""Text for a tool that takes time proportional to its length."""

ShortText = Annotated[str, Field(max_length=10_000)]
"""Text for a tool that has to look at it more than once."""


def ready_made(example: Mapping[str, Any]) -> Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function; its module is its category.

    The example's arguments are run and shown in the documentation, and checked by a test.
    """

    def make(function: Callable[..., Any]) -> Tool:
        category = function.__module__.rpartition(".")[2]
        return tool(meta={"category": category, "example": dict(example)})(function)

    return make
