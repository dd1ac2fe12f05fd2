"""Vectors that arrive behind an answer: a process of its own adds them to the index.

It belongs to no terminal, reads no settings but those that it was given, and connects nowhere but
to the endpoints in them. It ends when all vectors are there, when somebody removes its note or the
index, or when it fails, which its note then says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from tether.app.index_floor import fit_if_due
from tether.app.offline import configured_addresses, go_offline
from tether.app.search import open_index
from tether.app.search_models import SearchModels
from tether.app.settings.remote import RemoteEmbedder, RemoteReranker
from tether.app.settings.values import Settings
from tether.app.vector_note import HeldNote, VectorsStopped, held_note
from tether.core.errors import InputRefused, TetherError
from tether.retrieval.errors import IndexLocked

PROGRAM = f"from {__name__} import main; main()"
NICENESS = 10
"""How far it steps back behind everything else that runs."""


def start(settings: Settings) -> None:
    """Start the process for the index of the settings; it ends at once if there is one already.

    Raises `OSError` if the system starts no process.
    """
    with (
        TemporaryFile() as order,  # not an argument: others see those, and an address has secrets
        subprocess.Popen(  # noqa: S603  # our own module
            [sys.executable, "-P", "-c", PROGRAM, str(settings.index)],
            stdin=_written(order, settings),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        ) as process,
    ):
        process.returncode = 0  # it outlives us: nobody waits for it


def _written(order: IO[bytes], settings: Settings) -> IO[bytes]:
    """Write what the process has to know; keys stay in their variables, which it inherits."""
    form = {
        "judge": settings.judge,
        "embedder": asdict(settings.embedder),
        "reranker": asdict(settings.reranker),
    }
    order.write(json.dumps(form).encode())
    order.seek(0)
    return order


def ordered(index: Path, text: str) -> Settings:
    """Return the settings of the process; all that it was not told are the defaults."""
    form = json.loads(text)
    return Settings(
        index=index,
        judge=form["judge"],
        embedder=RemoteEmbedder(**form["embedder"]),
        reranker=RemoteReranker(**form["reranker"]),
    )


def add_vectors(settings: Settings) -> None:
    """Add the missing vectors to an index and fit its floor, unless another process does."""
    with suppress(VectorsStopped), held_note(settings.index) as note:
        if note is not None:
            try:
                _add(settings, note)
            except (TetherError, OSError) as error:
                note.check()  # an index that was removed has no use for a reason
                note.fail(error.message if isinstance(error, TetherError) else str(error))


def _add(settings: Settings, note: HeldNote) -> None:
    kept, models = open_index(settings.index), SearchModels.of(settings)
    kept.embed_beside(models.embedder(), progress=note.hear)
    with suppress(IndexLocked, InputRefused):  # others write: the next question fits it
        fit_if_due(kept, settings.judge, models, check=note.check, renewed=True)
    note.remove()


def main() -> None:
    """Add vectors to the index that the process was started for."""
    settings = ordered(Path(sys.argv[1]), sys.stdin.read())
    go_offline(configured_addresses(settings))
    os.nice(NICENESS)
    add_vectors(settings)
