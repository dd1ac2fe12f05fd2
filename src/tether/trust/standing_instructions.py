"""The developer's rules: the one block without a nonce, because both its sides are ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.trust.tags import plain_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.trust.rendering import Rendering


def render_standing_instructions(
    rendering: Rendering, items: Sequence[str], *, version: str | None = None
) -> str:
    """Return the block, or nothing where there is no rule.

    For a version in its tag, replace the step with `partial(render_standing_instructions,
    version="3")`.
    """
    texts = [rendering.payload(item) for item in items]
    body = "\n\n".join(text for text in texts if text)
    if not body:
        return ""
    attributes = {"kind": "developer-rules"}
    if version is not None:
        attributes["version"] = version
    return plain_block("system_instructions", attributes, body)
