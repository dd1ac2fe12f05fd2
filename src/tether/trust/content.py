"""Content of others: neutralised, and wrapped in tags that state its authority."""

# No `from __future__ import annotations` here: see prompt.py.
from typing import TYPE_CHECKING, NamedTuple

from tether.trust.neutral import neutralise
from tether.trust.records import Handle
from tether.trust.tags import envelope

if TYPE_CHECKING:
    from tether.trust.render_context import Rendering


class ContentLabel(NamedTuple):
    """The attributes of a content tag. `modality` is set for text in place of media."""

    nonce: str
    kind: str
    tool: str | None = None
    modality: str | None = None

    def attributes(self, rendering: "Rendering") -> dict[str, str | None]:
        """Return the attributes in their order."""
        tool = None if self.tool is None else rendering.seen(self.tool)
        return {"nonce": self.nonce, "kind": self.kind, "tool": tool, "modality": self.modality}


def render_payload(rendering: "Rendering", text: str) -> str:
    """Remove hidden characters, and neutralise look-alikes of our tags and control tokens."""
    return neutralise(rendering.seen(text))


def render_untrusted(rendering: "Rendering", body: str, label: ContentLabel) -> str:
    """Wrap untrusted content. `body` is already a payload."""
    return envelope("untrusted_content", label.nonce, label.attributes(rendering), body)


def render_trusted(rendering: "Rendering", body: str, label: ContentLabel) -> str:
    """Wrap content of a trusted tool or of our own media. `body` is already a payload."""
    return envelope("trusted_content", label.nonce, label.attributes(rendering), body)


def render_handle(_rendering: "Rendering", handle: Handle) -> str:
    """Return the size of a text and the tools to read it, without the text itself.

    The result goes through the payload step like any other body.
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
