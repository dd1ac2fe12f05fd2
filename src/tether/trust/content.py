"""Text of others: made harmless, and put between tags that say how far it may be believed."""

# No `from __future__ import annotations` here: see prompt.py.
from typing import TYPE_CHECKING, NamedTuple

from tether.trust.neutralise import neutralise
from tether.trust.tags import envelope
from tether.trust.visible import visible_text

if TYPE_CHECKING:
    from tether.trust.rendering import Rendering


class ContentLabel(NamedTuple):
    """What the tag around a content says. `modality` is there for text that stands for media."""

    nonce: str
    kind: str
    tool: str | None = None
    modality: str | None = None

    def attributes(self) -> dict[str, str]:
        """Return what is known, in the order of the tag."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def render_payload(rendering: "Rendering", text: str) -> str:
    """Make hidden characters visible and look-alikes of our tags and control tokens harmless."""
    seen = visible_text(text)
    rendering.hidden += seen.hidden
    return neutralise(seen.text)


def render_untrusted(_rendering: "Rendering", body: str, label: ContentLabel) -> str:
    """Wrap what anybody may have written. `body` is a payload already."""
    return envelope("untrusted_content", label.nonce, label.attributes(), body)


def render_trusted(_rendering: "Rendering", body: str, label: ContentLabel) -> str:
    """Wrap what a trusted tool, or our own media, says. `body` is a payload already."""
    return envelope("trusted_content", label.nonce, label.attributes(), body)
