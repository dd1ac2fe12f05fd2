"""Reads a rendered prompt back: the proof that no payload leaves its envelope.

It works on the text that a model is shown and knows nothing of how the text was made. It refuses a
text that cannot have come from the renderer, instead of guessing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.checks import Checks
from tether.core.errors import InputRefused
from tether.trust.buckets import SAFETY_DIRECTIVE
from tether.trust.media import safe_filename, safe_mime_type
from tether.trust.neutral import changed_json
from tether.trust.parsed import (
    Block,
    BlockKind,
    ParsedBlock,
    ParsedCall,
    ParsedItem,
    ParsedMessage,
    ParsedPrompt,
    ParsedThought,
    kind_of,
    named,
    parsed_block,
    payload_of,
    read_block,
    read_blocks,
    refuse,
    whole_block,
)
from tether.trust.prompt import Bucket, CallItem, MediaPart, MessageItem, ThoughtItem
from tether.trust.tag_shapes import NONCE_PATTERN, NONCED_NAMES
from tether.trust.timeline import is_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tether.trust.prompt import Item, Part, Prompt


_ENVELOPE = re.compile(rf"^</?(?:{'|'.join(NONCED_NAMES)})_{NONCE_PATTERN}[ >]", re.MULTILINE)

_ATTACHED = re.compile(r"\[media id: ([^\[\]|\s]+) \| ([^\[\]\n]+)\]")

_RETURNED = re.compile(r"\[media id: ([^\[\]|\s]+)\]")

_THIRD_PARTY: tuple[BlockKind, ...] = (
    "retrieved-third-party-public",
    "retrieved-third-party-private",
)

_TIERS: tuple[BlockKind, ...] = ("retrieved-first-party", *_THIRD_PARTY)

# The kinds that a tag may name, by its place.
_RESULTS = {
    "untrusted_content": ("tool-result", "artifact-handle"),
    "trusted_content": ("trusted-tool-result",),
}

_FALLBACKS = dict.fromkeys(_RESULTS, ("media-fallback",))

_OPAQUE = "opaque-reasoning"


class _Sections(NamedTuple):
    """The blocks in their order, and the buckets that they are from."""

    blocks: tuple[ParsedBlock, ...] = ()
    buckets: tuple[Bucket, ...] = ()


class _Place(NamedTuple):
    """The place of a block: the bucket, the rank of its tier there, whether more may follow."""

    bucket: Bucket
    rank: int = 0
    repeats: bool = False


def parse_prompt(prompt: Prompt, *, safety_directive: str = SAFETY_DIRECTIVE) -> ParsedPrompt:
    """Return the content of the prompt.

    The system prompt is the developer's and raw: it ends where all the text after it reads as our
    blocks. (If it ends in a whole block of rules and has no other rules, these count as the rules:
    both are the developer's words.) `safety_directive` is the text of that step, if it was
    replaced. Raises `InputRefused` if the text is not ours.
    """
    system_prompt, before = _leading(prompt.leading, safety_directive)
    beside = _further(prompt.evidence, safety_directive, before.buckets)
    after = _further(prompt.trailing, safety_directive, (*before.buckets, *beside.buckets))
    timeline = tuple(map(_read_item, prompt.timeline))
    return ParsedPrompt(system_prompt, before.blocks, timeline, after.blocks, beside.blocks)


def _further(text: str, directive: str, earlier: Collection[Bucket]) -> _Sections:
    return _read_sections(text, directive, earlier=earlier) if text else _Sections()


def _leading(text: str, directive: str) -> tuple[str, _Sections]:
    """Find the leftmost place from which the rest of the text reads as our blocks."""
    for start in _beginnings(text):
        try:
            found = _read_sections(text, directive, start)
        except InputRefused:
            continue
        return text[:start].removesuffix("\n\n"), found
    if _ENVELOPE.search(text):
        refuse("there are envelopes in it, but it does not end in our blocks", text)
    return text, _Sections()


def _beginnings(text: str) -> Iterator[int]:
    if text:
        yield 0
    start = text.find("\n\n")
    while start >= 0:
        yield start + 2
        start = text.find("\n\n", start + 1)


def _read_sections(
    text: str, directive: str, position: int = 0, earlier: Collection[Bucket] = ()
) -> _Sections:
    """Return the buckets from `position` to the end.

    Raises `InputRefused` for any other text, and for a bucket that comes twice; `earlier` are the
    buckets before it.
    """
    found: list[ParsedBlock] = []
    buckets: list[Bucket] = []
    opening, previous = f"{directive}\n\n", None
    while True:
        directed = bool(directive) and text.startswith(opening, position)
        start = position + len(opening) if directed else position
        block, position = read_block(text, start)
        place = _place(block)
        if directed and (place.bucket != "retrievables" or _is_same(place, previous)):
            refuse("the directive is not before retrieved text", text, start)
        if not _may_follow(place, previous, (*earlier, *buckets)):
            refuse(f"<{block.name}> comes twice, or too late", text, start)
        if not _is_same(place, previous):
            buckets.append(place.bucket)
        previous = place
        found += _section(block)
        if position == len(text):
            return _Sections(tuple(found), tuple(buckets))
        if not text.startswith("\n\n", position):
            refuse("there is text after the closing tag", text, position)
        position += 2


def _place(block: Block) -> _Place:
    match block.name:
        case "system_instructions":
            return _Place("standing_instructions")
        case "memories":
            return _Place("memories")
        case "retrieved_corpus":
            return _Place("retrievables")
        case "passage":
            return _Place("retrievables", _TIERS.index(_tier(block)), repeats=True)
        case _:
            kind = kind_of(named(block, "untrusted_content"), _THIRD_PARTY)
            return _Place("retrievables", _TIERS.index(kind), repeats=True)


def _tier(passage: Block) -> BlockKind:
    """Return the kind of a passage in a short tag, which names only the tier of others."""
    shown = passage.attributes.get("tier", "first-party")
    return next(kind for kind in _TIERS if kind.endswith(shown))


def _is_same(place: _Place, previous: _Place | None) -> bool:
    return previous is not None and place.bucket == previous.bucket


def _may_follow(place: _Place, previous: _Place | None, seen: Collection[Bucket]) -> bool:
    """Passages in short tags and third-party texts are single blocks, our own first, then public
    and private ones; other buckets are one block."""
    if previous is not None and place.bucket == previous.bucket:
        return place.repeats and place.rank >= previous.rank
    return place.bucket not in seen


def _section(block: Block) -> list[ParsedBlock]:
    match block.name:
        case "system_instructions":
            return [parsed_block(block, kind_of(block, ("developer-rules",)))]
        case "memories":
            return [parsed_block(named(one, "memory"), "memory") for one in _children(block)]
        case "retrieved_corpus":
            ours = [named(one, "retrieved") for one in _children(block)]
            return [parsed_block(one, "retrieved-first-party") for one in ours]
        case "passage":
            return [parsed_block(block, _tier(block))]
        case _:
            return [parsed_block(block, kind_of(block, _THIRD_PARTY))]


def _children(block: Block) -> list[Block]:
    return read_blocks(block.inside, "\n")


def _read_item(item: Item) -> ParsedItem:
    """Return the content of an item; raises `InputRefused` if the renderer cannot have made it."""
    match item:
        case MessageItem():
            return _message(item)
        case ThoughtItem():
            return _thought(item)
        case _:
            return _call(item)


def _message(item: MessageItem) -> ParsedMessage:
    """Read pairs of a marker and an asset; an odd number of parts begins with the text."""
    if item.name is not None:
        _check_name(item.name)
    with_text = len(item.parts) % 2
    parts = [_said(item, part) for part in item.parts[:with_text]]
    assets = _assets(item.parts[with_text:], returned=False)
    return ParsedMessage(item.role, item.name, (*parts, *assets))


def _said(item: MessageItem, part: Part) -> ParsedBlock:
    if isinstance(part, MediaPart):
        refuse("an asset has no marker before it", part.filename)
    if item.role == "user":
        return parsed_block(named(whole_block(part.text), "message"), "message")
    if not part.text.startswith("<peer_agent_output_"):
        return ParsedBlock("own-message", None, None, {}, payload_of(part.text))
    block = named(whole_block(part.text), "peer_agent_output")
    if "kind" in block.attributes:
        refuse("the message of a peer has no kind", part.text)
    return parsed_block(block, "peer-message")


def _call(item: CallItem) -> ParsedCall:
    """One result, or any number of assets."""
    _check_id(item.id)
    _check_name(item.tool)
    args = changed_json(item.args, payload_of)
    if len(item.parts) == 1:
        return _parsed_call(item, args, _content(item.parts[0], _RESULTS, returned=True))
    return _parsed_call(item, args, *_assets(item.parts, returned=True))


def _parsed_call(item: CallItem, args: Any, *parts: ParsedBlock | MediaPart) -> ParsedCall:
    return ParsedCall(item.id, item.tool, args, parts, item.is_error)


def _assets(parts: Sequence[Part], *, returned: bool) -> Iterator[ParsedBlock | MediaPart]:
    """Read assets after their markers; a marker without an asset is refused."""
    if len(parts) % 2:
        refuse("there is one result, or each asset has a marker", str(parts[0]))
    for position in range(0, len(parts), 2):
        yield _marker(parts[position], returned=returned)
        asset = parts[position + 1]
        if not isinstance(asset, MediaPart):
            yield _content(asset, _FALLBACKS, returned=returned)
            continue
        safe = safe_mime_type(asset.mime_type), safe_filename(asset.filename)
        if safe != (asset.mime_type, asset.filename):
            refuse("an asset has a type or a name that is not safe", asset.filename)
        yield asset


def _marker(part: Part, *, returned: bool) -> ParsedBlock:
    if isinstance(part, MediaPart):
        refuse("an asset has no marker before it", part.filename)
    found = (_RETURNED if returned else _ATTACHED).fullmatch(part.text)
    if found is None:
        refuse("this is not a marker of an asset", part.text)
    names: dict[str, str] = {}
    for name, text in zip(("id", "filename"), found.groups(), strict=False):
        names[name] = payload_of(text)
    return ParsedBlock("media-marker", None, None, names, " | ".join(names.values()))


def _content(part: Part, kinds: Mapping[str, tuple[str, ...]], *, returned: bool) -> ParsedBlock:
    if isinstance(part, MediaPart):
        refuse("an asset has no marker before it", part.filename)
    block = whole_block(part.text)
    kind = kind_of(block, kinds.get(block.name, ()))
    if ("modality" in block.attributes) != (kind == "media-fallback"):
        refuse("a modality is said of media, and only of them", part.text)
    if ("tool" in block.attributes) != returned:
        refuse("a tool is named where one returned something, and only there", part.text)
    return parsed_block(block, kind)


def _thought(item: ThoughtItem) -> ParsedThought:
    _check_id(item.id)
    outer = whole_block(item.text)
    is_peers = outer.name == "peer_agent_output"
    inner = whole_block(outer.inside) if is_peers else outer
    plain = "peer-reasoning" if is_peers else "self-reasoning"
    block = parsed_block(named(inner, "thought"), kind_of(inner, (plain, _OPAQUE)))
    opaque = block.kind == _OPAQUE
    if ("replayCompatibility" in inner.attributes) != opaque:
        refuse("a wire is named for an opaque block, and only for one", item.text)
    if item.payload is not None and (is_peers or not opaque):
        refuse("only an opaque block of its own goes back to a model", item.text)
    if not is_peers:
        return ParsedThought(item.id, block, None)
    _check_speaker(outer, inner)
    speaker = ParsedBlock("peer-message", outer.name, outer.nonce, outer.attributes, "")
    return ParsedThought(item.id, block, speaker)


def _check_speaker(outer: Block, inner: Block) -> None:
    said = {"kind": "reasoning", **{key: inner.attributes[key] for key in ("from", "createdAt")}}
    if outer.nonce != inner.nonce or outer.attributes != said:
        refuse("the two envelopes of a thought do not agree", outer.inside)


def _check_name(name: str) -> None:
    if not is_name(name):
        refuse("this is not a name that wires accept", name)


def _check_id(id: str) -> None:
    check = Checks()
    check.identifier("id", id)
    if check.problems:
        refuse("this is not an id", id)
