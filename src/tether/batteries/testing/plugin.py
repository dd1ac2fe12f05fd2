"""The pytest plugin: the doubles as fixtures, in every project with Tether installed."""

from __future__ import annotations

import pytest

from tether.batteries.models.scripted import ScriptedModel
from tether.batteries.storage.memory import MemoryStorage
from tether.batteries.testing.doubles import FakeClock, Recorder


@pytest.fixture
def scripted_model() -> type[ScriptedModel]:
    """The class of scripted models: `scripted_model([[Say("Hello")]])`."""
    return ScriptedModel


@pytest.fixture
def fake_clock() -> FakeClock:
    """A clock that moves only when it is advanced."""
    return FakeClock()


@pytest.fixture
def memory_storage() -> MemoryStorage:
    """An empty storage in memory."""
    return MemoryStorage()


@pytest.fixture
def recorder() -> Recorder:
    """A recorder; `recorder.attach(runner)` starts it."""
    return Recorder()
