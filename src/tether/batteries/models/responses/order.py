"""The order in which a Responses endpoint wants its reasoning back."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from tether.batteries.models.responses.options import REPLAY_TAG
from tether.batteries.models.wire.timeline import is_replayed
from tether.trust.prompt import MessageItem, ThoughtItem

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def _is_said_by_the_assistant(item: Item) -> bool:
    return isinstance(item, MessageItem) and item.role == "assistant"


def _leads_to_words(rest: Sequence[Item]) -> bool:
    """Say whether the assistant speaks next, apart from thinking."""
    following = (item for item in rest if not isinstance(item, ThoughtItem))
    return any(_is_said_by_the_assistant(item) for item in islice(following, 1))
