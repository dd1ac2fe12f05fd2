"""Paths as people and programs like them."""

from __future__ import annotations

import os
from pathlib import Path


def without_detours(path: Path) -> Path:
    """Return a path without `..`; where it has none, as it is, links included."""
    return Path(os.path.realpath(path)) if ".." in path.parts else path
