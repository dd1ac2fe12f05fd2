"""The settings of a folder: the files to read, and the URLs they are published under."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal
from urllib.parse import quote

from tether.core.checks import Checks
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.readers.anchors import ANCHOR_STYLES, AnchorStyle
from tether.retrieval.readers.names import READABLE_ENDINGS

UrlStyle = Literal["file", "page", "folder", "html"]
URL_STYLES: tuple[UrlStyle, ...] = ("file", "page", "folder", "html")
"""`guide/intro.md`, `guide/intro`, `guide/intro/`, `guide/intro.html`."""

_PAGES = (".md", ".mdx", ".markdown", ".rst", ".ipynb")
_FOLDER_PAGES = frozenset({"index", "_index", "README", "readme"})

ENDINGS = frozenset(READABLE_ENDINGS)
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


def page_url(path: bytes, *, base_url: str, style: UrlStyle) -> str:
    """Return the URL of a file below `base_url`, "" without a `base_url`.

    In every style but "file", the `index` or `README` of a folder has the URL of the folder, and
    the ending of the source file is not part of the URL.
    """
    if not base_url:
        return ""
    folder, _, name = quote(path).rpartition("/")
    start = "/".join(filter(None, (base_url.rstrip("/"), folder)))
    stem = next((name.removesuffix(end) for end in _PAGES if name.endswith(end)), None)
    if style == "file" or stem is None:
        return f"{start}/{name}"
    if stem in _FOLDER_PAGES:
        return f"{start}/"
    return f"{start}/{stem}{ {'page': '', 'folder': '/', 'html': '.html'}[style] }"


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSettings:
    """The files that a `FolderSource` reads.

    `include` and `exclude` are patterns as in `.gitignore`, relative to the folder. With `include`,
    only matching files are read; files that match `exclude` never are. `.gitignore` and
    `.tetherignore` files are obeyed in every folder. The latter decide first, and can bring back
    (`!.github/`) files that the former or the `habits` leave out: hidden files, packages, build
    outputs. Files that look like secrets are left out in any case, unless `secrets` is true.

    `base_url` is the URL of the published folder, "" if it is not published; `url_style` says how
    the path of a file becomes its URL. `anchors` is the way in which the site makes the anchors of
    headings; by default it is taken from the configuration file of a site builder, in the folder or
    up to three above it. Raises `InvalidRetrievalSettings`.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ignore_files: bool = True
    habits: bool = True
    secrets: bool = False
    max_bytes: int = 20_000_000
    endings: frozenset[str] = ENDINGS
    base_url: str = ""
    url_style: UrlStyle = "file"
    anchors: AnchorStyle | None = None

    def __post_init__(self) -> None:
        check = Checks()
        for name in ("include", "exclude"):
            for pattern in check.instances(name, getattr(self, name), str, "patterns"):
                if isinstance(pattern, str) and not pattern.strip("/"):
                    check.refuse(name, pattern, "a pattern such as 'docs/**/*.md'")
        for name in ("ignore_files", "habits", "secrets"):
            check.flag(name, getattr(self, name))
        check.whole_number("max_bytes", self.max_bytes)
        for ending in check.instances("endings", self.endings, str, "endings"):
            if isinstance(ending, str) and (ending[:1] != "." or ending != ending.lower()):
                check.refuse("endings", ending, "an ending in lower case with its dot: '.md'")
        if self.base_url != "" and not str(self.base_url).startswith(("https://", "http://")):
            check.refuse("base_url", self.base_url, "an address that begins with https://")
        check.choice("url_style", self.url_style, URL_STYLES)
        if self.anchors is not None:
            check.choice("anchors", self.anchors, ANCHOR_STYLES)
        check.done(InvalidRetrievalSettings)


def anchor_style(folder: Path) -> AnchorStyle:
    """Return the style of the anchors of a folder, by the configuration of a site builder.

    The file may be in the folder or in one of the three above it, because most projects keep their
    pages in `docs`; the nearest one counts. Only names are read. The default is GitHub's style.
    """
    for place in (folder, *folder.parents[:_HIGHEST]):
        for name, style in _STYLES.items():
            with suppress(OSError):
                if (place / name).exists():
                    return style
    return "github"
