"""Which site builder publishes a folder, told by the file that configures it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from tether.retrieval.readers.anchors import AnchorStyle

_HIGHEST = 3
_STYLES: Mapping[str, AnchorStyle] = MappingProxyType(
    {
        ".vitepress": "vitepress",
        "mkdocs.yml": "mkdocs",
        "mkdocs.yaml": "mkdocs",
        "zensical.toml": "mkdocs",
        "docusaurus.config.js": "github",
        "docusaurus.config.ts": "github",
        "docusaurus.config.mjs": "github",
        "hugo.toml": "github",
        "hugo.yaml": "github",
        "hugo.json": "github",
        "book.toml": "github",
    }
)


def anchor_style(folder: Path) -> AnchorStyle:
    """Return how the anchors of a folder's pages are made; GitHub's habit where nothing tells.

    The file may lie in the folder or in one of the three above it, because most keep their pages in
    `docs`; the nearest one counts. Only names are looked at.
    """
    for place in (folder, *folder.parents[:_HIGHEST]):
        for name, style in _STYLES.items():
            with suppress(OSError):
                if (place / name).exists():
                    return style
    return "github"
