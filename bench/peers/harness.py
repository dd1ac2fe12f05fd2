"""What the peers' scripts share: the same sampling as Tether's own figures, printed as JSON.

Run a script from the repository root, as a module, with the peer's own interpreter:

    bench/peers/.venv-langgraph/bin/python -m bench.peers.langgraph > langgraph.json
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

from bench import measure, startup, work

ROUNDS, SECONDS = 9, 0.1

Work = Callable[[], Awaitable[Any]]


def report(
    distribution: str, import_statement: str, plain_turn: Work, tool_turn: Work, stream: Work
) -> None:
    """Measure the three cases and the import in the same rounds, and print what `--peers` takes.

    `plain_turn` and `tool_turn` return the reply, `stream` returns the number of pieces read; each
    is tried once first, and a peer that answers something else is not measured.
    """
    with asyncio.Runner() as runner:
        _demand(runner.run(plain_turn()), work.REPLY)
        _demand(runner.run(tool_turn()), work.REPLY)
        _demand(runner.run(stream()), len(work.CHUNKS))
        startup.child_cpu_seconds(import_statement)  # compiles what is not compiled yet
        samples = {
            "empty": lambda: startup.child_cpu_seconds("pass"),
            "import": lambda: startup.child_cpu_seconds(import_statement),
            "plain turn": measure.repeated(runner, plain_turn, 1, SECONDS),
            "tool turn": measure.repeated(runner, tool_turn, 1, SECONDS),
            "stream": measure.repeated(runner, stream, len(work.CHUNKS), SECONDS),
        }
        taken = measure.best(samples, ROUNDS)
    figures = {
        "plain turn": taken["plain turn"] * 1e6,
        "tool turn": taken["tool turn"] * 1e6,
        "streamed chunk, stream()": taken["stream"] * 1e6,
        "import, all names": (taken["import"] - taken["empty"]) * 1e3,
        "modules, all names": startup.modules_after(import_statement),
        "packages installed": len(startup.packages_behind(distribution)),
    }
    peer = f"{distribution} {version(distribution)}"
    print(json.dumps({"peer": peer, "figures": figures}, indent=2))


def _demand(found: object, expected: object) -> None:
    if found != expected:
        raise RuntimeError(f"expected {expected!r}, not {found!r}")
