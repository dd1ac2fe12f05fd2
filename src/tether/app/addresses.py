"""The places that documents come from, and when two spellings mean one of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tether.app.settings.values import is_endpoint
from tether.retrieval.sources import source_name


def identity(address: str) -> str:
    """Return what two spellings of one place have in common."""
    return source_name(address) if is_endpoint(address) else os.path.realpath(Path(address))


def joined(known: Sequence[str], docs: Sequence[str]) -> tuple[str, ...]:
    """Return the sources of an index and the documents of the settings, each place once.

    A place that the index knows goes by the name that it has there.
    """
    places = {identity(name): name for name in reversed((*known, *docs))}
    return tuple(reversed(places.values()))
