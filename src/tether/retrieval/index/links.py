"""Which document a link leads to, where it leads to one of the same index."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

ENDINGS = ("", ".md", ".mdx", ".rst", ".html", ".ipynb", ".txt")
PAGES = ("index.md", "_index.md", "README.md", "index.mdx", "index.rst", "index.html")
MADE = (".html", ".htm")
"""Endings that a site gives to pages whose sources end otherwise."""


class LinkMap:
    """Finds the number of the document that a link means, by its key or by its address."""

    def __init__(self, keys: Sequence[str], urls: Sequence[str]) -> None:
        self._numbers = {key: number for number, key in enumerate(keys)}
        for number, url in enumerate(urls):
            if url:
                self._numbers.setdefault(_bare(url), number)
        self._keys = keys
        self._urls = urls

    def targets(self, number: int, links: Iterable[str]) -> list[int]:
        """Return the documents that a document's links lead to, without itself."""
        found = {target for link in links if (target := self._target(number, link)) is not None}
        return sorted(found - {number})

    def _target(self, number: int, link: str) -> int | None:
        try:
            return self._resolved(number, link)
        except ValueError:  # an address such as "http://[" that nobody can follow
            return None

    def _resolved(self, number: int, link: str) -> int | None:
        address = link.partition("#")[0].partition("?")[0].strip()
        if not address:
            return None
        url = self._urls[number] or self._keys[number]
        if urlsplit(address).scheme or "://" in url:
            found = self._numbers.get(_bare(urljoin(url, address)))
            if found is not None or urlsplit(address).scheme:
                return found
        return self._by_path(posixpath.dirname(self._keys[number]), unquote(address))

    def _by_path(self, folder: str, path: str) -> int | None:
        rooted = path.startswith("/")
        joined = path.lstrip("/") if rooted else posixpath.join(folder, path)
        plain = posixpath.normpath(joined)
        made = next((plain.removesuffix(end) for end in MADE if plain.endswith(end)), plain)
        tried = [stem + ending for stem in dict.fromkeys((plain, made)) for ending in ENDINGS]
        tried += [posixpath.normpath(posixpath.join(plain, page)) for page in PAGES]
        return next((self._numbers[key] for key in tried if key in self._numbers), None)


def _bare(url: str) -> str:
    """Return an address in the form in which two spellings of a page are equal."""
    parts = urlsplit(url)
    path = parts.path.removesuffix("index.html").rstrip("/")
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{path}"


def link_arrays(
    keys: Sequence[str], urls: Sequence[str], links: Iterable[Sequence[str]]
) -> dict[str, NDArray[np.int32]]:
    """Return the links between documents as `starts` and `targets`."""
    known = LinkMap(keys, urls)
    targets = [known.targets(number, given) for number, given in enumerate(links)]
    starts = np.zeros(len(keys) + 1, dtype=np.int32)
    np.cumsum([len(found) for found in targets], out=starts[1:])
    flat = [target for found in targets for target in found]
    return {"starts": starts, "targets": np.array(flat, dtype=np.int32)}
