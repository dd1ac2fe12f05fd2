"""What happened, in the order in which it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.trust.prompt import Item

if TYPE_CHECKING:
    from datetime import datetime

    from tether.trust.loaded import PromptRecords
    from tether.trust.rendering import Rendering


def render_timeline(rendering: Rendering, records: PromptRecords) -> tuple[Item, ...]:
    """Return messages, the thoughts that are shown again and tool calls, sorted by time.

    At one moment messages come first, then thoughts, then calls, each in the order given. A message
    of which nothing is left to show is no item.
    """
    steps = rendering.steps
    timed: list[tuple[datetime, Item]] = []
    for loaded in records.messages:
        item = steps.message(rendering, loaded)
        if item.parts:
            timed.append((loaded.record.created_at, item))
    timed += [
        (thought.created_at, steps.thought(rendering, thought))
        for thought in steps.surfaced_thoughts(rendering, records.thoughts)
    ]
    timed += [(call.record.created_at, steps.tool_call(rendering, call)) for call in records.calls]
    timed.sort(key=lambda entry: entry[0])
    return tuple(item for _, item in timed)
