"""What the tests of all ready-made tools ask for."""

from __future__ import annotations

from typing import Any

import pytest

from tether import InputRefused, Tool, ToolDownstreamError
from tether.batteries.testing import run_tool


async def refused(tool: Tool, **arguments: Any) -> InputRefused:
    """Return the error with which a call is refused."""
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(tool, arguments)
    assert isinstance(caught.value.__cause__, InputRefused)
    return caught.value.__cause__


async def refusal_text(tool: Tool, **arguments: Any) -> str:
    """Return the text of the error with which a call is refused."""
    return str(await refused(tool, **arguments))
