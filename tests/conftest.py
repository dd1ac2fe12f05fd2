"""The network is shut, and no test is judged by how fast a busy machine runs it.

Property tests draw the same examples in every run; with EXPLORE=1 they draw new ones, and more.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much]
settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=UNHURRIED,
)
settings.register_profile("explore", deadline=None, suppress_health_check=UNHURRIED)
settings.load_profile("explore" if "EXPLORE" in os.environ else "repeatable")


def pytest_configure() -> None:
    """Hear Ctrl-C, here and in what the tests start, also where a shell started us in its back."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def unmeasured(request: pytest.FixtureRequest) -> Iterator[None]:
    """Leave a test marked `unmeasured` out of the coverage: it repeats what others cover.

    Thousands of examples take half the time when nobody notes each line of them.
    """
    measuring = Coverage.current() if "unmeasured" in request.keywords else None
    if measuring is not None:
        measuring.stop()
    yield
    if measuring is not None:
        measuring.start()


@pytest.fixture(autouse=True, scope="session")
def no_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what the program remembers about projects away from the home of whoever runs this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True)
def own_data(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep indexes apart from the data of whoever runs the tests; CI is like any machine."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "data"))
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that does not stay on this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            pytest.fail(f"a test tried to reach {address!r}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
