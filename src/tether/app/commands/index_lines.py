"""What several commands of an index share: lines that they print, and sources that nobody named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tether.app.addresses import identity, joined
from tether.app.options import settings_under
from tether.app.parts import known_sources
from tether.app.printing import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.state import DocumentState

NOTHING = "name a folder, a file or an address to index, or set `docs` in tether.toml"


def state_line(state: DocumentState) -> str:
    """Return what became of a document, with the reason."""
    return shown(f"{state.state}: {state.key}: {state.reason}")


def configured_sources(index: Path, forget: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the sources of an index and the documents of the settings, but those to let go.

    Raises `click.UsageError` where there are none at all.
    """
    found = joined(known_sources(index), settings_under().docs)
    if not found:
        raise click.UsageError(NOTHING)
    gone = {identity(source) for source in forget}
    return tuple(source for source in found if identity(source) not in gone)
