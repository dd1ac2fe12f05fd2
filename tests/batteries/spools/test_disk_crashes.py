"""Writers that are killed and disks that are full, in processes of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

# Writes the same spool over and over until it is killed, again and again; each content is one word
# repeated, and a word is told before the next is written.
KILLED = """
import asyncio, json, os, random, signal, sys, time
from pathlib import Path
from tether.batteries.storage.spools import DiskSpools

folder, rounds = Path(sys.argv[1]), 30
store = DiskSpools(folder)

async def stream(word):
    for _ in range(5):
        yield word * 60_000

async def write_for_ever(told, start):
    for number in range(start, start + 1_000_000):
        await store.write("a", stream(b"%08d\\n" % number))
        os.write(told, b"%08d" % number)

async def found():
    words = set((await (await store.read("a")).text()).split())
    left = [path.name for path in folder.glob("*.draft")]
    await store.sweep()
    still_left = [path.name for path in folder.glob("*.draft")]
    return sorted(words), len(left), len(still_left)

asyncio.run(store.write("a", b"%08d\\n" % 0))
acknowledged, results, random = 0, [], random.Random(7)
for _ in range(rounds):
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        asyncio.run(write_for_ever(write_end, acknowledged + 1))
    os.close(write_end)
    told = os.read(read_end, 8)
    time.sleep(random.uniform(0, 0.01))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while piece := os.read(read_end, 65536):
        told += piece
    os.close(read_end)
    acknowledged = int(told[-8:])
    words, left, still_left = asyncio.run(found())
    results.append([acknowledged, words, left, still_left])
    acknowledged = int(words[0])
print(json.dumps(results))
"""

# Fills a place that holds less than it is given, then makes room.
FULL = """
import asyncio, json, resource, sys
from pathlib import Path
from tether.batteries.storage.spools import DiskSpools
from tether.core.errors import LimitExceeded

folder = Path(sys.argv[1])
if len(sys.argv) > 2:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))

async def main():
    store = DiskSpools(folder)
    await store.write("a", b"old" * 100_000)
    await store.write("b", b"old" * 100_000)
    said = None
    try:
        await store.write("a", b"new" * 1_000_000)
    except LimitExceeded as error:
        said = [str(error), error.status, error.retryable, error.__cause__.errno]
    kept = [(await (await store.read(id)).text()) == "old" * 100_000 for id in await store.ids()]
    left = [path.name for path in folder.glob("*.draft")]
    await store.delete("b")
    await store.write("a", b"new" * 100_000)
    after = (await (await store.read("a")).text()) == "new" * 100_000
    print(json.dumps({"said": said, "kept": kept, "left": left, "after": after}))

asyncio.run(main())
"""


def result_of(*command: str) -> Any:
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_a_writer_that_is_killed_leaves_a_whole_spool_and_nothing_after_a_sweep(
    tmp_path: Path,
) -> None:
    results = result_of(sys.executable, "-c", KILLED, str(tmp_path / "spools"))
    assert len(results) == 30
    for acknowledged, words, _, still_left in results:
        assert len(words) == 1  # one write's, not a mixture and not a part of two
        assert int(words[0]) >= acknowledged
        assert still_left == 0
    assert any(left for _, _, left, _ in results)  # some were killed in the middle
    assert results[-1][0] > 0


def check_full(found: dict[str, Any], reason: str) -> None:
    assert reason in found["said"][0]
    assert found["said"][1:3] == [507, True]
    assert found["kept"] == [True, True]
    assert found["left"] == []
    assert found["after"] is True


def test_a_file_that_may_not_grow_leaves_the_old_content(tmp_path: Path) -> None:
    # SECURITY 114
    found = result_of(sys.executable, "-c", FULL, str(tmp_path / "spools"), "1000000")
    check_full(found, "File too large")


def test_a_full_disk_leaves_the_old_content_and_works_again_after(tmp_path: Path) -> None:
    # SECURITY 114, F17
    unshare = shutil.which("unshare")
    mount = 'mount -t tmpfs -o size=2m,mode=700 none "$1"'
    alone = [unshare or "", "--map-root-user", "--mount", "sh", "-c"]
    possible = (
        unshare
        and not subprocess.run(
            [*alone, mount, "sh", str(tmp_path)], capture_output=True, check=False
        ).returncode
    )
    if not possible:
        pytest.skip("no file system of a given size can be mounted here")
    run = f'{mount} && exec "$2" -c "$3" "$1"'
    found = result_of(*alone, run, "sh", str(tmp_path), sys.executable, FULL)
    check_full(found, "No space left on device")
