"""The blocks of a rendered prompt, read back from its text."""

# No `from __future__ import annotations` here: see prompt.py.
import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, NoReturn, cast

from tether.core.checks import in_short
from tether.core.errors import InputRefused
from tether.core.message import Role
from tether.trust.neutral import neutralise, restore
from tether.trust.prompt import MediaPart
from tether.trust.tag_shapes import (
    NONCE_PATTERN,
    NONCED_NAMES,
    PLAIN_NAMES,
    NoncedName,
    PlainName,
    shape_problem,
)
from tether.trust.tags import is_attribute_text, quoted, unquoted
from tether.trust.visible import visible_text

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
    """The content of a prompt, in its order; `beside` is in the message with the question."""

    system_prompt: str
    before: tuple[ParsedBlock, ...]
    timeline: tuple[ParsedItem, ...]
    after: tuple[ParsedBlock, ...]
    beside: tuple[ParsedBlock, ...] = ()


_OPENER = re.compile(
    f"<(?:({'|'.join(NONCED_NAMES)})_({NONCE_PATTERN})|({'|'.join(PLAIN_NAMES)}))"
    '((?: [A-Za-z]+="[^"<>]*")*)>\n'
)
_ATTRIBUTE = re.compile(' ([A-Za-z]+)="([^"]*)"')


class Block(NamedTuple):
    """A tag and the raw text between its opening and closing form."""

    name: NoncedName | PlainName
    nonce: str | None
    attributes: dict[str, str]
    inside: str


def read_block(text: str, position: int = 0) -> tuple[Block, int]:
    """Return the block that begins at `position`, and where it ends.

    Raises `InputRefused` if no block begins there, or it does not end.
    """
    opener = _OPENER.match(text, position)
    if opener is None:
        refuse("no tag of ours begins here", text, position)
    nonced, nonce, plain, attributes = opener.groups()
    tag = plain or f"{nonced}_{nonce}"
    end = text.find(f"\n</{tag}>", opener.end())
    if end < 0:
        refuse(f"the tag <{tag}> does not end", text, position)
    shown = [(key, _value(value)) for key, value in _ATTRIBUTE.findall(attributes)]
    name = cast("NoncedName", nonced or plain)
    if problem := shape_problem(name, nonce, shown):
        refuse(f"<{tag}>: {problem}", text, position)
    block = Block(name, nonce, dict(shown), text[opener.end() : end])
    return block, end + len(tag) + 4


def _value(text: str) -> str:
    value = unquoted(text)
    if quoted(value) != text:
        refuse("an attribute contains characters that should have been escaped", text)
    if not is_attribute_text(value):
        refuse(
            "an attribute contains characters that should have been removed, or is too long", text
        )
    return value


def whole_block(text: str) -> Block:
    """Return the block that makes up the whole of `text`."""
    block, end = read_block(text)
    if end != len(text):
        refuse("there is text after the closing tag", text, end)
    return block


def read_blocks(text: str, separator: str) -> list[Block]:
    """Return the blocks that make up `text`."""
    blocks: list[Block] = []
    position = -len(separator)
    while position < len(text):
        if blocks and not text.startswith(separator, position):
            refuse("there is text after the closing tag", text, position)
        block, position = read_block(text, position + len(separator))
        blocks.append(block)
    return blocks


def payload_of(text: str) -> str:
    """Return a payload as it was before it was neutralised.

    Raises `InputRefused` if it contains anything that neutralising would have changed, or hidden
    characters.
    """
    original = restore(text)
    if neutralise(original) != text:
        refuse("a payload contains a live look-alike of a tag or of a control token", text)
    if visible_text(original).text != original:
        refuse("a payload contains hidden characters", text)
    return original


def named(block: Block, name: NoncedName | PlainName) -> Block:
    """Return the block, if it has this name."""
    if block.name != name:
        refuse(f"<{name}> was expected, not <{block.name}>", block.inside)
    return block


def kind_of(block: Block, kinds: tuple[str, ...]) -> BlockKind:
    """Return the kind in a tag, if it is one of these."""
    kind = block.attributes.get("kind", "")
    if kind not in kinds:
        refuse(f"<{block.name}> cannot be {kind!r} here", block.inside)
    return cast("BlockKind", kind)


def parsed_block(block: Block, kind: BlockKind) -> ParsedBlock:
    """Return a block with its original payload."""
    return ParsedBlock(kind, block.name, block.nonce, block.attributes, payload_of(block.inside))


def refuse(problem: str, text: str, position: int = 0) -> NoReturn:
    """Raise `InputRefused` for a text that the renderer cannot have made, showing the place."""
    raise InputRefused(
        f"this is not a prompt of ours: {problem}: {in_short(text[position : position + 80])}",
        help="Give parse_prompt what Renderer.render returned, unchanged.",
    )
