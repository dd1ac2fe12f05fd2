"""Test doubles, which this project uses in its own tests."""

from tether.batteries.models.scripted import Call, Conversation, Say, ScriptedModel, Think
from tether.batteries.storage.memory import MemoryStorage
from tether.batteries.testing.fake_clock import FakeClock
from tether.batteries.testing.recorder import Entry, Recorder
from tether.batteries.testing.run_tool import run_tool

__all__ = [
    "Call",
    "Conversation",
    "Entry",
    "FakeClock",
    "MemoryStorage",
    "Recorder",
    "Say",
    "ScriptedModel",
    "Think",
    "run_tool",
]
