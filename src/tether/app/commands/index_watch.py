"""`tether index watch`: keep an index in step while files change."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tether.app.display import shown
from tether.app.index_floor import fit_if_due
from tether.app.options import index_place, settings_under
from tether.app.search import make_index
from tether.app.search_models import SearchModels
from tether.app.sources import configured_sources, named_sources, state_counts
from tether.app.vector_note import stop
from tether.core.errors import RunError
from tether.retrieval.errors import IndexDamaged, IndexLocked
from tether.retrieval.index.index import Index
from tether.retrieval.sources.discovery import source_for
from tether.text.numbers import counted

if TYPE_CHECKING:
    from tether.retrieval.index.index import ApplyReport

State = frozenset[tuple[str, int, int]]
"""The files as polling sees them: path, time of the last change in nanoseconds, size.

Any program can set the time of modification back, but not that of the last change.
"""


@click.command()
@click.argument("addresses", nargs=-1, metavar="[SOURCE]...")
@index_place
@click.option(
    "--interval",
    type=click.FloatRange(min=0.05, max=3600),
    default=2.0,
    show_default=True,
    help="Seconds between two looks.",
)
@click.option("--no-embeddings", is_flag=True, help="Index words only.")
def watch(
    addresses: tuple[str, ...], index: str | None, interval: float, *, no_embeddings: bool
) -> None:
    """Bring the index in step with the folders and files SOURCE now and whenever they change.

    Without SOURCE, with the sources of the index and the documents of the settings. Each update
    prints one line; a failed one is tried again. Ctrl-C ends it with 0.
    """
    settings = settings_under("index", index=index, docs=addresses or None)
    addresses = named_sources(settings.index, addresses) or configured_sources(settings)
    if any("://" in address for address in addresses):
        problem = "watch needs folders and files; for a site, run `tether index apply` regularly"
        raise click.UsageError(problem)
    with watching(settings.index):
        kept, models = make_index(settings.index), SearchModels.of(settings)
        stop(kept.folder)  # this process does its work
        watch = Watch(kept, addresses, models, embeds=not no_embeddings)
        try:
            while True:
                watch.look()
                time.sleep(interval)
        except KeyboardInterrupt:
            click.echo("stopped")


class Watch:
    """Looks at sources and syncs after a change; prints each message once."""

    def __init__(
        self, kept: Index, addresses: Sequence[str], models: SearchModels, *, embeds: bool
    ) -> None:
        self._kept = kept
        self._addresses = addresses
        self._models = models
        self._embedder = models.embedder() if embeds else None
        self._seen: State | None = None
        self._said = ""

    def look(self) -> None:
        """Sync if something changed since the last look, or if that one failed.

        The state is noted before documents are read, so a change during the sync is found at the
        next look. Raises `IndexDamaged`; any other failure is reported and tried again.
        """
        now = state_of(self._addresses)
        if now == self._seen:
            return
        try:
            self._sync()
        except IndexDamaged:
            raise
        except RunError as error:
            self._seen = None
            self._say(f"not in step, trying again: {error.message}")
        else:
            self._seen = now

    def _sync(self) -> None:
        plan = self._kept.plan(*(source_for(address) for address in self._addresses))
        if self._seen is None or not plan.is_empty:
            report = self._kept.apply(plan, embedder=self._embedder)
            fit_if_due(self._kept, "auto", self._models)
            self._say(_line(report))

    def _say(self, text: str) -> None:
        if text != self._said:
            moment = datetime.now().astimezone().strftime("%H:%M:%S")
            click.echo(shown(f"{moment} {text}"))
        self._said = text


def state_of(addresses: Sequence[str]) -> State:
    """Return the files at the addresses, without those that cannot be examined."""
    return frozenset(
        entry for address in addresses for path in _files(address) for entry in _entry(path)
    )


def _files(address: str) -> Iterator[str]:
    yield address
    for folder, folders, files in os.walk(address):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(folder, name) for name in files)  # noqa: PTH118  # many of them


def _entry(path: str) -> Iterator[tuple[str, int, int]]:
    try:
        found = os.stat(path)  # noqa: PTH116  # many of them
    except OSError:
        return
    yield path, found.st_ctime_ns, found.st_size


@contextmanager
def watching(index: Path) -> Generator[None]:
    """Hold the lock for watching an index; raises `IndexLocked` while another process has it.

    The lock ends with the process, however that ends. The file stays: if it were removed, a third
    process could lock another file of the same name.
    """
    place = index.with_name(f"{index.name}.watch")
    place.parent.mkdir(parents=True, exist_ok=True)
    opened = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise IndexLocked(f"another process watches {index} already; stop it first") from error
        yield
    finally:
        os.close(opened)


def _line(report: ApplyReport) -> str:
    found = state_counts(report.states) or "no documents"
    return f"generation {report.generation}: {counted(report.chunks, 'passage')}; {found}"
