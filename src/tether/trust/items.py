"""Reads back the items of a timeline."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tether.core.checks import Checks
from tether.trust.blocks import (
    Block,
    kind_of,
    named,
    parsed_block,
    payload_of,
    refuse,
    whole_block,
)
from tether.trust.media import safe_filename, safe_mime_type
from tether.trust.messages import is_name
from tether.trust.neutral import changed_json
from tether.trust.parsed import (
    ParsedBlock,
    ParsedCall,
    ParsedItem,
    ParsedMessage,
    ParsedThought,
)
from tether.trust.prompt import CallItem, MediaPart, MessageItem, ThoughtItem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tether.trust.prompt import Item, Part

_ATTACHED = re.compile(r"\[media id: ([^\[\]|\s]+) \| ([^\[\]\n]+)\]")
_RETURNED = re.compile(r"\[media id: ([^\[\]|\s]+)\]")

# The kinds that a tag may name, in the place where it stands.
_RESULTS = {
    "untrusted_content": ("tool-result", "artifact-handle"),
    "trusted_content": ("trusted-tool-result",),
}
_FALLBACKS = dict.fromkeys(_RESULTS, ("media-fallback",))
_OPAQUE = "opaque-reasoning"


def read_item(item: Item) -> ParsedItem:
    """Return what an item says. Raises `InputRefused` where the renderer cannot have made it."""
    match item:
        case MessageItem():
            return _message(item)
        case ThoughtItem():
            return _thought(item)
        case _:
            return _call(item)


def _message(item: MessageItem) -> ParsedMessage:
    """Each asset has its marker: one part more than pairs of these is the text, and comes first."""
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
        refuse("what a peer said has no kind", part.text)
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
    """Read assets behind their markers; a marker without one is refused."""
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
        refuse("this is no marker of an asset", part.text)
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
        refuse("this is no name as wires take it", name)


def _check_id(id: str) -> None:
    check = Checks()
    check.identifier("id", id)
    if check.problems:
        refuse("this is no id", id)
