"""Media: their bytes if the wire can carry them, or else a text in their place."""

# No `from __future__ import annotations` here: see prompt.py.
import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from tether.core.media import Media, ModalityHazard
from tether.core.tiers import TrustTier, lower_tier
from tether.trust.content import ContentLabel
from tether.trust.errors import UnsupportedMediaModality
from tether.trust.prompt import MediaPart, Part, TextPart
from tether.trust.records import LoadedMedia
from tether.trust.render_context import STASH_KEYS, FallbackStash
from tether.trust.visible import visible_text

if TYPE_CHECKING:
    from tether.trust.render_context import Rendering

LONGEST_FILENAME = 256
LONGEST_MIME_NAME = 127
"""Of the type and of the subtype each (RFC 6838, 4.2)."""

ANY_BYTES = "application/octet-stream"
UNNAMED = "unnamed"
MODALITIES: dict[ModalityHazard, str] = {
    "inert": "inert",
    "extractable-instructions": "extractable",
    "opaque-perceptual": "opaque",
}
_MIME_NAME = f"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{{0,{LONGEST_MIME_NAME - 1}}}"
_MIME_TYPE = re.compile(f"{_MIME_NAME}/{_MIME_NAME}")
_NOT_IN_A_FILENAME = re.compile("[<>\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BLANKS = re.compile(r"\s+")
# Square brackets in their plain, full-width and vertical forms: all fold to the plain ones.
_IN_BRACKETS = str.maketrans("[]\uff3b\uff3d\ufe47\ufe48", "()()()")
_NOT_IN_AN_ID = re.compile(r"[\s|\uff5c]+")
_POLICIES = "unsupported_media='fallback-stash' or 'synthetic-description'"


class MediaPlace(NamedTuple):
    """The place of an asset: its nonce, and its tool, if any."""

    nonce: str
    tool: str | None = None


def render_media(
    rendering: "Rendering", loaded: LoadedMedia, place: MediaPlace
) -> tuple[Part, ...]:
    """Return a line that names the asset, then its bytes or the text that replaces them.

    The line is outside any envelope: the model refers to the asset by it.
    """
    media = loaded.media
    marker = TextPart(rendering.steps.media_marker(rendering, media, place))
    if loaded.data is None:
        return marker, TextPart(rendering.steps.unsupported_media(rendering, loaded, place))
    mime_type, filename = safe_mime_type(media.mime_type), safe_filename(media.filename)
    return marker, MediaPart(media.kind, mime_type, filename, loaded.data)


def render_media_marker(rendering: "Rendering", media: Media, place: MediaPlace) -> str:
    """Return the line before an asset: its id and, for an attachment, its file name.

    An asset from a tool has a name that a stranger chose, and most wires can show media only in a
    user's message: so only its id is shown.
    """
    id = _NOT_IN_AN_ID.sub("_", safe_filename(rendering.seen(media.id)))
    if place.tool is not None:
        return f"[media id: {_bracketed(rendering, id)}]"
    filename = _BLANKS.sub(" ", safe_filename(rendering.seen(media.filename)))
    return f"[media id: {_bracketed(rendering, id)} | {_bracketed(rendering, filename)}]"


def render_unsupported_media(rendering: "Rendering", loaded: LoadedMedia, place: MediaPlace) -> str:
    """Return the text in place of bytes that the wire cannot carry.

    Raises `UnsupportedMediaModality` if the policy is `throw`.
    """
    media, policy = loaded.media, rendering.settings.unsupported_media
    if policy == "throw":
        raise UnsupportedMediaModality(
            f"the model's wire has no form for the {media.kind} {media.filename!r} "
            f"({media.mime_type}, id {media.id!r})",
            help=f"Leave it out, use a model that takes it, or set {_POLICIES}.",
        )
    if policy == "synthetic-description":
        text, tier = _description(loaded), media.trust_tier
    else:
        text, tier = _from_stash(rendering, loaded, policy)
    label = ContentLabel(
        place.nonce, "media-fallback", place.tool, MODALITIES[media.modality_hazard]
    )
    steps = rendering.steps
    wrap = steps.trusted_content if tier == "first-party" else steps.untrusted_content
    return wrap(rendering, rendering.payload(text), label)


def safe_filename(filename: str) -> str:
    """Return a file name without hidden characters, tags and line breaks."""
    safe = _NOT_IN_A_FILENAME.sub("", visible_text(filename).text) or UNNAMED
    return safe if len(safe) <= LONGEST_FILENAME else f"{safe[:LONGEST_FILENAME]}…"


def safe_mime_type(mime_type: str) -> str:
    """Return a type and subtype without parameters, or the type of bytes in general."""
    return mime_type if _MIME_TYPE.fullmatch(mime_type) else ANY_BYTES


def human_size(size: int | None) -> str:
    """Return a number of bytes as people write it."""
    if size is None:
        return "unknown size"
    if size < 1024:
        return f"{size} B"
    value = size / 1024
    for unit in ("KB", "MB"):
        if round(value, 1) < 1024:
            return f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GB"


def _from_stash(
    rendering: "Rendering", loaded: LoadedMedia, policy: Literal["fallback-stash"] | FallbackStash
) -> tuple[str, TrustTier]:
    """Return the text about an asset with the lower of both tiers, or a description of it."""
    media = loaded.media
    keys = policy.stash_keys if isinstance(policy, FallbackStash) else STASH_KEYS
    for key in keys:
        entry = media.stash.get(key)
        if entry is not None and visible_text(str(entry.value)).text.strip():
            return str(entry.value), lower_tier(entry.trust_tier, media.trust_tier)
    rendering.warn(
        f"the stash of the {media.kind} {media.filename!r} has no text under any of "
        f"{', '.join(keys)}: it is only described"
    )
    return _description(loaded), media.trust_tier


def _description(loaded: LoadedMedia) -> str:
    media = loaded.media
    filename = safe_filename(media.filename).translate(_IN_BRACKETS)
    return f"[media: {filename}, {safe_mime_type(media.mime_type)}, {human_size(loaded.size)}]"


def _bracketed(rendering: "Rendering", text: str) -> str:
    """Return text that cannot end the brackets around it."""
    return rendering.payload(text.translate(_IN_BRACKETS))
