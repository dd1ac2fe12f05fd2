"""What must come back from a rendered prompt, told by the contract and not by the renderer.

Bodies come back as a person sees them: the very text, where nothing in it can hide. The words that
stand for an opaque block of reasoning are the renderer's own: they come back as an empty text here,
and `comparable` empties them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

from support.prompts import call_nonce, mark, nonce
from tether import Identity, Memory, Message, Thought
from tether.core.media import ModalityHazard
from tether.core.tiers import lower_tier
from tether.trust.parsed import (
    BlockKind,
    ParsedBlock,
    ParsedCall,
    ParsedItem,
    ParsedMessage,
    ParsedPrompt,
    ParsedThought,
)
from tether.trust.prompt import MediaPart
from tether.trust.records import (
    Handle,
    LoadedCall,
    LoadedMedia,
    LoadedMessage,
    LoadedRetrievable,
    PromptRecords,
)
from tether.trust.tag_shapes import NoncedName
from tether.trust.visible import visible_text

MODALITIES: dict[ModalityHazard, str] = {
    "inert": "inert",
    "extractable-instructions": "extractable",
    "opaque-perceptual": "opaque",
}
Part = ParsedBlock | MediaPart


_ENDS_OF_LINES = "\t\n\r"
_WITHOUT_INK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"


@cache
def _may_hide(character: str) -> bool:
    """By the Unicode database: controls, formats, selectors, and what is listed as without ink."""
    return (
        (unicodedata.category(character) in {"Cc", "Cf"} and character not in _ENDS_OF_LINES)
        or character in _WITHOUT_INK
        or "VARIATION SELECTOR" in unicodedata.name(character, "")
    )


def seen(text: str) -> str:
    """A text as a person sees it: as it is, where nothing in it can hide."""
    return visible_text(text).text if any(map(_may_hide, set(text))) else text


def line(text: str) -> str:
    """An attribute's value: one line, at most 200 characters."""
    one = re.sub("[\t\n\r\u2028\u2029]+", " ", seen(text))
    return one if len(one) <= 200 else f"{seen(one[:200])}…"


def attributes(**values: str | None) -> dict[str, str]:
    return {name.strip("_"): line(value) for name, value in values.items() if value is not None}


def expected_prompt(records: PromptRecords, *, compact: bool = False) -> ParsedPrompt:
    """What a prompt of these records says, with every thought shown and assets described.

    In the compact form the passages are beside the question, each tier in the order given.
    """
    rules = "\n\n".join(text for item in records.standing_instructions if (text := seen(item)))
    before: list[ParsedBlock] = []
    if rules:
        shown = attributes(kind="developer-rules")
        before.append(ParsedBlock("developer-rules", "system_instructions", None, shown, rules))
    before += [expected_memory(memory) for memory in records.memories]
    beside = [] if not compact else _compact_retrievables(records.retrievables)
    before += [] if compact else expected_retrievables(records.retrievables)
    timeline = expected_timeline(records)
    return ParsedPrompt(records.system_prompt, tuple(before), timeline, (), tuple(beside))


def expected_memory(memory: Memory) -> ParsedBlock:
    key = nonce("memory", memory.id)
    shown = attributes(
        nonce=key,
        createdAt=memory.created_at.isoformat(),
        confidence=str(memory.confidence),
        importance=str(memory.importance),
    )
    return ParsedBlock("memory", "memory", key, shown, seen(str(memory.content)))


def expected_retrievables(loaded: tuple[LoadedRetrievable, ...]) -> list[ParsedBlock]:
    """Ours in the order given; strangers' by age, the open web first."""
    ours = [one for one in loaded if one.record.trust_tier == "first-party"]
    theirs = sorted(
        (one for one in loaded if one.record.trust_tier != "first-party"),
        key=lambda one: (
            one.record.trust_tier == "third-party-private",
            one.record.created_at,
            one.record.id,
        ),
    )
    return [*map(_first_party, ours), *map(_third_party, theirs)]


