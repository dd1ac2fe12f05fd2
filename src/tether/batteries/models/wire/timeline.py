"""What a timeline needs before it goes over a wire that has rules of its own."""

from __future__ import annotations

import re
from hashlib import blake2b
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from tether.trust.prompt import MediaPart, ThoughtItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.trust.prompt import Item, Part

NOTHING_SAID = "(nothing has been said yet)"
"""What a user is made to say where a wire insists that somebody says something."""

LONGEST_ID = 64
_SAFE_ID = re.compile(f"[a-zA-Z0-9_-]{{1,{LONGEST_ID}}}")
_NOT_IN_AN_ID = re.compile("[^a-zA-Z0-9_-]")
_DIGEST_BYTES = 10
_MADE_HERE = re.compile(f".*_[0-9a-f]{{{2 * _DIGEST_BYTES}}}", re.DOTALL)
"""What `_hashed` returns: an id that looks so is hashed again, so that it is not taken for one."""


class Sides(NamedTuple):
    """The parts of a message: what is written, and what is shown."""

    written: tuple[Part, ...]
    shown: tuple[Part, ...]


def sides(parts: Sequence[Part]) -> Sides:
    """Take media out of a message, for roles that can write and not show anything.

    The text right before an asset says which one it is, and goes with it.
    """
    written: list[Part] = []
    shown: list[Part] = []
    for part, following in zip_longest(parts, parts[1:]):
        goes = isinstance(part, MediaPart) or isinstance(following, MediaPart)
        (shown if goes else written).append(part)
    return Sides(tuple(written), tuple(shown))


def is_replayed(item: Item, tag: str) -> TypeGuard[ThoughtItem]:
    """Say whether a thought goes back as the block in which it came."""
    return (
        isinstance(item, ThoughtItem)
        and item.replay_compatibility == tag
        and isinstance(item.payload, dict)
    )


def safe_id(id: str) -> str:
    """Return an id that every wire takes: the same for the same id, and another for another.

    Records keep the ids of the provider that made them, which another provider may refuse.
    """
    if _SAFE_ID.fullmatch(id) and not _MADE_HERE.fullmatch(id):
        return id
    return _hashed(id, LONGEST_ID)


def short_id(id: str, longest: int) -> str:
    """Do the same for a wire that minds only the length."""
    if len(id) <= longest and not _MADE_HERE.fullmatch(id):
        return id
    return _hashed(id, longest)


def _hashed(id: str, longest: int) -> str:
    digest = blake2b(id.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
    readable = _NOT_IN_AN_ID.sub("_", id)[: longest - len(digest) - 1]
    return f"{readable}_{digest}"
