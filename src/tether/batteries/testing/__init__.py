"""Test doubles, which this project uses in its own tests."""

from tether.batteries.models.scripted import Call, Conversation, Say, ScriptedModel, Think
from tether.batteries.storage.memory import MemoryStorage
from tether.batteries.testing.doubles import Entry, FakeClock, Recorder, run_tool

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
