"""Records as JSON text, and back: what comes out is equal to what went in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from tether.batteries import artifacts
from tether.batteries.storage.sql.blobs import BlobSource, Drained
from tether.batteries.storage.sql.database import Database
from tether.core.artifact import SpooledArtifact
from tether.core.cleaning import clean_text
from tether.core.errors import InputRefused, InvalidInput, StoreDamaged, error_text
from tether.core.media import Media
from tether.core.message import Message
from tether.core.retrievable import Retrievable
from tether.core.spool import SourceSpool
from tether.core.text import Tokenizable
from tether.core.thought import Thought
from tether.core.tool_call import ToolCall

T = TypeVar("T")
Form = dict[str, Any]


def json_text(value: Any) -> str:
    """Return the JSON text of a value, in ASCII: no character in it can trouble a database.

    Every text in it comes back as it was. Raises `InputRefused` for what has no JSON form.
    """
    try:
        return json.dumps(value, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputRefused(f"this cannot be kept as JSON: {error_text(error)}") from error


def details_text(details: Mapping[str, Any]) -> str:
    """Return the JSON text of what an application keeps, lone surrogates replaced; see above."""
    exact = json_text(dict(details))
    return clean_text(json.dumps(json.loads(exact), separators=(",", ":"), ensure_ascii=False))


def restored(restore: Callable[[Any], T], body: str) -> T:
    """Return what a JSON text of the store means; raises `StoreDamaged` where it means nothing."""
    try:
        return restore(json.loads(body))
    except (InvalidInput, ValueError, TypeError, LookupError, RecursionError) as error:
        raise StoreDamaged(
            f"a row of the store is not what was written ({error_text(error)}): "
            "run `tether doctor`, or put a backup in its place"
        ) from error


def refuse_unreadable(restore: Callable[[Any], object], body: str) -> None:
    """Raise `InputRefused` for what could be written now and not be read later."""
    try:
        restored(restore, body)
    except StoreDamaged as error:
        raise InputRefused(
            f"this record cannot be kept, because it could not be read again: {error.__cause__}; "
            "text that is made per context needs a fallback"
        ) from error


class Forms:
    """Writes records down and reads them again, the bytes of their handles through a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def message_form(self, message: Message, drained: Drained) -> Form:
        """Return a message as JSON, its attachments by their hash."""
        attachments = [await self._media_form(media, drained) for media in message.attachments]
        return message.to_json() | {"attachments": attachments}

    async def message_text(self, message: Message, drained: Drained) -> str:
        """Return a message as JSON text; raises `InputRefused` where it could not be read again."""
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
        # A class that is not ours is not known here; its text is, and can be read by line.
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