def _first_party(loaded: LoadedRetrievable) -> ParsedBlock:
    record = loaded.record
    key = nonce("retrievable", record.id)
    shown = attributes(
        source=record.source,
        nonce=key,
        createdAt=record.created_at.isoformat(),
        kind=record.kind,
        score=None if record.score is None else str(record.score),
    )
    assert isinstance(loaded.content, str)
    return ParsedBlock("retrieved-first-party", "retrieved", key, shown, seen(loaded.content))


def _third_party(loaded: LoadedRetrievable) -> ParsedBlock:
    record = loaded.record
    key = nonce("retrievable", record.id)
    public = record.trust_tier == "third-party-public"
    kind: BlockKind = "retrieved-third-party-public" if public else "retrieved-third-party-private"
    shown = attributes(nonce=key, kind=kind, tool=record.source)
    assert isinstance(loaded.content, str)
    return ParsedBlock(kind, "untrusted_content", key, shown, seen(loaded.content))


def _compact_retrievables(loaded: tuple[LoadedRetrievable, ...]) -> list[ParsedBlock]:
    tiers = ("first-party", "third-party-public", "third-party-private")
    ranked = sorted(loaded, key=lambda one: tiers.index(one.record.trust_tier))
    return [_compact(one) for one in ranked]


def _compact(loaded: LoadedRetrievable) -> ParsedBlock:
    record = loaded.record
    kinds: dict[str, BlockKind] = {
        "first-party": "retrieved-first-party",
        "third-party-public": "retrieved-third-party-public",
        "third-party-private": "retrieved-third-party-private",
    }
    is_ours = record.trust_tier == "first-party"
    shown = attributes(source=record.source, tier=None if is_ours else record.trust_tier)
    assert isinstance(loaded.content, str)
    kind = kinds[record.trust_tier]
    return ParsedBlock(kind, "passage", mark(record.id), shown, seen(loaded.content))


def expected_timeline(records: PromptRecords) -> tuple[ParsedItem, ...]:
    """In the order of time; at one moment messages, then thoughts, then calls."""
    timed: list[tuple[Any, ParsedItem]] = []
    for loaded in records.messages:
        message = _message(loaded)
        if message.parts:
            timed.append((loaded.record.created_at, message))
    timed += [(thought.created_at, _thought(thought)) for thought in records.thoughts]
    timed += [(loaded.record.created_at, _call(loaded)) for loaded in records.calls]
    return tuple(item for _, item in sorted(timed, key=lambda entry: entry[0]))


def _name(identifier: str) -> str:
    return re.sub("[^a-zA-Z0-9_-]", "_", seen(identifier))[:64]


def _is_own(identity: Identity) -> bool:
    return identity.identifier == "assistant"


def _message(loaded: LoadedMessage) -> ParsedMessage:
    message = loaded.record
    parts: list[Part] = []
    if message.content is not None:
        parts += _said(message, seen(str(message.content)))
    for asset in loaded.media:
        parts += expected_media(asset, nonce("message", message.id))
    return ParsedMessage(message.role, _name(str(message.identity.identifier)), tuple(parts))


def _said(message: Message, body: str) -> list[Part]:
    key = nonce("message", message.id)
    created = message.created_at.isoformat()
    if message.role == "user":
        shown = attributes(
            from_=str(message.identity.representation), role="user", createdAt=created
        )
        return [ParsedBlock("message", "message", key, shown, body)]
    if _is_own(message.identity):
        return [ParsedBlock("own-message", None, None, {}, body)] if body else []
    shown = attributes(from_=str(message.identity.representation), createdAt=created)
    return [ParsedBlock("peer-message", "peer_agent_output", key, shown, body)]


def _thought(thought: Thought) -> ParsedThought:
    key = nonce("thought", thought.id)
    own = _is_own(thought.identity)
    speaker = str(thought.identity.identifier if own else thought.identity.representation)
    created = thought.created_at.isoformat()
    opaque = thought.payload is not None
    kind: BlockKind = (
        "opaque-reasoning" if opaque else "self-reasoning" if own else "peer-reasoning"
    )
    shown = attributes(
        nonce=key,
        kind=kind,
        from_=speaker,
        createdAt=created,
        replayCompatibility=thought.replay_compatibility if opaque else None,
    )
    body = "" if opaque else seen(str(thought.content))
    block = ParsedBlock(kind, "thought", key, shown, body)
    if own:
        return ParsedThought(thought.id, block, None)
    outer = attributes(kind="reasoning", from_=speaker, createdAt=created)
    around = ParsedBlock("peer-message", "peer_agent_output", key, outer, "")
    return ParsedThought(thought.id, block, around)


