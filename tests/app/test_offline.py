"""`--offline`: configured addresses can be reached, and nothing else, in a separate process.

An audit hook cannot be taken away again, so most of this runs apart from the other tests.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tether.app.errors import OfflineRefused
from tether.app.offline import Offline, configured_addresses
from tether.app.settings.values import Settings


@contextmanager
def listening() -> Generator[int]:
    """A real port of this machine that takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=take, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


TRYING = """
import asyncio, json, socket, sys, urllib.request
from tether.app.offline import go_offline
from tether.app.errors import OfflineRefused

port, other, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rule = go_offline([("localhost", port)])

def sent(kind, where):
    with socket.socket(*kind) as made:
        made.sendto(b"x", where)

def unix(where):
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(where)

async def opened(host, port):
    reader, writer = await asyncio.open_connection(host, port)
    writer.close()

udp = (socket.AF_INET, socket.SOCK_DGRAM)
tries = {
    "configured": lambda: socket.create_connection(("localhost", port)).close(),
    "its address": lambda: socket.create_connection(("127.0.0.1", port)).close(),
    "asyncio": lambda: asyncio.run(opened("localhost", port)),
    "looked up": lambda: socket.getaddrinfo(b"LOCALHOST", None),
    "other port": lambda: socket.create_connection(("localhost", other)),
    "other address": lambda: socket.create_connection(("127.0.0.1", other)),
    "connect": lambda: socket.socket().connect(("127.0.0.1", other)),
    "connect_ex": lambda: socket.socket().connect_ex(("127.0.0.1", other)),
    "asyncio other": lambda: asyncio.run(opened("127.0.0.1", other)),
    "urllib": lambda: urllib.request.urlopen(f"http://127.0.0.1:{other}/"),
    "datagram": lambda: sent(udp, ("127.0.0.1", other)),
    "name": lambda: socket.getaddrinfo("elsewhere.example", 443),
    "service": lambda: socket.getaddrinfo("localhost", "https"),
    "old name": lambda: socket.gethostbyname("elsewhere.example"),
    "backwards": lambda: socket.gethostbyaddr("127.0.0.1"),
    "service name": lambda: socket.getnameinfo(("127.0.0.1", other), 0),
    "unix": lambda: unix(path),
}
found = {}
for name, attempt in tries.items():
    try:
        attempt()
        found[name] = "done"
    except OfflineRefused as error:
        found[name] = str(error)
    except OSError as error:
        found[name] = f"{type(error).__name__}: {error}"
rule.lift()
socket.create_connection(("127.0.0.1", other)).close()
print(json.dumps(found))
"""


def test_only_what_is_configured_is_reached(tmp_path: Path) -> None:
    place = tmp_path / "socket"
    with listening() as port, listening() as other, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(place))
        unix.listen()
        words = [sys.executable, "-W", "error", "-c", TRYING, str(port), str(other), str(place)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    reached = {name for name, came in found.items() if came == "done"}
    assert reached == {"configured", "its address", "asyncio", "looked up"}
    for name, came in found.items():
        if name not in reached:
            assert "[E_OFFLINE_REFUSED]: --offline forbids a connection to" in came, name
    assert f"127.0.0.1 port {other}." in found["connect"]
    assert str(place) in found["unix"]


def refused(rule: Offline, event: str, *arguments: Any) -> bool:
    try:
        rule.hear(event, arguments)
    except OfflineRefused:
        return True
    return False


def test_the_rule_by_itself() -> None:
    """What the events carry is as the documentation of the standard library has it."""
    rule = Offline([("/run/pg/.s.PGSQL.5432", 0), ("10.1.2.3", 80), ("fe80::1", 443)])
    assert not refused(rule, "socket.connect", None, "/run/pg/.s.PGSQL.5432")
    assert not refused(rule, "socket.connect", None, b"/run/pg/.s.PGSQL.5432")
    assert refused(rule, "socket.connect", None, "/run/other")
    assert not refused(rule, "socket.connect", None, ("10.1.2.3", 80))
    assert refused(rule, "socket.connect", None, ("10.1.2.3", 81))
    assert not refused(rule, "socket.connect", None, ("fe80::1%eth0", 443, 0, 2))
    assert not refused(rule, "socket.sendmsg", None, None), "it was connected, and looked at then"
    assert not refused(rule, "socket.getaddrinfo", "10.1.2.3", "http", 0, 0, 0)
    assert refused(rule, "socket.getaddrinfo", None, 80, 0, 0, 0)
    assert refused(rule, "socket.gethostbyname", "elsewhere.example")
    assert not refused(rule, "socket.gethostbyaddr", "10.1.2.3")
    assert refused(rule, "socket.getnameinfo", ("10.1.2.3", 443))
    assert not refused(rule, "socket.bind", None, ("", 9))
    assert not refused(rule, "open", "/etc/hosts", "r", 0)
    rule.lift()
    assert not refused(rule, "socket.connect", None, ("192.0.2.1", 9))


def test_a_name_that_cannot_be_looked_up_allows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr("tether.app.offline.socket.getaddrinfo", failing)
    assert refused(Offline([("model.example", 443)]), "socket.connect", None, ("192.0.2.1", 443))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set[tuple[str, int]]()),
        ({"model": "https://models.example/v1"}, {("models.example", 443)}),
        ({"model": "HTTP://127.0.0.1/v1"}, {("127.0.0.1", 80)}),
        ({"model": "http://[::1]:8080/v1"}, {("::1", 8080)}),
        ({"model": "m.gguf", "store": "postgresql://u:p@db.example/x"}, {("db.example", 5432)}),
        ({"store": "postgres://db:6000/x"}, {("db", 6000)}),
        ({"store": "postgresql:///x?host=/run/pg&port=7"}, {("/run/pg/.s.PGSQL.7", 0)}),
    ],
    ids=range(7),
)
def test_model_and_store_are_what_is_configured(
    changes: dict[str, Any], expected: set[tuple[str, int]]
) -> None:
    assert configured_addresses(Settings(**changes)) == expected


async def test_nothing_is_refused_before_and_after() -> None:
    with listening() as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
