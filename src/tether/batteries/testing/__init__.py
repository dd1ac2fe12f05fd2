"""Test doubles, which this project uses in its own tests."""

from typing import TYPE_CHECKING

from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.batteries.models.scripted import Call as Call
    from tether.batteries.models.scripted import Conversation as Conversation
    from tether.batteries.models.scripted import Say as Say
    from tether.batteries.models.scripted import ScriptedModel as ScriptedModel
    from tether.batteries.models.scripted import Think as Think
    from tether.batteries.storage.memory import MemoryStorage as MemoryStorage
    from tether.batteries.testing.doubles import Entry as Entry
    from tether.batteries.testing.doubles import FakeClock as FakeClock
    from tether.batteries.testing.doubles import Recorder as Recorder
    from tether.batteries.testing.doubles import run_tool as run_tool

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.batteries.models.scripted: Call Conversation Say ScriptedModel Think
        tether.batteries.storage.memory: MemoryStorage
        tether.batteries.testing.doubles: Entry FakeClock Recorder run_tool
        """,
    )
