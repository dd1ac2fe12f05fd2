"""A gibibyte is read by the piece: in a process of its own, whose memory is measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.unmeasured

GIBIBYTE = 1 << 30
MOST_MEMORY = 100_000_000
WIDTH = 128
COUNT = GIBIBYTE // WIDTH

# VmHWM is the peak of this program alone; ru_maxrss includes the process before `exec`.
READ = """
import asyncio, json, resource, sys
from pathlib import Path
from tether.core.artifact import SpooledArtifact
from tether.core.spool import FileSpool
from tether.runtime.patterns import SafePattern

def peak():
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

async def main(path, steps):
    artifact = SpooledArtifact(FileSpool(path))
    found = {"byte_length": await artifact.byte_length()}
    for name, arguments in steps:
        if name == "grep":
            arguments = [SafePattern(arguments[0])]
        result = await getattr(artifact, name)(*arguments)
        found[name] = [line[-200:] for line in result] if isinstance(result, list) else result
    print(json.dumps(found | {"peak": peak()}))

asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
"""


def read(path: Path, *steps: tuple[str, list[Any]]) -> dict[str, Any]:
    command = [sys.executable, "-c", READ, str(path), json.dumps(steps)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=250)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def line(number: int) -> str:
    return f"{number:0{WIDTH - 1}d}"


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "large"
    yield path
    path.unlink()


def test_a_gibibyte_of_lines_takes_little_memory(large: Path) -> None:
    block = b"".join(b"%0127d\n" % number for number in range(8192))
    with large.open("wb") as file:
        for _ in range(GIBIBYTE // len(block)):
            file.write(block)
        middle = COUNT // 2 + 77
        file.seek(middle * WIDTH)
        file.write(b"a needle")
    needle = "a needle" + line(77)[8:]
    found = read(
        large,
        ("head", [2]),
        ("grep", ["need[l]e"]),
        ("line_count", []),
        ("tail", [2]),
        ("cat", [middle - 1, middle + 2]),
    )
    assert found.pop("peak") < MOST_MEMORY
    assert found == {
        "byte_length": GIBIBYTE,
        "head": [line(0), line(1)],
        "grep": [needle],
        "line_count": COUNT + 1,
        "tail": [line(8191), ""],
        "cat": [line(76), needle, line(78)],
    }


def test_a_line_of_a_gibibyte_takes_little_memory(large: Path) -> None:
    large.touch()
    os.truncate(large, GIBIBYTE)  # zeros that take no room
    found = read(large, ("head", [1]), ("grep", ["^.?\\0"]), ("line_count", []), ("tail", [3]))
    note = "… [cut: the line has 1,073,741,824 bytes]"
    assert found.pop("peak") < MOST_MEMORY
    assert found["head"][0].endswith(note)
    assert found["head"] == found["tail"] == found["grep"]
    assert (found["byte_length"], found["line_count"]) == (GIBIBYTE, 1)
