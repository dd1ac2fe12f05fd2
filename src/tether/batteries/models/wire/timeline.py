"""Preparation of a timeline for wires with their own rules about roles, media and ids."""

from __future__ import annotations

import re
from hashlib import blake2b
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from tether.trust.prompt import MediaPart, ThoughtItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.core.media import Media
    from tether.trust.prompt import Item, Part

NOTHING_SAID = "(nothing has been said yet)"
"""The user's message in an empty timeline, for wires that require one."""

IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
"""The images that models are trained on; wires name them and take no others."""

LONGEST_ID = 64
_SAFE_ID = re.compile(f"[a-zA-Z0-9_-]{{1,{LONGEST_ID}}}")
_NOT_IN_AN_ID = re.compile("[^a-zA-Z0-9_-]")
_DIGEST_BYTES = 10
_MADE_HERE = re.compile(f".*_[0-9a-f]{{{2 * _DIGEST_BYTES}}}", re.DOTALL)
"""Ids made by `_hashed`: an id that looks like one is hashed again, to avoid a clash."""


class Sides(NamedTuple):
    """The parts of a message: its text, and its media."""

    written: tuple[Part, ...]
    shown: tuple[Part, ...]


def sides(parts: Sequence[Part]) -> Sides:
    """Separate media from a message, for roles that may only write text.

    The text right before an asset describes it, and goes with it.
    """
    written: list[Part] = []
    shown: list[Part] = []
    for part, following in zip_longest(parts, parts[1:]):
        goes = isinstance(part, MediaPart) or isinstance(following, MediaPart)
        (shown if goes else written).append(part)
    return Sides(tuple(written), tuple(shown))


def is_usual_image(media: Media) -> bool:
    """Say whether an asset is one of the usual images."""
    return media.kind == "image" and media.mime_type.lower() in IMAGES


def is_replayed(item: Item, tag: str) -> TypeGuard[ThoughtItem]:
    """Say whether a thought is sent back as the block in which it came."""
    return (
        isinstance(item, ThoughtItem)
        and item.replay_compatibility == tag
        and isinstance(item.payload, dict)
    )


def safe_id(id: str) -> str:
    """Return an id that every wire accepts; different ids stay different.

    Records keep the ids of their provider, which another provider may refuse.
    """
    if _SAFE_ID.fullmatch(id) and not _MADE_HERE.fullmatch(id):
        return id
    return _hashed(id, LONGEST_ID)


def short_id(id: str, longest: int) -> str:
    """Return an id for a wire that limits only the length; different ids stay different."""
    if len(id) <= longest and not _MADE_HERE.fullmatch(id):
        return id
    return _hashed(id, longest)


def _hashed(id: str, longest: int) -> str:
    digest = blake2b(id.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
    readable = _NOT_IN_AN_ID.sub("_", id)[: longest - len(digest) - 1]
    return f"{readable}_{digest}"
