"""What a rendered prompt says, read back from its text."""

# No `from __future__ import annotations` here: see prompt.py.
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from tether.core.message import Role
from tether.trust.names import NoncedName, PlainName
from tether.trust.prompt import MediaPart

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
"""What a text is: by its tag, the `kind` in it, and the place where it stands."""


class ParsedBlock(NamedTuple):
    """One text with its authority. `body` is what was given, without what nobody could see.

    `tag` is None for what stands without one: the assistant's own words, and markers of media.
    """

    kind: BlockKind
    tag: NoncedName | PlainName | None
    nonce: str | None
    attributes: Mapping[str, str]
    body: str

    @property
    def source(self) -> str | None:
        """Where a retrieved text, or the name of the tool that a result, came from."""
        return self.attributes.get("source", self.attributes.get("tool"))


class ParsedMessage(NamedTuple):
    """Something said: its text, if it had one, then each asset behind its marker."""

    role: Role
    name: str | None
    parts: tuple[ParsedBlock | MediaPart, ...]


class ParsedThought(NamedTuple):
    """Reasoning. `speaker` is the envelope around somebody else's, its body left out."""

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
    """Everything that a prompt says, in its order."""

    system_prompt: str
    before: tuple[ParsedBlock, ...]
    timeline: tuple[ParsedItem, ...]
    after: tuple[ParsedBlock, ...]
