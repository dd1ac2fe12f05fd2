"""The content of a rendered prompt, read back from its text."""

# No `from __future__ import annotations` here: see prompt.py.
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from tether.core.message import Role
from tether.trust.prompt import MediaPart
from tether.trust.tag_shapes import NoncedName, PlainName

BlockKind = Literal[
    "developer-rules",
    "memory",
    "retrieved-first-party",
    "retrieved-third-party-public",
    "retrieved-third-party-private",
    "message",
    "own-message",
    "peer-message",
    "self-reasoning",
    "peer-reasoning",
    "opaque-reasoning",
    "tool-result",
    "trusted-tool-result",
    "artifact-handle",
    "media-marker",
    "media-fallback",
]
"""The kind of a text: by its tag, the `kind` in the tag, and its place."""


class ParsedBlock(NamedTuple):
    """One text with its authority. `body` is the original text without hidden characters.

    `tag` is None for texts without a tag: the assistant's own words, and markers of media.
    """

    kind: BlockKind
    tag: NoncedName | PlainName | None
    nonce: str | None
    attributes: Mapping[str, str]
    body: str

    @property
    def source(self) -> str | None:
        """The source of a retrieved text, or the tool of a result."""
        return self.attributes.get("source", self.attributes.get("tool"))


class ParsedMessage(NamedTuple):
    """A message: its text, if any, then each asset after its marker."""

    role: Role
    name: str | None
    parts: tuple[ParsedBlock | MediaPart, ...]


class ParsedThought(NamedTuple):
    """Reasoning. `speaker` is the envelope around that of a peer, without its body."""

    id: str
    block: ParsedBlock
    speaker: ParsedBlock | None


class ParsedCall(NamedTuple):
    """A tool call, its arguments as they were, and its result."""

    id: str
    tool: str
    args: Mapping[str, Any]
    parts: tuple[ParsedBlock | MediaPart, ...]
    is_error: bool


ParsedItem = ParsedMessage | ParsedThought | ParsedCall


class ParsedPrompt(NamedTuple):
    """The content of a prompt, in its order."""

    system_prompt: str
    before: tuple[ParsedBlock, ...]
    timeline: tuple[ParsedItem, ...]
    after: tuple[ParsedBlock, ...]
