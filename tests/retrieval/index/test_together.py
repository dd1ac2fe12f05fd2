"""Several processes: one writes, others read, some are killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.index.made import HashEmbedder, applied, built, environment

pytestmark = pytest.mark.unmeasured

DEEP = os.environ.get("EXPLORE") == "deep"
HERE = Path(__file__).parent

READER = """
import json, sys
from pathlib import Path
from retrieval.index.made import Index, parts
folder, end = Path(sys.argv[1]), Path(sys.argv[2])
index = Index.open(folder, parts())
seen, opened = set(), 0
while not end.exists():
    index.status()
    with index.snapshot() as snapshot:
        texts = [chunk.text for chunk in snapshot.chunks(range(snapshot.size))]
        numbers = {text.split("generation ")[1].split(".")[0] for text in texts}
        assert len(numbers) == 1, numbers
        assert len(texts) == 12, texts
        found = snapshot.words.search("generation", limit=20)
        assert sorted(found.rows.tolist()) == list(range(12)), found
        seen |= numbers
        opened += 1
print(json.dumps({"seen": len(seen), "opened": opened}))
"""


def pages(number: int) -> dict[str, str]:
    return {f"{page}.md": f"# Page {page}\n\nThis is generation {number}." for page in range(12)}


def test_readers_see_whole_generations_while_thirty_are_written(tmp_path: Path) -> None:
    index = built(tmp_path / "index", pages(0))
    end = tmp_path / "end"
    command = [sys.executable, "-c", READER, str(tmp_path / "index"), str(end)]
    readers = [
        subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    try:
        for number in range(1, 31):
            index.status()
            applied(index, pages(number), HashEmbedder() if number % 3 == 0 else None)
    finally:
        end.touch()
        said = [reader.communicate(timeout=60) for reader in readers]
    assert [reader.returncode for reader in readers] == [0, 0, 0], said
    assert all(json.loads(out)["opened"] > 0 for out, _ in said)
    index.collect()
    assert len(list((tmp_path / "index/generations").iterdir())) == 2
    assert index.check() == ()


def test_killed_at_any_moment_the_old_or_the_new_generation_answers() -> None:
    rounds = "200" if DEEP else "12"
    program = [sys.executable, str(HERE / "kill_rounds.py"), rounds, "1"]
    said = subprocess.run(
        program, env=environment(), capture_output=True, check=False, timeout=1200
    )
    assert said.returncode == 0, said.stderr.decode()
    ends = json.loads(said.stdout)
    killed = sum(count for end, count in ends.items() if end.startswith("killed"))
    assert killed == int(rounds)
    assert ends["killed, old"] > 0
    assert ends["refused, old"] > 0
