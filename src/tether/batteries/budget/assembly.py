"""One prompt while it is being made to fit: what its parts cost, and what is left without some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.batteries.budget.measuring import FRAME_TOKENS
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

JOIN_TOKENS = FRAME_TOKENS + 2
"""What leaving out a record can save beside its own text: a frame, and tokens across its edges."""


class Assembly:
    """The records and tools of one prompt, with what renders and counts them.

    Parts are rendered alone to learn what they cost, and the whole is rendered to know what is left
    of it: token counts of joined texts do not simply add up.
    """

    __slots__ = ("_meter", "_records", "_renderer", "_tools", "_turn_id")

    def __init__(
        self,
        records: PromptRecords,
        tools: Sequence[Tool],
        *,
        renderer: Renderer,
        meter: PromptMeter,
        turn_id: str,
    ) -> None:
        self._records = records
        self._tools = tools
        self._renderer = renderer
        self._meter = meter
        self._turn_id = turn_id

    def units(self, policy: SheddingPolicy) -> list[Unit]:
        """Return what may be left out, in order."""
        thoughts = self._rendered(PromptRecords(thoughts=self._records.thoughts))
        shown = {item.id for item in thoughts.timeline if isinstance(item, ThoughtItem)}
        return shedding_order(self._records, self._tools, policy, shown)

    def cost(self, unit: Unit) -> int:
        """Return what a unit costs alone: at least what the prompt is smaller by without it.

        0 is the price of what is not shown at all.
        """
        tokens = sum(self._meter.measure(self._rendered(unit.records), unit.tools).values())
        return tokens and tokens + JOIN_TOKENS

    def left(self, shed: Sequence[Unit]) -> dict[str, int]:
        """Return the tokens of each bucket when these units are gone."""
        hidden = {tool.name for unit in shed for tool in unit.tools}
        tools = [tool for tool in self._tools if tool.name not in hidden]
        return self._meter.measure(self._rendered(without(self._records, shed)), tools)

    def question(self, policy: SheddingPolicy) -> int:
        """Return what the newest question costs as an item of the timeline."""
        asked = newest_question(self._records, policy)
        if asked is None:
            return 0
        return sum(map(self._meter.item, self._rendered(PromptRecords(messages=(asked,))).timeline))

    def _rendered(self, records: PromptRecords) -> Prompt:
        return self._renderer.render(records, turn_id=self._turn_id)
