"""The index of a receipt: found again, and brought in step with the sources of the quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tether.app.display import shown
from tether.app.index_sync import IndexSync
from tether.app.indexes import chosen_index
from tether.app.offline import offline_where_set
from tether.app.options import settings_under, settings_with
from tether.app.search import open_index
from tether.app.settings.places import NAME
from tether.app.settings.values import is_web_address
from tether.retrieval.errors import IndexLocked, IndexMissing, IndexWriteFailed, SourceUnavailable

if TYPE_CHECKING:
    from tether.app.settings.values import Settings
    from tether.ask.receipt import Receipt
    from tether.retrieval.index.index import Index

OFFLINE = "{source} is on the web, which is not read offline"
UNNAMED = "{source} is on the web; name the index with --index to let it be read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How well an index shows the documents of now.

    `unread` says why a source could not be read, for each one. `is_complete` if every source of the
    index was read, not only those of the quotes.
    """

    unread: tuple[str, ...] = ()
    is_complete: bool = False


def fresh_index(receipt: Receipt, given: str | None) -> tuple[Index, Freshness]:
    """Return the index of a receipt, in step with the sources of its quotes.

    `given` is an index that a person names instead. Raises `IndexMissing`.
    """
    settings = _settings(receipt, given)
    kept = chosen_index(settings)
    known = kept.status().sources
    keys = list(dict.fromkeys(citation.document for citation in receipt.answer.citations))
    sources = kept.sources_of(keys) if keys else ()
    is_named = given is not None or not Path(receipt.place).is_absolute()
    with offline_where_set(settings):
        unread = (*_unread(settings, sources, is_named=is_named), *_kept_old(kept, keys))
    return kept, Freshness(unread=unread, is_complete=not unread and set(sources) == set(known))


def _kept_old(kept: Index, keys: Sequence[str]) -> Iterator[str]:
    """Yield why a cited document, or a folder above it, could not be read: its old text stays."""
    for state in kept.status().troubled:
        if any(key == state.key or key.startswith(_folder(state.key)) for key in keys):
            yield f"{state.key}: {state.reason}"


def _folder(key: str) -> str:
    """Return the key of a folder, and for a file one that no document is below of."""
    return key if key.endswith("/") else f"{key}/"


def _settings(receipt: Receipt, given: str | None) -> Settings:
    """Return the settings with the index that was given, or that the receipt names.

    If that is not here, with the index of the settings, and standard error says so.
    """
    place = receipt.place
    if given is not None or not (NAME.fullmatch(place) or Path(place).is_absolute()):
        return settings_under("index", index=given)
    named = settings_with(place)
    if _is_there(named.index):
        return named
    here = settings_under("index")
    if not _is_there(here.index):
        return named
    text = f"The index {place} of the receipt is not here; this is about {here.index}."
    click.echo(shown(text), err=True)
    return here


def _is_there(folder: Path) -> bool:
    try:
        open_index(folder)
    except IndexMissing:
        return False
    return True


def _unread(settings: Settings, sources: Sequence[str], *, is_named: bool) -> Iterator[str]:
    """Bring the index in step with each source, and yield why one could not be read.

    A folder that only the receipt names may come with it: then no page is fetched for it.
    """
    for source in sources:
        if is_web_address(source) and (settings.offline or not is_named):
            yield (OFFLINE if settings.offline else UNNAMED).format(source=source)
            continue
        try:
            IndexSync(settings=settings, floor=False).refresh([source])
        except (IndexLocked, IndexWriteFailed, SourceUnavailable) as error:
            yield error.message
