"""Where a click on a source leads: to the page, or to the file on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urlsplit

from tether.retrieval.index.planning import prefixes

_SAFE = "!#$%&'()*+,-./:;=?@_~[]"
"""What stays as it is in an address; everything else is percent-encoded."""


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that the documents of an index come from, by what stands before their keys."""

    folders: Mapping[str, Path] = field(default_factory=dict[str, Path])

    @classmethod
    def of(cls, sources: Sequence[str]) -> Places:
        """Return the places of an index with these sources; those on the web have none."""
        local = {name: before for name, before in prefixes(sources).items() if name[:1] == "/"}
        return cls({before: Path(name) for name, before in local.items()})

    def target(self, document: str, url: str, anchor: str) -> str:
        """Return the address behind a link, "" where there is none that is safe to offer.

        Only `http` and `https` pages of hosts in plain letters, and files that are there now.
        """
        page = _page(url) or self._file(url or document)
        return f"{page}#{quote(anchor, safe=_SAFE)}" if page and anchor else page

    def _file(self, document: str) -> str:
        for before, folder in self.folders.items():
            below = document.removeprefix(before)
            path = folder if folder.name == below and folder.is_file() else folder / below
            if document.startswith(before) and _is_plain(below) and path.is_file():
                return path.as_uri()
        return ""


def _is_plain(below: str) -> bool:
    path = PurePosixPath(below)
    return below.isprintable() and not path.is_absolute() and ".." not in path.parts


def _page(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    known = parts.scheme in ("http", "https") and host.isascii() and host != ""
    sound = known and "@" not in parts.netloc and url.isprintable() and "\\" not in url
    return quote(url, safe=_SAFE) if sound else ""
