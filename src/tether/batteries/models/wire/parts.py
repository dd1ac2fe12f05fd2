"""What replies that come in several parts have in common, on the wires that number them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.models.wire.reading import text_or_none

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tether.core.media import Media

BETWEEN = "\n\n"
"""Stands between texts that were put out apart from each other."""

IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
"""The images that models are trained on; wires name them and take no others."""


class Reported(NamedTuple):
    """A failure that an endpoint tells of, and whether it may be different the next time."""

    why: str
    may_pass: bool


def reported(told: Mapping[str, Any], passing: Collection[str]) -> Reported:
    """Return what an error object says; `passing` are the wire's words for what may pass."""
    kind = text_or_none(told.get("code")) or text_or_none(told.get("type")) or "error"
    message = text_or_none(told.get("message")) or "it does not say why"
    return Reported(f"{kind}: {message}", kind in passing)


def numbered(name: str, place: int) -> str:
    """Return the name under which the part at this place is shown: the first needs no number."""
    return f"{name}_{place}" if place else name


def is_usual_image(media: Media) -> bool:
    """Say whether an asset is one of the usual images; types are the same in any case."""
    return media.kind == "image" and media.mime_type.lower() in IMAGES