def _call(loaded: LoadedCall) -> ParsedCall:
    call = loaded.record
    key = call_nonce(loaded)
    parts: list[Part] = []
    match loaded.results:
        case str():
            kind: BlockKind = "trusted-tool-result" if loaded.trusted else "tool-result"
            shown = attributes(nonce=key, kind=kind, tool=call.tool)
            tag = _content(bool(loaded.trusted))
            parts.append(ParsedBlock(kind, tag, key, shown, seen(loaded.results)))
        case Handle():
            shown = attributes(nonce=key, kind="artifact-handle", tool=call.tool)
            parts.append(ParsedBlock("artifact-handle", "untrusted_content", key, shown, ""))
        case assets:
            for asset in assets:
                parts += expected_media(asset, key, call.tool)
    return ParsedCall(call.id, _name(call.tool), _args(call.args), tuple(parts), call.is_error)


def _args(value: Any) -> Any:
    if isinstance(value, str):
        return seen(value)
    if isinstance(value, list):
        return [_args(item) for item in value]
    if isinstance(value, dict):
        return {seen(key): _args(item) for key, item in value.items()}
    return value


def expected_media(loaded: LoadedMedia, key: str, tool: str | None = None) -> list[Part]:
    """A marker, then the bytes, or a line that describes them."""
    media = loaded.media
    filename = _filename(media.filename)
    names = {"id": seen(_round(re.sub(r"[\s|\uff5c]+", "_", _filename(media.id))))}
    if tool is None:
        names["filename"] = seen(_round(re.sub(r"\s+", " ", filename)))
    marker = " | ".join(names.values())
    parts: list[Part] = [ParsedBlock("media-marker", None, None, names, marker)]
    if loaded.data is not None:
        return [*parts, MediaPart(media.kind, media.mime_type, filename, loaded.data)]
    entry = media.stash.get("text:transcript")
    tier = media.trust_tier if entry is None else lower_tier(entry.trust_tier, media.trust_tier)
    description = f"[media: {_round(filename)}, {media.mime_type}, unknown size]"
    text = description if entry is None else str(entry.value)
    tag = _content(tier == "first-party")
    shown = attributes(
        nonce=key, kind="media-fallback", tool=tool, modality=MODALITIES[media.modality_hazard]
    )
    return [*parts, ParsedBlock("media-fallback", tag, key, shown, seen(text))]


def _content(trusted: bool) -> NoncedName:
    return "trusted_content" if trusted else "untrusted_content"


def _filename(name: str) -> str:
    safe = re.sub("[<>\x00-\x1f\x7f-\x9f\u2028\u2029]", "", seen(name)) or "unnamed"
    return safe if len(safe) <= 256 else f"{safe[:256]}…"


def _round(name: str) -> str:
    return name.translate(str.maketrans("[]\uff3b\uff3d\ufe47\ufe48", "()()()"))


def comparable(prompt: ParsedPrompt) -> ParsedPrompt:
    """Empty the bodies that the renderer words itself: opaque reasoning, and handles."""
    return prompt._replace(timeline=tuple(map(_without_wording, prompt.timeline)))


def _without_wording(item: ParsedItem) -> ParsedItem:
    match item:
        case ParsedThought(block=block) if block.kind == "opaque-reasoning":
            return item._replace(block=block._replace(body=""))
        case ParsedCall():
            return item._replace(parts=tuple(map(_emptied, item.parts)))
        case _:
            return item


def _emptied(part: Part) -> Part:
    if isinstance(part, ParsedBlock) and part.kind == "artifact-handle":
        return part._replace(body="")
    return part
