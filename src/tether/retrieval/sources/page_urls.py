"""Where a file of a folder is found once the folder is published."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote

UrlStyle = Literal["file", "page", "folder", "html"]
URL_STYLES: tuple[UrlStyle, ...] = ("file", "page", "folder", "html")
"""`guide/intro.md`, `guide/intro`, `guide/intro/`, `guide/intro.html`."""

_PAGES = (".md", ".mdx", ".markdown", ".rst", ".ipynb")
_FOLDER_PAGES = frozenset({"index", "_index", "README", "readme"})


def page_url(path: bytes, *, base_url: str, style: UrlStyle) -> str:
    """Return a file's address below `base_url`, "" where there is none.

    In every style but "file" a folder's `index` or `README` is found at the folder itself, and the
    ending of a page's source is not part of its address.
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
