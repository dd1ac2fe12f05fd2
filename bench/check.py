"""Both sides do the same: they emit the same events in the same order and run every middleware.

A comparison in which one side left something out would be worth nothing, so this runs before
anything is measured and raises when they differ.
"""

from __future__ import annotations

import asyncio

from bench import cases, floor, work

from tether import Executor, TurnInput
from tether.batteries.testing.doubles import Recorder


def same_work() -> None:
    """Compare the plain, the tool and the streamed turn."""
    asyncio.run(_compare("plain turn", cases.say, floor.say))
    asyncio.run(_compare("tool turn", cases.call_then_say, floor.call_then_say))
    asyncio.run(_compare("scripted tool turn", cases.scripted(), floor.call_then_say))
    asyncio.run(_compare("streamed turn", cases.say_in_chunks, floor.say_in_chunks))


async def _compare(name: str, executor: Executor, by_hand: floor.Stage) -> None:
    theirs, ours = work.Tally(), work.Tally()
    made = cases.runner(executor, [work.middlewares(theirs) for _ in range(4)])
    recorder = Recorder(made)
    await made.run(TurnInput(system_prompt=work.SYSTEM_PROMPT))
    events: list[floor.Event] = []
    loop = floor.Loop(by_hand, [work.middlewares(ours) for _ in range(4)])
    await loop.run(work.SYSTEM_PROMPT, events.append)
    _demand(name, "events", recorder.names, [event["name"] for event in events])
    _demand(name, "middlewares entered", theirs.on_the_way_in, ours.on_the_way_in)
    _demand(name, "middlewares left", theirs.on_the_way_out, ours.on_the_way_out)


def _demand(case: str, what: str, tether: object, by_hand: object) -> None:
    if tether != by_hand:
        raise RuntimeError(f"{case}: the {what} differ: {tether} on Tether, {by_hand} by hand")
