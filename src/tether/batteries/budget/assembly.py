"""One prompt while it is being made to fit: what may go, and what is left without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.batteries.budget.fitting import fewest_gone
from tether.batteries.budget.shedding import newest_question, shedding_order, without
from tether.trust.loaded import PromptRecords
from tether.trust.prompt import ThoughtItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.batteries.budget.measuring import PromptMeter
    from tether.batteries.budget.shedding import SheddingPolicy, Unit
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt
    from tether.trust.renderer import Renderer

    Tokens = dict[str, int]

ROUGH_ENVELOPE = 250
"""In characters: what surrounds a record, for guessing."""


class Assembly:
    """The records and tools of one prompt, with what renders and counts them.

    It is always a whole prompt that is rendered and counted, with more or less in it: token counts
    of joined texts do not simply add up.
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
        """Return the tokens of all of it, the units that have to go, and the tokens of the rest.

        The rest is more than `limit` only where everything is gone that may go.
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
        """Return what the newest question costs as an item of the timeline."""
        asked = newest_question(self._records, self._policy)
        if asked is None:
            return 0
        return sum(map(self._meter.item, self._rendered(PromptRecords(messages=(asked,))).timeline))

    def _units(self, prompt: Prompt) -> list[Unit]:
        """Return what may be left out, in order; a bucket that is not shown is left alone."""
        sections = {section.bucket for section in (*prompt.before, *prompt.after)}
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
        """Return the units, by identity, that hide so much that the prompt grows without them."""
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
        """Return the tokens of each bucket when these units are gone."""
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
    """Return about how many characters a unit shows."""
    records = unit.records
    texts = [
        *(str(it.content) for it in records.memories),
        *(str(it.content) for it in records.thoughts),
        *(str(it.content) for it in records.retrievables),
        *(str(it.record.content) for it in records.messages),
        *(str(it.results) for it in records.calls),
    ]
    return sum(map(len, texts)) + ROUGH_ENVELOPE * (len(texts) + len(unit.tools))
