"""Text and media as content blocks of the Messages API."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any

from tether.batteries.models.wire.parts import is_usual_image
from tether.trust.media import safe_mime_type
from tether.trust.neutral import neutralise
from tether.trust.prompt import TextPart
from tether.trust.visible import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.core.media import Media
    from tether.trust.prompt import MediaPart, Part

PDF = "application/pdf"


def carries(media: Media) -> bool:
    """Say whether there is a block for this asset: the usual images, PDF, and text of any kind."""
    mime_type = safe_mime_type(media.mime_type)
    is_readable = mime_type.lower() == PDF or _is_text(mime_type)
    return is_usual_image(media) or (media.kind == "document" and is_readable)


def text_block(text: str) -> list[dict[str, Any]]:
    """Return the text as a block; none for text without a visible character, which is refused."""
    return [{"type": "text", "text": text}] if text.strip() else []


def content_blocks(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return the parts as blocks, those that say anything."""
    return [block for part in parts for block in _blocks(part)]


def _blocks(part: Part) -> list[dict[str, Any]]:
    if isinstance(part, TextPart):
        return text_block(part.text)
    if part.kind == "image":
        return [{"type": "image", "source": _base64(part)}]
    source = _plain_text(part) if _is_text(part.mime_type) else _base64(part)
    return [{"type": "document", "source": source, "title": part.filename}]


def _is_text(mime_type: str) -> bool:
    return mime_type.lower().startswith("text/")


def _base64(part: MediaPart) -> dict[str, str]:
    return {"type": "base64", "media_type": part.mime_type.lower(), "data": part.data}


def _plain_text(part: MediaPart) -> dict[str, str]:
    """Return a text document. The wire takes it as text, so it is a payload like any other."""
    text = visible_text(b64decode(part.data).decode("utf-8", "replace")).text
    return {"type": "text", "media_type": "text/plain", "data": neutralise(text)}
