"""Vectors that arrive behind an answer: a process of its own adds them to the index.

It belongs to no terminal and connects nowhere. It ends when all vectors are there, when somebody
removes its note or the index, or when it fails, which its note then says.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import cast

from tether.app.index_floor import fit_if_due
from tether.app.offline import go_offline
from tether.app.search import open_index
from tether.app.settings.values import JudgeChoice
from tether.app.vector_note import HeldNote, VectorsStopped, held_note
from tether.core.errors import InputRefused, TetherError
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.errors import IndexLocked

PROGRAM = f"from {__name__} import main; main()"
NICENESS = 10
"""How far it steps back behind everything else that runs."""


def start(index: Path, judge: JudgeChoice) -> None:
    """Start the process for an index; it ends at once if there is one already.

    Raises `OSError` if the system starts no process.
    """
    with subprocess.Popen(  # noqa: S603  # our own module
        [sys.executable, "-P", "-c", PROGRAM, str(index), judge],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    ) as process:
        process.returncode = 0  # it outlives us: nobody waits for it


def add_vectors(index: Path, judge: JudgeChoice) -> None:
    """Add the missing vectors to an index and fit its floor, unless another process does."""
    with suppress(VectorsStopped), held_note(index) as note:
        if note is not None:
            try:
                _add(index, judge, note)
            except (TetherError, OSError) as error:
                note.check()  # an index that was removed has no use for a reason
                note.fail(error.message if isinstance(error, TetherError) else str(error))


def _add(index: Path, judge: JudgeChoice, note: HeldNote) -> None:
    kept = open_index(index)
    kept.embed_beside(MiniLm(), progress=note.hear)
    with suppress(IndexLocked, InputRefused):  # others write: the next question fits it
        fit_if_due(kept, judge, check=note.check, renewed=True)
    note.remove()


def main() -> None:
    """Add vectors to the index that the process was started for."""
    index, judge = sys.argv[1:]
    go_offline(())
    os.nice(NICENESS)
    add_vectors(Path(index), cast("JudgeChoice", judge))
