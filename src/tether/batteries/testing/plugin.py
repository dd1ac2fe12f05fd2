"""The pytest plugin: the doubles as fixtures, in every project with Tether installed.

A double is imported when a test asks for it: other projects' tests do not pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tether.batteries import testing

if TYPE_CHECKING:
    from tether.batteries.testing import FakeClock, MemoryStorage, Recorder, ScriptedModel


@pytest.fixture
def scripted_model() -> type[ScriptedModel]:
    """The class of scripted models: `scripted_model([[Say("Hello")]])`."""
    return testing.ScriptedModel


@pytest.fixture
def fake_clock() -> FakeClock:
    """A clock that moves only when it is advanced."""
    return testing.FakeClock()


@pytest.fixture
def memory_storage() -> MemoryStorage:
    """An empty storage in memory."""
    return testing.MemoryStorage()


@pytest.fixture
def recorder() -> Recorder:
    """A recorder; `recorder.attach(runner)` starts it."""
    return testing.Recorder()
