"""One prompt while it is made to fit: its units, the search for the fewest to shed, and their
removal from the context."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import fields
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from tether.batteries.budget.policy import newest_question, shedding_order, without
from tether.trust.prompt import ThoughtItem
from tether.trust.records import PromptRecords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.batteries.budget.meter import PromptMeter
    from tether.batteries.budget.policy import SheddingPolicy, Unit
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt
    from tether.trust.renderer import Renderer

    Tokens = dict[str, int]
    from collections.abc import Awaitable, Callable, Iterable

    from tether.core.memory import Memory
    from tether.core.message import Message
    from tether.core.records import RecordSet
    from tether.core.retrievable import Retrievable
    from tether.core.thought import Thought
    from tether.runtime.context import Context

ROUGH_ENVELOPE = 250
"""The rough size of the markup around a record, in characters."""

GUESSES = 16
"""After this many guesses the rest is halved: guesses may stay far off, halves never do."""

R = TypeVar("R", "Memory", "Message", "Retrievable", "Thought")


class Assembly:
    """The records and tools of one prompt, with their renderer and meter.

    Every measurement renders and counts a whole prompt: token counts of joined texts do not add up.
    """

    __slots__ = ("_meter", "_policy", "_records", "_renderer", "_tools", "_turn_id")

    def __init__(
        self,
        records: PromptRecords,
        tools: Sequence[Tool],
        *,
        renderer: Renderer,
        meter: PromptMeter,
        policy: SheddingPolicy,
        turn_id: str,
    ) -> None:
        self._records = records
        self._tools = tools
        self._renderer = renderer
        self._meter = meter
        self._policy = policy
        self._turn_id = turn_id

    async def fit(self, limit: int) -> tuple[Tokens, list[Unit], Tokens]:
        """Return the tokens of the whole prompt, the units to shed, and the tokens of the rest.

        The rest exceeds `limit` only if everything that may be shed is.
        """
        prompt = self._rendered(self._records)
        whole = await self._measured(prompt, self._tools)
        if sum(whole.values()) <= limit:
            return whole, [], whole
        units = self._units(prompt)
        left = {0: whole}

        async def excess(count: int) -> int:
            left[count] = await self._left(units[:count])
            return sum(left[count].values()) - limit

        count = await fewest_gone(
            [_rough_size(unit) for unit in units], excess, whole=sum(whole.values()) - limit
        )
        return whole, units[:count], left[count]

    def question(self) -> int:
        """Return the tokens of the newest question as an item of the timeline."""
        asked = newest_question(self._records, self._policy)
        if asked is None:
            return 0
        return sum(map(self._meter.item, self._rendered(PromptRecords(messages=(asked,))).timeline))

    def _units(self, prompt: Prompt) -> list[Unit]:
        """Return the units that may be shed, in order, without buckets that are not shown."""
        sections = {section.bucket for section in prompt.sections}
        apart = {"evidence": "retrievables" in sections, "memories": "memories" in sections}
        shown = _thoughts_in(prompt)
        units = shedding_order(self._records, self._tools, self._policy, shown)
        hiding = self._hiding([unit for unit in units if unit.kind == "thoughts"], shown)
        return [
            unit
            for unit in units
            if id(unit) not in hiding
            and (unit.tools or apart.get(unit.kind, bool(prompt.timeline)))
        ]

    def _hiding(self, units: Sequence[Unit], shown: set[str]) -> set[int]:
        """Return the units, by identity, that hide so much that the prompt would grow without
        them."""
        left = PromptRecords(thoughts=self._records.thoughts)
        if _thoughts_in(self._rendered(without(left, units))) <= shown:
            return set()
        hiding: set[int] = set()
        for unit in units:
            fewer = without(left, (unit,))
            if self._alone(fewer) < self._alone(left):
                left = fewer
            else:
                hiding.add(id(unit))
        return hiding

    def _alone(self, records: PromptRecords) -> int:
        return sum(map(self._meter.item, self._rendered(records).timeline))

    async def _left(self, gone: Sequence[Unit]) -> Tokens:
        """Return the tokens of each bucket without these units."""
        hidden = {tool.name for unit in gone for tool in unit.tools}
        tools = [tool for tool in self._tools if tool.name not in hidden]
        return await self._measured(self._rendered(without(self._records, gone)), tools)

    async def _measured(self, prompt: Prompt, tools: Sequence[Tool]) -> Tokens:
        await self._meter.look_at(prompt)
        return self._meter.measure(prompt, tools)

    def _rendered(self, records: PromptRecords) -> Prompt:
        return self._renderer.render(records, turn_id=self._turn_id)


def _thoughts_in(prompt: Prompt) -> set[str]:
    return {item.id for item in prompt.timeline if isinstance(item, ThoughtItem)}


def _rough_size(unit: Unit) -> int:
    """Return the approximate number of characters that a unit shows."""
    records = unit.records
    texts = [
        *(str(it.content) for it in records.memories),
        *(str(it.content) for it in records.thoughts),
        *(str(it.content) for it in records.retrievables),
        *(str(it.record.content) for it in records.messages),
        *(str(it.results) for it in records.calls),
    ]
    return sum(map(len, texts)) + ROUGH_ENVELOPE * (len(texts) + len(unit.tools))


async def fewest_gone(
    sizes: Sequence[int], excess: Callable[[int], Awaitable[int]], *, whole: int
) -> int:
    """Return the number of items to remove, from the first on, until there is no excess.

    All of them if even that is not enough. `excess(count)` measures the rest without that many
    items; it is expensive and never rises with the count. `whole` is the excess with all items.
    `sizes` are rough weights of the items: they lead to good guesses and decide nothing.
    """
    low, high = 0, len(sizes)
    if whole <= 0 or high == 0 or (least := await excess(high)) > 0:
        return 0 if whole <= 0 else high
    sums = list(accumulate(sizes, initial=0))
    over, under = float(whole), float(-least)
    guesses = 0
    while high - low > 1:
        aim = sums[low] + (sums[high] - sums[low]) * over / (over + under)
        place = (low + high) // 2 if guesses > GUESSES else bisect_left(sums, aim)
        guesses += 1
        place = min(max(place, low + 1), high - 1)
        # The end that stays counts half; otherwise guesses would creep up to it from one side.
        if (left := await excess(place)) > 0:
            low, over, under = place, float(left), under / 2
        else:
            high, over, under = place, over / 2, float(-left)
    return high


class Originals:
    """Finds the records of a context from which loaded ones were made.

    A record whose text depends on the context is loaded as a twin with the final text. Ids do not
    identify it: two records may share one.
    """

    __slots__ = ("_ctx", "_memories", "_messages", "_retrievables", "_thoughts")

    def __init__(self, ctx: Context, loaded: PromptRecords) -> None:
        self._ctx = ctx
        self._memories = _paired(ctx.turn_memories, loaded.memories)
        self._messages = _paired(ctx.turn_messages, (it.record for it in loaded.messages))
        found = (it.record for it in loaded.retrievables)
        self._retrievables = _paired(ctx.turn_retrievables, found)
        self._thoughts = _paired(ctx.turn_thoughts, loaded.thoughts)

    def leave_out(self, unit: Unit) -> None:
        """Remove a unit from the context, in memory only."""
        ctx, records = self._ctx, unit.records
        for memory in records.memories:
            ctx.turn_memories.discard(self._memories[id(memory)])
        for retrievable in records.retrievables:
            ctx.turn_retrievables.discard(self._retrievables[id(retrievable.record)])
        for message in records.messages:
            ctx.turn_messages.discard(self._messages[id(message.record)])
        for thought in records.thoughts:
            ctx.turn_thoughts.discard(self._thoughts[id(thought)])
        for call in records.calls:
            ctx.turn_tool_calls.discard(call.record)
        ctx.tools.hide(*(tool.name for tool in unit.tools))


def _paired(held: RecordSet[R], loaded: Iterable[R]) -> dict[int, R]:
    """Return the original of each loaded record, by the identity of the loaded one.

    Both have the same order, but some originals have no twin: their text came out empty.
    """
    records = list(loaded)
    pairs = {id(it): it for it in records}
    dynamic = (it for it in held if id(it) not in pairs)
    for twin in (it for it in records if it not in held):
        for original in dynamic:
            if _is_twin(original, twin):
                pairs[id(twin)] = original
                break
    return pairs


def _is_twin(original: R, twin: R) -> bool:
    """Say whether they share everything that does not depend on the context."""
    return all(
        getattr(original, field.name) is getattr(twin, field.name)
        for field in fields(original)
        if field.name not in {"content", "identity"}
    )
