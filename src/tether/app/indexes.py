"""The indexes that have names: which there are, what they contain, and their removal."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tether.app.errors import OfflineRefused
from tether.app.search import open_index
from tether.app.settings.places import INDEXES, kept_indexes
from tether.app.settings.values import Settings
from tether.core.errors import InputRefused, TetherError
from tether.retrieval.errors import (
    IndexLocked,
    IndexMissing,
    InvalidRetrievalSettings,
    SourceUnavailable,
)
from tether.retrieval.index.index import Index
from tether.retrieval.index.status import Status

MOST_LISTED = 10
HOW = "Make one with `tether index apply FOLDER`, or ask with `--docs FOLDER`."


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownIndex:
    """An index with a name. `status` is None if it cannot be read; then `problem` says why."""

    name: str
    folder: Path
    status: Status | None
    problem: str = ""

    def __str__(self) -> str:
        sources = ", ".join(self.status.sources) if self.status else self.problem
        return f"{self.name} ({sources})"


def known_indexes(data: Path) -> list[KnownIndex]:
    """Return the indexes with names in a folder of data, by name."""
    return [_known(folder) for folder in kept_indexes(data)]


def _known(folder: Path) -> KnownIndex:
    try:
        status = open_index(folder).status()
    except TetherError as error:
        return KnownIndex(name=folder.name, folder=folder, status=None, problem=error.message)
    return KnownIndex(name=folder.name, folder=folder, status=status)


def index_label(settings: Settings) -> str:
    """Return what an index is called: its name if it has one, or else its folder."""
    folder = settings.index
    is_named = folder.parent == settings.data / INDEXES
    return folder.name if is_named else str(folder)


def chosen_index(settings: Settings) -> Index:
    """Return the index of the settings; raises `IndexMissing`, which says which ones there are."""
    try:
        return open_index(settings.index)
    except IndexMissing as error:
        raise no_index(settings) from error


@contextmanager
def only_with_documents(index: Index) -> Generator[None]:
    """Remove a new index again if its documents are not there: somebody mistyped them."""
    try:
        yield
    except (InvalidRetrievalSettings, OfflineRefused, SourceUnavailable):
        with suppress(IndexLocked, InputRefused):
            if _is_new(index):
                index.remove()
        raise


def _is_new(index: Index) -> bool:
    try:
        index.generation()
    except IndexMissing:
        return True
    return False


def no_index(settings: Settings) -> IndexMissing:
    """Return the error for an index that is not there, with those that are."""
    return IndexMissing(
        f"there is no index in {settings.index}", help="\n".join(_advice(settings.data))
    )


def _advice(data: Path) -> Iterator[str]:
    known = known_indexes(data)
    yield HOW
    if known:
        yield "Or name one of these with `--index NAME`:"
        yield from (f"  {one}" for one in known[:MOST_LISTED])
    if len(known) > MOST_LISTED:
        yield f"  and {len(known) - MOST_LISTED} more: `tether index list`"
