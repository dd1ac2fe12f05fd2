"""What of a folder is read, and under which addresses its files are published."""

from __future__ import annotations

from dataclasses import dataclass

from tether.core.checks import Checks
from tether.core.errors import InvalidRetrievalSettings
from tether.retrieval.readers.anchors import ANCHOR_STYLES, AnchorStyle
from tether.retrieval.readers.kinds import READABLE_ENDINGS
from tether.retrieval.sources.page_urls import URL_STYLES, UrlStyle

ENDINGS = frozenset(READABLE_ENDINGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSettings:
    """What a `FolderSource` takes and what it leaves.

    `include` and `exclude` are patterns as in `.gitignore`, from the folder's root. Where there is
    an `include`, only files that match are read; what `exclude` matches never is. `.gitignore` and
    `.tetherignore` files are obeyed in every folder; the second kind decides first, and can bring
    back (`!.github/`) what the first or a habit leaves out: hidden things, packages, build outputs.
    Files that look like secrets stay out whatever those say, unless `secrets` is true.

    `base_url` is where the folder is published, "" where it is not; `url_style` says how a file's
    path becomes its address. `anchors` is how the site makes the anchors of headings; without it,
    the file that configures a site builder tells, in the folder or up to three above it. Raises
    `InvalidRetrievalSettings`.
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
        if not isinstance(self.max_bytes, int) or self.max_bytes < 1:
            check.refuse("max_bytes", self.max_bytes, "a whole number from 1 up")
        for ending in check.instances("endings", self.endings, str, "endings"):
            if isinstance(ending, str) and (ending[:1] != "." or ending != ending.lower()):
                check.refuse("endings", ending, "an ending in lower case with its dot: '.md'")
        if self.base_url != "" and not str(self.base_url).startswith(("https://", "http://")):
            check.refuse("base_url", self.base_url, "an address that begins with https://")
        check.choice("url_style", self.url_style, URL_STYLES)
        if self.anchors is not None:
            check.choice("anchors", self.anchors, ANCHOR_STYLES)
        check.done(InvalidRetrievalSettings)
