"""Small parts from which the tests build prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from support.turns import ran
from tether import (
    DispatchContext,
    Helpers,
    Media,
    Memory,
    Message,
    Retrievable,
    SpooledArtifact,
    TextSpool,
    Thought,
    ToolCall,
    TurnInput,
)
from tether.core.byte_sources import BytesReader
from tether.trust.compact import compact_steps
from tether.trust.loader import load_records
from tether.trust.nonces import Nonces, RecordKind
from tether.trust.prompt import CallItem, Item, MessageItem, Prompt, TextPart, ThoughtItem
from tether.trust.records import (
    LoadedCall,
    LoadedMedia,
    LoadedMessage,
    LoadedRetrievable,
    PromptRecords,
)
from tether.trust.renderer import Renderer

NONCES = Nonces(b"a secret of the tests, 32 bytes.")
TURN_ID = "turn-1"
WHEN = "2026-01-01T12:00:00+00:00"
Warnings = list[tuple[str, str]]


def nonce(kind: RecordKind, id: str) -> str:
    return NONCES.for_turn(TURN_ID).of(kind, id)


def mark(id: str) -> str:
    """The mark of a passage in the compact form."""
    return NONCES.for_turn(TURN_ID).mark("retrievable", id)


COMPACT: dict[str, Any] = {"question_buckets": ("retrievables",), "steps": compact_steps()}
"""The settings of a renderer that shows passages in short tags, beside the question."""


def rendered(records: PromptRecords, warnings: Warnings | None = None, **settings: Any) -> Prompt:
    """Render with the tests' nonces, and note what was warned of."""

    def warn(kind: str, message: str) -> None:
        if warnings is not None:
            warnings.append((kind, message))

    renderer = Renderer(nonces=NONCES, **settings)
    return renderer.render(records, turn_id=TURN_ID, warn=warn)


def memory(id: str, text: str = "text", **changes: Any) -> Memory:
    given: dict[str, Any] = {"confidence": 0.5, "importance": 1, "created_at": WHEN}
    return Memory(id=id, content=text, **(given | changes))


def passage(id: str, text: str = "text", **changes: Any) -> LoadedRetrievable:
    given: dict[str, Any] = {"trust_tier": "first-party", "created_at": WHEN}
    return LoadedRetrievable(Retrievable(id=id, content=text, **(given | changes)), text)


def said(id: str, text: str | None = "text", **changes: Any) -> LoadedMessage:
    media: tuple[LoadedMedia, ...] = changes.pop("media", ())
    given: dict[str, Any] = {"role": "user", "created_at": WHEN}
    given["attachments"] = [loaded.media for loaded in media]
    return LoadedMessage(Message(id=id, content=text, **(given | changes)), media)


def thought(id: str, text: str = "text", **changes: Any) -> Thought:
    given: dict[str, Any] = {"created_at": WHEN}
    return Thought(id=id, content=text, **(given | changes))


def call(id: str, results: Any = "text", **changes: Any) -> LoadedCall:
    """A call whose results, given as they are loaded, are also those of the record."""
    trusted: bool | None = changes.pop("trusted", False)
    held = results
    if isinstance(results, tuple):
        held = [item.media for item in results] if isinstance(results[0], LoadedMedia) else "held"
    given: dict[str, Any] = {"tool": "search", "args": {"q": "x"}, "created_at": WHEN}
    given["results"] = held
    return LoadedCall(ToolCall(id=id, **(given | changes)), results, trusted)


def call_nonce(loaded: LoadedCall) -> str:
    return nonce("tool_call", f"{loaded.record.checksum}:{loaded.record.id}")


def asset(id: str, data: str | None = None, size: int | None = None, **changes: Any) -> LoadedMedia:
    given: dict[str, Any] = {
        "kind": "video",
        "mime_type": "video/mp4",
        "filename": "clip.mp4",
        "reader": BytesReader(b""),
        "trust_tier": "third-party-public",
        "modality_hazard": "opaque-perceptual",
    }
    return LoadedMedia(Media(id=id, **(given | changes)), data, size)


def artifact(text: str = "one\ntwo\n") -> SpooledArtifact:
    return SpooledArtifact(TextSpool(text))


def text_of(item: Item) -> str:
    """Return the text of an item that shows nothing else."""
    match item:
        case ThoughtItem():
            return item.text
        case MessageItem() | CallItem():
            (part,) = item.parts
            assert isinstance(part, TextPart)
            return part.text


async def in_dispatch(
    work: Callable[[DispatchContext], Awaitable[None]],
    turn: TurnInput | None = None,
    **settings: Any,
) -> None:
    """Run one dispatch that does this work; what it raises is raised here."""

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await work(ctx)
        ctx.ack()

    given = turn or TurnInput(system_prompt="You are under test.")
    for error in (await ran(execute, turn=given, **settings)).errors:
        raise error.__cause__ or error


async def loaded_with(
    *,
    calls: Iterable[ToolCall] = (),
    retrievables: Iterable[Retrievable] = (),
    messages: Iterable[Message] = (),
    carries: Callable[[Media], bool] = lambda media: False,
    encoding: str | None = None,
    **settings: Any,
) -> PromptRecords:
    """Load the records of a dispatch that holds these."""
    found: list[PromptRecords] = []

    async def work(ctx: DispatchContext) -> None:
        ctx.turn_tool_calls.update(calls)
        ctx.turn_retrievables.update(retrievables)
        ctx.turn_messages.update(messages)
        found.append(await load_records(ctx, carries=carries, encoding=encoding))

    await in_dispatch(work, **settings)
    return found[0]
