"""Reads a rendered prompt back: the proof that no payload leaves its envelope.

It works on the text that a model is shown and knows nothing of how the text was made. Where that
text cannot have come from the renderer it says so, instead of guessing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from tether.core.errors import InputRefused
from tether.trust.blocks import Block, payload_of, read_block, read_blocks, refuse, whole_block
from tether.trust.names import NONCED_NAMES
from tether.trust.neutralise import changed_json
from tether.trust.parsed import (
    BlockKind,
    ParsedBlock,
    ParsedCall,
    ParsedItem,
    ParsedMessage,
    ParsedPrompt,
    ParsedThought,
)
from tether.trust.prompt import MediaPart, MessageItem, TextPart, ThoughtItem
from tether.trust.retrievables import SAFETY_DIRECTIVE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tether.trust.prompt import Item, Part, Prompt

_MARKER = re.compile(r"\[media id: [^\[\]\n]* \| [^\[\]\n]*\]")
_ENVELOPE = re.compile(rf"^</?(?:{'|'.join(NONCED_NAMES)})_[0-9a-f]{{32}}[ >]", re.MULTILINE)

# The kinds that a tag may name, in the place where it stands.
_THIRD_PARTY = ("retrieved-third-party-public", "retrieved-third-party-private")
_RESULTS = {
    "untrusted_content": ("tool-result", "artifact-handle", "media-fallback"),
    "trusted_content": ("trusted-tool-result", "media-fallback"),
}
_REASONING = ("self-reasoning", "peer-reasoning", "opaque-reasoning")


def parse_prompt(prompt: Prompt, *, safety_directive: str = SAFETY_DIRECTIVE) -> ParsedPrompt:
    """Return what the prompt says.

    The system prompt is the developer's and stands raw: it ends where everything behind it reads as
    our blocks. (One that itself ends in a whole block of rules, where there are no other rules,
    reads as these rules: both are the developer's words.) `safety_directive` is the text of that
    step, where it was replaced. Raises `InputRefused` where the text is not one of ours.
    """
    system_prompt, before = _leading(prompt.leading, safety_directive)
    trailing = prompt.trailing
    return ParsedPrompt(
        system_prompt,
        before,
        tuple(map(_item, prompt.timeline)),
        _sections(trailing, safety_directive) if trailing else (),
    )


def _leading(text: str, directive: str) -> tuple[str, tuple[ParsedBlock, ...]]:
    """Try each place where blocks may begin; the leftmost from which all reads as ours it is."""
    for start in _beginnings(text):
        try:
            blocks = _sections(text[start:], directive)
        except InputRefused:
            continue
        return text[:start].removesuffix("\n\n"), blocks
    if _ENVELOPE.search(text):
        refuse("there are envelopes in it, but it does not end in our blocks", text)
    return text, ()


def _beginnings(text: str) -> Iterator[int]:
    if text:
        yield 0
    start = text.find("\n\n")
    while start >= 0:
        yield start + 2
        start = text.find("\n\n", start + 1)


def _sections(text: str, directive: str) -> tuple[ParsedBlock, ...]:
    """Read the buckets of a system message: each has one block without a nonce at most."""
    found: list[ParsedBlock] = []
    seen: set[str] = set()
    opening = f"{directive}\n\n"
    position = 0
    while True:
        if directive and text.startswith(opening, position):
            position += len(opening)
        block, position = read_block(text, position)
        if block.name in seen:
            refuse(f"there are two blocks of <{block.name}>", block.inside)
        if block.nonce is None:
            seen.add(block.name)
        found += _section(block)
        if position == len(text):
            return tuple(found)
        if not text.startswith("\n\n", position):
            refuse("something stands after the closing tag", text[position:])
        position += 2


def _section(block: Block) -> list[ParsedBlock]:
    match block.name:
        case "system_instructions":
            return [_parsed(block, "developer-rules")]
        case "memories":
            return [_parsed(_named(one, "memory"), "memory") for one in _children(block)]
        case "retrieved_corpus":
            children = _children(block)
            return [_parsed(_named(one, "retrieved"), "retrieved-first-party") for one in children]
        case _:
            return [_parsed(_named(block, "untrusted_content"), _kind(block, _THIRD_PARTY))]


def _item(item: Item) -> ParsedItem:
    match item:
        case MessageItem():
            return ParsedMessage(item.role, item.name, tuple(_message_parts(item)))
        case ThoughtItem():
            return _thought(item)
        case _:
            args, parts = changed_json(item.args, payload_of), tuple(_parts(item.parts))
            return ParsedCall(item.id, item.tool, args, parts, item.is_error)


def _message_parts(item: MessageItem) -> Iterator[ParsedBlock | MediaPart]:
    text = item.parts[0] if item.parts else None
    if not isinstance(text, TextPart) or _is_marked(item.parts):
        yield from _parts(item.parts)
        return
    if item.role == "user":
        yield _parsed(_named(whole_block(text.text), "message"), "message")
    elif text.text.startswith("<peer_agent_output_"):
        yield _parsed(_named(whole_block(text.text), "peer_agent_output"), "peer-message")
    else:
        yield ParsedBlock("own-message", None, None, {}, payload_of(text.text))
    yield from _parts(item.parts[1:])


def _parts(parts: Sequence[Part]) -> Iterator[ParsedBlock | MediaPart]:
    """Read results, and assets behind their markers."""
    position = 0
    while position < len(parts):
        part = parts[position]
        if isinstance(part, MediaPart):
            refuse("an asset has no marker before it", part.filename)
        if _is_marked(parts[position:]):
            yield _marker(part)
            asset = parts[position + 1]
            yield asset if isinstance(asset, MediaPart) else _result(asset)
            position += 2
        else:
            yield _result(part)
            position += 1


def _is_marked(parts: Sequence[Part]) -> bool:
    """Say whether an asset comes first. A marker alone is somebody's words that look like one."""
    if len(parts) < 2 or isinstance(parts[0], MediaPart) or not _MARKER.fullmatch(parts[0].text):
        return False
    asset = parts[1]
    if isinstance(asset, MediaPart):
        return True
    return asset.text.startswith(("<trusted_content_", "<untrusted_content_"))


def _marker(part: TextPart) -> ParsedBlock:
    id, _, filename = part.text.removeprefix("[media id: ").removesuffix("]").partition(" | ")
    names = {"id": payload_of(id), "filename": payload_of(filename)}
    return ParsedBlock("media-marker", None, None, names, " | ".join(names.values()))


def _result(part: TextPart) -> ParsedBlock:
    block = whole_block(part.text)
    return _parsed(block, _kind(block, _RESULTS.get(block.name, ())))


def _thought(item: ThoughtItem) -> ParsedThought:
    outer = whole_block(item.text)
    inner = whole_block(outer.inside) if outer.name == "peer_agent_output" else outer
    block = _parsed(_named(inner, "thought"), _kind(inner, _REASONING))
    if inner is outer:
        return ParsedThought(item.id, block, None)
    speaker = ParsedBlock("peer-message", outer.name, outer.nonce, outer.attributes, "")
    return ParsedThought(item.id, block, speaker)


def _children(block: Block) -> list[Block]:
    return read_blocks(block.inside, "\n")


def _named(block: Block, name: str) -> Block:
    if block.name != name:
        refuse(f"<{name}> was expected, not <{block.name}>", block.inside)
    return block


def _kind(block: Block, kinds: tuple[str, ...]) -> BlockKind:
    kind = block.attributes.get("kind", "")
    if kind not in kinds:
        refuse(f"<{block.name}> cannot be {kind!r} here", block.inside)
    return cast("BlockKind", kind)


def _parsed(block: Block, kind: BlockKind) -> ParsedBlock:
    body = payload_of(block.inside)
    return ParsedBlock(kind, block.name, block.nonce, block.attributes, body)
