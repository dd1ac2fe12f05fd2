"""The links between the documents of one index."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

import numpy as np

from tether.core.plain_data import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from tether.retrieval.document import Document

ENDINGS = ("", ".md", ".mdx", ".rst", ".html", ".ipynb", ".txt")
PAGES = ("index.md", "_index.md", "README.md", "index.mdx", "index.rst", "index.html")
MADE = (".html", ".htm")
"""Endings of published pages, whose source files end differently."""

LABEL = "ref:"
"""The prefix of a target that is a label; any page may define it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The URL of a document, its link targets as written, and the labels it defines."""

    url: str = ""
    targets: Sequence[str] = ()
    labels: Sequence[str] = ()


def links_text(document: Document) -> str:
    """Return the links of a document as stored."""
    targets = sorted({link.target for link in document.links})
    labels = dict(document.metadata).get("labels", "").split("\n")
    return canonical_json([document.url, targets, [label for label in labels if label]])


class LinkMap:
    """Finds the number of the document that a link leads to: by key, URL or label."""

    def __init__(self, keys: Sequence[str], links: Sequence[Links]) -> None:
        self._numbers = {key: number for number, key in enumerate(keys)}
        self._labels: dict[str, int] = {}
        for number, known in enumerate(links):
            if bare := _bare(known.url):
                self._numbers.setdefault(bare, number)
            for label in known.labels:
                self._labels.setdefault(label, number)
        self._keys = keys
        self._links = links

    def targets(self, number: int) -> list[int]:
        """Return the other documents that the links of a document lead to."""
        given = self._links[number].targets
        found = {target for link in given if (target := self._target(number, link)) is not None}
        return sorted(found - {number})

    def _target(self, number: int, link: str) -> int | None:
        if link.startswith(LABEL):
            return self._labels.get(link.removeprefix(LABEL))
        try:
            return self._resolved(number, link)
        except ValueError:  # a malformed URL such as "http://["
            return None

    def _resolved(self, number: int, link: str) -> int | None:
        address = link.partition("#")[0].partition("?")[0].strip()
        if not address:
            return None
        url = self._links[number].url or self._keys[number]
        if urlsplit(address).scheme or "://" in url:
            found = self._numbers.get(_bare(urljoin(url, address)))
            if found is not None or urlsplit(address).scheme:
                return found
        folder = posixpath.dirname(self._keys[number])
        return next(
            (found for path in _paths(folder, unquote(address)) if (found := self._at(path)) >= 0),
            None,
        )

    def _at(self, plain: str) -> int:
        """Return the document at a path, with any known ending; -1 if there is none."""
        made = next((plain.removesuffix(end) for end in MADE if plain.endswith(end)), plain)
        tried = [stem + ending for stem in dict.fromkeys((plain, made)) for ending in ENDINGS]
        tried += [posixpath.normpath(posixpath.join(plain, page)) for page in PAGES]
        return next((self._numbers[key] for key in tried if key in self._numbers), -1)


def _paths(folder: str, path: str) -> Iterator[str]:
    """Yield the keys that a path may stand for.

    The root of the site is not known, so each folder above the page is tried.
    """
    if not path.startswith("/"):
        yield posixpath.normpath(posixpath.join(folder, path))
        return
    below = path.lstrip("/")
    parts = folder.split("/") if folder else []
    for depth in range(len(parts) + 1):
        yield posixpath.normpath(posixpath.join(*parts[:depth], below) if depth else below)


def _bare(url: str) -> str:
    """Return a URL in a form in which equal ones compare equal; "" for anything else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if not parts.netloc:
        return ""
    path = parts.path.removesuffix("index.html").rstrip("/")
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{path}"


def link_arrays(keys: Sequence[str], links: Sequence[Links]) -> dict[str, NDArray[np.int32]]:
    """Return the links between documents as `starts` and `targets`."""
    known = LinkMap(keys, links)
    targets = [known.targets(number) for number in range(len(keys))]
    starts = np.zeros(len(keys) + 1, dtype=np.int32)
    np.cumsum([len(found) for found in targets], out=starts[1:])
    flat = [target for found in targets for target in found]
    return {"starts": starts, "targets": np.array(flat, dtype=np.int32)}
