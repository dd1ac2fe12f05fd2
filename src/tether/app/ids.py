"""Short ids: the beginning of an id stands for it where no other begins like that."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tether.app.display import one_line
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import IdKind
from tether.core.errors import InputRefused

LEAST = 8
"""How many characters of an id are shown at least."""


async def whole_id(store: Store, kind: IdKind, given: str, *, owner: str | None) -> str:
    """Return the id that begins with a text; the text itself if there is none, or it is empty.

    Raises `InputRefused` if several begin with it.
    """
    found = await store.matching_ids(kind, given, owner=owner) if given else []
    if given in found or not found:
        return given
    if len(found) == 1:
        return found[0]
    several = ", ".join(one_line(id) for id in found)
    raise InputRefused(f"several ids of a {kind} begin with {given!r}, type more of it: {several}")


def short_ids(ids: Collection[str]) -> dict[str, str]:
    """Return the shortest beginning of each id that no other of them has."""
    return {id: next(_beginnings(id, ids)) for id in ids}


def _beginnings(id: str, ids: Collection[str]) -> Iterator[str]:
    for length in range(LEAST, len(id)):
        if sum(other.startswith(id[:length]) for other in ids) == 1:
            yield id[:length]
    yield id
