"""Text of others: made harmless, and put between tags that say how far it may be believed."""

# No `from __future__ import annotations` here: see prompt.py.
from typing import TYPE_CHECKING, NamedTuple

from tether.trust.neutral import neutralise
from tether.trust.tags import envelope

if TYPE_CHECKING:
    from tether.trust.rendering import Rendering


class ContentLabel(NamedTuple):
    """What the tag around a content says. `modality` is there for text that stands for media."""

    nonce: str
    kind: str
    tool: str | None = None
    modality: str | None = None

    def attributes(self, rendering: "Rendering") -> dict[str, str | None]:
        """Return what the tag says, in its order."""
        tool = None if self.tool is None else rendering.seen(self.tool)
        return {"nonce": self.nonce, "kind": self.kind, "tool": tool, "modality": self.modality}


def render_payload(rendering: "Rendering", text: str) -> str:
    """Make hidden characters visible and look-alikes of our tags and control tokens harmless."""
    return neutralise(rendering.seen(text))


def render_untrusted(rendering: "Rendering", body: str, label: ContentLabel) -> str:
    """Wrap what anybody may have written. `body` is a payload already."""
    return envelope("untrusted_content", label.nonce, label.attributes(rendering), body)


def render_trusted(rendering: "Rendering", body: str, label: ContentLabel) -> str:
    """Wrap what a trusted tool, or our own media, says. `body` is a payload already."""
    return envelope("trusted_content", label.nonce, label.attributes(rendering), body)
