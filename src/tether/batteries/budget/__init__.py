"""Token budgets: prompts that fit a model's window, shares of it, and limits of a turn."""

from typing import TYPE_CHECKING

from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.batteries.budget.allocation import Allocation as Allocation
    from tether.batteries.budget.allocation import allocate as allocate
    from tether.batteries.budget.limits import TurnLimits as TurnLimits
    from tether.batteries.budget.meter import prompt_tokens as prompt_tokens
    from tether.batteries.budget.policy import SheddingPolicy as SheddingPolicy
    from tether.batteries.budget.profiles import ModelProfile as ModelProfile
    from tether.batteries.budget.profiles import ModelProfiles as ModelProfiles
    from tether.batteries.budget.selection import Packed as Packed
    from tether.batteries.budget.selection import least_relevant_first as least_relevant_first
    from tether.batteries.budget.selection import newest_turns as newest_turns
    from tether.batteries.budget.selection import pack as pack
    from tether.batteries.budget.selection import relevance_floor as relevance_floor
    from tether.batteries.budget.selection import relevant_turns as relevant_turns
    from tether.batteries.budget.thrift import Thrift as Thrift
    from tether.batteries.budget.thrift import ThriftReport as ThriftReport

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.batteries.budget.allocation: Allocation allocate
        tether.batteries.budget.limits: TurnLimits
        tether.batteries.budget.meter: prompt_tokens
        tether.batteries.budget.policy: SheddingPolicy
        tether.batteries.budget.profiles: ModelProfile ModelProfiles
        tether.batteries.budget.selection:
            Packed least_relevant_first newest_turns pack relevance_floor relevant_turns
        tether.batteries.budget.thrift: Thrift ThriftReport
        """,
    )
