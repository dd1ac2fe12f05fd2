"""Folders for tests, and what a scan says about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tether.retrieval.source import DocumentState, Source, SourceItem


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder and return it."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def items(source: Source) -> dict[str, SourceItem]:
    """Return what is to be read, by key."""
    return {found.key: found for found in source.scan() if isinstance(found, SourceItem)}


def states(source: Source) -> dict[str, str]:
    """Return what is not to be read: the state and the reason, by key."""
    return {
        found.key: f"{found.state}: {found.reason}"
        for found in source.scan()
        if isinstance(found, DocumentState)
    }
