"""Kill a process at random moments of `apply`, many times, and look at what it left.

Run as a program of its own, because it forks: `kill_rounds.py ROUNDS SEED`. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter, sleep

from retrieval.index.made import Answers, HashEmbedder, answers, applied, built, parts, room
from tether.retrieval.errors import IndexWriteFailed
from tether.retrieval.index.index import Index

LINES = ["pods run on nodes", "volumes keep data", "services find pods", "a node has a size"]


def corpus(version: int) -> dict[str, str]:
    """Return forty pages of which every third differs from version to version."""
    return {
        f"part{page % 4}/page{page}.md": f"# Page {page}\n\n"
        + "\n\n".join(
            f"## Section {part}\n\n{LINES[(page + part) % 4]}, see [it](page{page + 4}.md). "
            + (f"Version {version}." if page % 3 == 0 else "Always.")
            for part in range(3)
        )
        for page in range(version, 40 + version)
    }


class Rounds:
    """The same step from an old to a new set of documents, cut short again and again."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = random.Random(seed)
        self.ends: Counter[str] = Counter()
        built(folder / "base", corpus(0), corpus(1), embedder=HashEmbedder())
        self._old = answers(Index.open(folder / "base", parts()))
        self._seconds = min(self._timed() for _ in range(3))
        clean = built(folder / "clean", corpus(2), embedder=HashEmbedder())
        self._new = answers(clean)

    def _copy(self) -> None:
        shutil.rmtree(self._folder / "tried", ignore_errors=True)
        shutil.copytree(self._folder / "base", self._folder / "tried")

    def _step(self) -> None:
        applied(Index.open(self._folder / "tried", parts()), corpus(2), HashEmbedder())

    def _timed(self) -> float:
        self._copy()
        started = perf_counter()
        self._step()
        return perf_counter() - started

    def killed(self) -> bool:
        """Kill the step at a random moment, and return whether it was not finished by then."""
        self._copy()
        child = os.fork()
        if child == 0:
            self._step()
            os._exit(0)
        sleep(self._random.uniform(0, self._seconds))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        self._look("killed" if os.WIFSIGNALED(status) else "finished")
        return os.WIFSIGNALED(status)

    def refused(self, most: int) -> None:
        """Let the system refuse every write beyond a size of the file."""
        self._copy()
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            try:
                self._step()
            except IndexWriteFailed:
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFEXITED(status) or os.WEXITSTATUS(status) not in (0, 1):
            raise AssertionError(f"a limit of {most} bytes ended in {status}")
        self._look("refused" if os.WEXITSTATUS(status) else "finished")

    def _look(self, how: str) -> None:
        index = Index.open(self._folder / "tried", parts())
        seen = answers(index)
        state = self._state(seen)
        damage = index.check()
        if damage:
            raise AssertionError(f"{how}, {state}: {damage}")
        applied(index, corpus(2), HashEmbedder())
        index.collect()
        if answers(index) != self._new:
            raise AssertionError(f"{how}, {state}: the next run did not complete it")
        self._refuse_leftovers()
        self.ends[f"{how}, {state}"] += 1

    def _state(self, seen: Answers) -> str:
        if seen == self._old:
            return "old"
        if seen == self._new:
            return "new"
        if seen.without_vectors == self._new.without_vectors and seen.embedded < self._new.embedded:
            return "new, not yet embedded"
        raise AssertionError("neither the old nor the new generation answers")

    def _refuse_leftovers(self) -> None:
        folder = self._folder / "tried"
        names = {path.name for path in folder.iterdir()}
        if names - {"in-step"} != {"index.sqlite", "generations", "writer.lock"}:
            raise AssertionError(f"left over: {names}")
        if len(list((folder / "generations").iterdir())) != 2:
            raise AssertionError("left over generations")


def main() -> None:
    """Print how the rounds ended."""
    rounds, seed = int(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with room() as folder:
        played = Rounds(folder, seed)
        left = rounds
        while left:
            left -= played.killed()
        for step in range(rounds // 4):
            played.refused(1_000 + step * 600_000 // (rounds // 4))
    sys.stdout.write(json.dumps(dict(sorted(played.ends.items()))) + "\n")


if __name__ == "__main__":
    main()
