"""Artifacts and tools: large results read by the piece, one tool call, and the cost of importing.

The floor of each is what one would write, or run, instead: the system's `grep -c`, a loop over the
parsed document, the function itself, the imports that every tool shares.
"""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import measure, startup, work
from bench.figures import Figure

from tether import DispatchContext, DispatchRunner, Helpers, NoopStorage, RawDispatch, tool
from tether.batteries.artifacts import SpooledJsonArtifact
from tether.batteries.tools import TOOLS
from tether.core.artifact import SpooledArtifact
from tether.core.spool import FileSpool
from tether.runtime.patterns import SafePattern

MEGABYTE = 1 << 20
SHARED = """from tether.batteries.tools.ready_made import ready_made
@ready_made(example={})
def first(text: str) -> str:
    \"\"\"Be the first tool, which pays for what all of them share.\"\"\"
"""
PATTERN = "error [45]0[0-9]"

Read = Callable[[], Awaitable[Any]]


def take(rounds: int) -> list[Figure]:
    """Measure everything, in the same rounds as its floor."""
    with TemporaryDirectory() as folder, asyncio.Runner() as runner:
        log, document, lines = _files(Path(folder))
        samples: dict[str, measure.Sample] = {
            "grep, 100 MB": _once(runner, _grep(log)),
            "floor: grep, 100 MB": _grep_of_the_system(log),
            "JSON pluck, 50 MB": _once(runner, _pluck(document, "$[*].price")),
            "floor: JSON pluck, 50 MB": _once(runner, _pluck_by_hand(document)),
            "JSON Lines pluck, 50 MB": _once(runner, _pluck(lines, "$.price")),
            "floor: JSON Lines pluck, 50 MB": _once(runner, _pluck_lines_by_hand(lines)),
        }
        taken = measure.best(samples, min(rounds, 3))
        taken |= _calls(runner, rounds)
    read = [_figure(name, "ms CPU", 1e3, taken) for name in samples if "floor" not in name]
    return [*read, _figure("tool call", "µs CPU", 1e6, taken), *_imports(rounds)]


def _files(folder: Path) -> tuple[Path, Path, Path]:
    """Write a log of 100 MB with a match in every 1,000 lines, and 50 MB of records, twice."""
    log, document, lines = folder / "log", folder / "list.json", folder / "records.jsonl"
    ordinary = "2026-01-01T12:00:00Z worker-7 GET /api/items/12345 status 200 in 12 ms\n"
    block = ordinary * 999 + "2026-01-01T12:00:00Z worker-7 GET /api/items error 503 in 9 ms\n"
    log.write_text(block * (100 * MEGABYTE // len(block) + 1))
    record = {"id": 1, "name": "A thing of some kind", "price": 9.5, "tags": ["a", "b"]}
    text = json.dumps(record)
    count = 50 * MEGABYTE // (len(text) + 2)
    document.write_text("[" + ", ".join([text] * count) + "]")
    lines.write_text("\n".join([text] * count))
    return log, document, lines


def _once(runner: asyncio.Runner, read: Read) -> measure.Sample:
    def sample() -> float:
        started = time.process_time()
        runner.run(read())  # type: ignore[arg-type]  # coroutine functions, all of them
        return time.process_time() - started

    return sample


def _grep(log: Path) -> Read:
    async def read() -> None:
        found = await SpooledArtifact(FileSpool(log)).grep(SafePattern(PATTERN))
        if not found:
            raise LookupError(PATTERN)

    return read


def _grep_of_the_system(log: Path) -> measure.Sample:
    program = shutil.which("grep")
    if program is None:
        raise FileNotFoundError("grep")

    def sample() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Not into /dev/null: grep would notice and stop at the first match.
        subprocess.run([program, "-c", PATTERN, str(log)], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    return sample


def _pluck(file: Path, path: str) -> Read:
    async def read() -> None:
        found = await SpooledJsonArtifact(FileSpool(file)).json_pluck(path)
        if not found:
            raise LookupError(path)

    return read


def _pluck_by_hand(file: Path) -> Read:
    async def read() -> None:
        found = [record["price"] for record in json.loads(_content(file))]
        work.ignore(found)

    return read


def _content(file: Path) -> bytes:
    """Read a file, as the floor does: at once."""
    return file.read_bytes()


def _pluck_lines_by_hand(file: Path) -> Read:
    async def read() -> None:
        with file.open("rb") as lines:
            found = [json.loads(line)["price"] for line in lines]
        work.ignore(found)

    return read


def _calls(runner: asyncio.Runner, rounds: int) -> dict[str, float]:
    """Measure a tool call through its executor, and the function called directly."""
    forecast = tool(work.forecast)
    args = json.loads(work.ARGUMENTS)
    taken: dict[str, float] = {}

    async def execute(ctx: DispatchContext, _helpers: Helpers) -> None:
        samples: Mapping[str, Callable[[], Awaitable[Any]]] = {
            "tool call": lambda: forecast.executor(ctx)(args),
            "floor: tool call": lambda: work.forecast(**args),
        }
        for _ in range(rounds):
            for name, call in samples.items():
                started = time.process_time()
                for _ in range(2_000):
                    await call()
                cost = (time.process_time() - started) / 2_000
                taken[name] = min(cost, taken.get(name, cost))
        ctx.ack()

    raw = RawDispatch(system_prompt="", storage=NoopStorage(), tools=[forecast])
    runner.run(DispatchRunner.dispatch(executor=execute, raw=raw))
    return taken


def _imports(rounds: int) -> list[Figure]:
    """Measure each category's import past what all of them share."""
    codes = {name: f"{SHARED}\nimport tether.batteries.tools.{name}" for name in TOOLS}
    samples = {code: partial(startup.child_cpu_seconds, code) for code in [SHARED, *codes.values()]}
    taken = measure.best(samples, min(rounds, 5))
    return [
        Figure(
            name=f"import of {name}",
            value=(taken[code] - taken[SHARED]) * 1e3,
            unit="ms CPU",
            baseline=taken[SHARED] * 1e3,
            ratio=None,
        )
        for name, code in codes.items()
    ]


def _figure(name: str, unit: str, factor: float, taken: Mapping[str, float]) -> Figure:
    value, floor = taken[name], taken[f"floor: {name}"]
    return Figure(
        name=name, value=value * factor, unit=unit, baseline=floor * factor, ratio=value / floor
    )
