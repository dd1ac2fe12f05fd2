"""Executors: the models, and what stands in for one."""

from typing import TYPE_CHECKING

from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.batteries.models.anthropic import AnthropicMessages as AnthropicMessages
    from tether.batteries.models.chat_completions import ChatCompletions as ChatCompletions
    from tether.batteries.models.ending import Ending as Ending
    from tether.batteries.models.ending import ending_of as ending_of
    from tether.batteries.models.ending import leave_ending as leave_ending
    from tether.batteries.models.local import LocalEngine as LocalEngine
    from tether.batteries.models.local import LocalModel as LocalModel
    from tether.batteries.models.responses import Responses as Responses
    from tether.batteries.models.scripted import ScriptedModel as ScriptedModel

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.batteries.models.anthropic: AnthropicMessages
        tether.batteries.models.chat_completions: ChatCompletions
        tether.batteries.models.ending: Ending ending_of leave_ending
        tether.batteries.models.local: LocalEngine LocalModel
        tether.batteries.models.responses: Responses
        tether.batteries.models.scripted: ScriptedModel
        """,
    )
