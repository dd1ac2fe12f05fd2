"""Records as JSON text, and back to equal records."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar, cast

from tether.batteries import artifacts
from tether.batteries.storage.errors import StoreDamaged
from tether.batteries.storage.sql.blobs import BlobSource, Drained
from tether.batteries.storage.sql.database import Database
from tether.core.artifact import SpooledArtifact
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, InvalidInput, error_text
from tether.core.media import Media
from tether.core.message import Message
from tether.core.retrievable import Retrievable
from tether.core.spool import SourceSpool
from tether.core.thought import Thought
from tether.core.tiers import TRUST_TIERS, TrustTier
from tether.core.times import parse_time
from tether.core.tokenizable import Tokenizable
from tether.core.tool_call import ToolCall

T = TypeVar("T")
Form = dict[str, Any]


def json_text(value: Any) -> str:
    """Return the JSON text of a value in ASCII, which every database stores unchanged.

    Raises `InputRefused` for a value without a JSON form.
    """
    try:
        return json.dumps(value, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputRefused(f"this cannot be kept as JSON: {error_text(error)}") from error


def details_text(details: Mapping[str, Any]) -> str:
    """Return the JSON text of an application's values, lone surrogates replaced; see above."""
    exact = json_text(dict(details))
    return clean_text(json.dumps(json.loads(exact), separators=(",", ":"), ensure_ascii=False))


def restored(restore: Callable[[Any], T], body: str) -> T:
    """Return the value of a JSON text of the store; raises `StoreDamaged` if it has none."""
    try:
        return restore(json.loads(body))
    except (InvalidInput, ValueError, TypeError, LookupError, RecursionError) as error:
        raise StoreDamaged(
            f"a row of the store is damaged ({error_text(error)}): "
            "run `tether doctor`, or restore a backup"
        ) from error


def refuse_unreadable(restore: Callable[[Any], object], body: str) -> None:
    """Raise `InputRefused` for a record that could be written now and not read later."""
    try:
        restored(restore, body)
    except StoreDamaged as error:
        raise InputRefused(
            f"this record cannot be kept, because it could not be read again: {error.__cause__}; "
            "text computed per context needs a fallback"
        ) from error


class Forms:
    """Writes and reads records; the bytes of attachments and artifacts are in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def message_form(self, message: Message, drained: Drained) -> Form:
        """Return a message as JSON, its attachments by their hash."""
        attachments = [await self._media_form(media, drained) for media in message.attachments]
        return message.to_json() | {"attachments": attachments}

    async def message_text(self, message: Message, drained: Drained) -> str:
        """Return a message as JSON text; raises `InputRefused` if it could not be read again."""
        text = json_text(await self.message_form(message, drained))
        refuse_unreadable(self.message, text)
        return text

    def message(self, form: Mapping[str, Any]) -> Message:
        """Return the message of a form."""
        attachments: Any = [self._media(media) for media in form["attachments"]]
        return Message(**{**form, "attachments": attachments})

    async def thought_form(self, thought: Thought, drained: Drained) -> Form:
        """Return a thought as JSON."""
        return thought.to_json()

    def thought(self, form: Mapping[str, Any]) -> Thought:
        """Return the thought of a form."""
        return Thought(**form)

    async def retrievable_form(self, retrievable: Retrievable, drained: Drained) -> Form:
        """Return a retrievable as JSON, an artifact by its hash."""
        content = await self._content_form(retrievable.content, drained)
        return retrievable.to_json() | {"content": content}

    def retrievable(self, form: Mapping[str, Any]) -> Retrievable:
        """Return the retrievable of a form."""
        return Retrievable(**{**form, "content": self._content(form["content"])})

    async def tool_call_form(self, call: ToolCall, drained: Drained) -> Form:
        """Return a tool call as JSON, artifacts and media by their hash."""
        results: Any
        if isinstance(call.results, tuple):
            results = [await self._content_form(item, drained) for item in call.results]
        else:
            results = await self._content_form(call.results, drained)
        return call.to_json() | {"results": results}

    def tool_call(self, form: Mapping[str, Any]) -> ToolCall:
        """Return the tool call of a form."""
        results: Any = form["results"]
        restored: Any
        if isinstance(results, list):
            restored = [self._content(item) for item in cast("list[Form]", results)]
        else:
            restored = self._content(results)
        return ToolCall(**{**form, "results": restored})

    async def _content_form(
        self, content: Tokenizable | SpooledArtifact | Media, drained: Drained
    ) -> Form:
        match content:
            case Tokenizable():
                return {"text": str(content)}
            case Media():
                return {"media": await self._media_form(content, drained)}
            case _:
                id, length = await drained.add_artifact(content)
                return {"artifact": type(content).__name__, "blob": id, "length": length}

    def _content(self, form: Mapping[str, Any]) -> Any:
        if "text" in form:
            return form["text"]
        if "media" in form:
            return self._media(form["media"])
        # Artifacts of other classes come back as plain ones, which can be read by line.
        known = form["artifact"] in artifacts.__all__
        kind = getattr(artifacts, form["artifact"]) if known else SpooledArtifact
        return kind(self._reader(form))

    async def _media_form(self, media: Media, drained: Drained) -> Form:
        id, length = await drained.add_media(media)
        return media.to_json() | {"blob": id, "length": length}

    def _media(self, form: Mapping[str, Any]) -> Media:
        described = {key: value for key, value in form.items() if key not in ("blob", "length")}
        return Media(**described, reader=self._reader(form))

    def _reader(self, form: Mapping[str, Any]) -> SourceSpool:
        return SourceSpool(BlobSource(self._database, form["blob"], form["length"]))


def object_in(text: object) -> dict[str, object]:
    """Return the JSON object of a text, or an empty one."""
    try:
        value: object = json.loads(text_in(text))
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def text_in(value: object) -> str:
    """Return a text; "" for anything else."""
    return value if isinstance(value, str) else ""


def texts_in(value: object) -> tuple[str, ...]:
    """Return the texts in a list; an empty tuple for anything else."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, str))


def tier_in(value: object) -> TrustTier:
    """Return the tier of that name, the lowest one for anything else."""
    for tier in TRUST_TIERS:
        if tier == value:
            return tier
    return "third-party-private"


def time_in(value: object) -> datetime:
    """Return the time in a text, the beginning of 1970 for anything else."""
    try:
        return parse_time(text_in(value))
    except ValueError:
        return parse_time(0)
