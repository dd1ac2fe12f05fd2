"""The order in which a Responses endpoint wants its reasoning back, and what it wants with it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from tether.batteries.models.responses.options import REPLAY_TAG
from tether.batteries.models.wire.reading import objects, text_or_none
from tether.batteries.models.wire.reply import as_mapping
from tether.batteries.models.wire.timeline import is_replayed
from tether.trust.prompt import CallItem, MessageItem, ThoughtItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tether.trust.prompt import Item


def reasoning_first(timeline: Sequence[Item]) -> list[Item]:
    """Return the timeline with every replayed thought before the words to which it led.

    Reasoning that nobody could watch is stored after the message that it belongs to. But the
    endpoint wants it back where it was: before what the model said or called next.
    """
    ordered: list[Item] = []
    for position, item in enumerate(timeline):
        place = len(ordered)
        if is_replayed(item, REPLAY_TAG) and place and _is_said_by_the_assistant(ordered[-1]):
            has_its_own = place > 1 and is_replayed(ordered[-2], REPLAY_TAG)
            if not (has_its_own and _leads_to_words(timeline[position + 1 :])):
                place -= 1
        ordered.insert(place, item)
    return ordered


def with_what_it_led_to(ordered: Sequence[Item]) -> list[Item]:
    """Return the items without replayed reasoning that would stand alone.

    The endpoint refuses reasoning with nothing of the assistant's behind it: a reply that was cut
    inside it, or whose words are gone. Reasoning that it knows only by its id has to be followed by
    an item that it knows too, and only calls keep their ids.
    """
    kept: list[Item] = []
    for item in reversed(ordered):
        if not is_replayed(item, REPLAY_TAG) or _leads_to(item, kept[-1:]):
            kept.append(item)
    return kept[::-1]


def item_ids(items: Iterable[Item]) -> dict[int, str]:
    """Return the ids under which calls go back, by their places: those whose reasoning does."""
    found: dict[int, str] = {}
    reasoning: set[str] = set()
    for place, item in enumerate(items):
        if is_replayed(item, REPLAY_TAG):
            reasoning.add(str(item.payload.get("id")))
        id = text_or_none(_replay(item).get("id"))
        if id is not None and _replay(item).get("reasoning") in reasoning:
            found[place] = id
    return found


def _leads_to(thought: ThoughtItem, following: Sequence[Item]) -> bool:
    """Say whether what follows a thought is what the endpoint wants to see there."""
    payload: Mapping[str, Any] = thought.payload
    says_all = text_or_none(payload.get("encrypted_content")) or objects(payload.get("content"))
    for item in following:
        if is_replayed(item, REPLAY_TAG):
            return True
        if says_all:
            return not (isinstance(item, MessageItem) and item.role == "user")
        return _replay(item).get("reasoning") == payload.get("id")
    return False


def _replay(item: Item) -> Mapping[str, Any]:
    """Return what a call keeps of the endpoint's own ids."""
    if isinstance(item, CallItem) and item.replay_compatibility == REPLAY_TAG:
        return as_mapping(item.payload)
    return {}


def _is_said_by_the_assistant(item: Item) -> bool:
    return isinstance(item, MessageItem) and item.role == "assistant"


def _leads_to_words(rest: Sequence[Item]) -> bool:
    """Say whether the assistant speaks next, apart from thinking."""
    following = (item for item in rest if not isinstance(item, ThoughtItem))
    return any(_is_said_by_the_assistant(item) for item in islice(following, 1))
