"""Where indexes are kept: each set of documents has its own, in the folder of the user's data."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from tether.app.settings.values import is_web_address
from tether.retrieval.index.tables import NAME as DATABASE

DATA_HOMES = {"darwin": "Library/Application Support", "win32": "AppData/Local"}
"""Where the data of users belongs below their home, if that is not `.local/share`."""

INDEXES = "indexes"
LONGEST_LABEL = 40
DIGITS = 6

NAME = re.compile(r"\w[\w.-]{0,99}")
"""The form of a name: one part of a path, which cannot be taken for an option."""

_SEPARATORS = re.compile(r"[^\w.]+")


def data_home(environ: Mapping[str, str], platform: str = sys.platform) -> Path | None:
    """Return the folder of this program's data; None without a home."""
    given = environ.get("XDG_DATA_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "tether"
    home = environ.get("HOME", "") or environ.get("USERPROFILE", "")
    return Path(home) / DATA_HOMES.get(platform, ".local/share") / "tether" if home else None


def named_index(data: Path, name: str) -> Path:
    """Return the folder of the index with a name."""
    return data / INDEXES / name


def kept_indexes(data: Path) -> list[Path]:
    """Return the folders of the indexes with names, by name."""
    places = sorted((data / INDEXES).glob(f"*/{DATABASE}"))
    return [place.parent for place in places if not place.parent.name.startswith(".")]


def index_name(addresses: Iterable[str]) -> str:
    """Return the name of the index of some documents, the same for every spelling and order.

    It has a part that people can read, and a part that differs for places that end alike.
    """
    places = sorted({identity(address) for address in addresses})
    digest = sha256(os.fsencode("\0".join(places))).hexdigest()[:DIGITS]
    label = _SEPARATORS.sub("-", "-".join(map(_label, places)))
    return f"{label[:LONGEST_LABEL].strip('-._') or 'documents'}-{digest}"


def _label(place: str) -> str:
    """Return what people call a place: its last name, or the host and path of a page."""
    if is_web_address(place):
        parts = urlsplit(place)
        return f"{parts.hostname or ''}{parts.path.rstrip('/')}"
    return Path(place).name


def identity(address: str) -> str:
    """Return the same text for every spelling of one place."""
    if not is_web_address(address):
        return os.path.realpath(address)
    from tether.retrieval.sources.discovery import source_name  # noqa: PLC0415  # loads parsers

    return source_name(address)
