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

    The rules are made harmless as one text: what opens a turn after an empty line does so between
    two of them as well.

    For a version in its tag, replace the step with `partial(render_standing_instructions,
    version="3")`.
    """
    texts = (rendering.seen(item) for item in items)
    body = rendering.payload("\n\n".join(text for text in texts if text))
    if not body:
        return ""
    attributes = {"kind": "developer-rules"}
    if version is not None:
        attributes["version"] = rendering.seen(version)
    return plain_block("system_instructions", attributes, body)
