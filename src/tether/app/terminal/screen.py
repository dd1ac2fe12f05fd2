"""A terminal or a pipe: colours, and links to pages or local files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal, TextIO
from urllib.parse import quote, urlsplit

import click

from tether.retrieval.index.plan import prefixes

Tone = Literal["strong", "faint"]

_SAFE = "!#$%&'()*+,-./:;=?@_~[]"
"""Characters of an address that are not percent-encoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """An output stream. Only a `lively` one ever receives an escape sequence.

    `lively` is a terminal that is not dumb (`TERM=dumb`); `coloured` is a lively one without
    `NO_COLOR`.
    """

    is_terminal: bool = False
    lively: bool = False
    coloured: bool = False

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str]) -> Screen:
        """Return the abilities of a stream in this environment."""
        is_terminal = stream.isatty()
        lively = is_terminal and environ.get("TERM", "") not in ("", "dumb", "unknown")
        return cls(
            is_terminal=is_terminal,
            lively=lively,
            coloured=lively and not environ.get("NO_COLOR"),
        )

    def toned(self, text: str, tone: Tone) -> str:
        """Return a text in a tone; it must be safe to print."""
        if not self.coloured or not text:
            return text
        return click.style(text, bold=True) if tone == "strong" else click.style(text, dim=True)

    def linked(self, text: str, target: str) -> str:
        """Return a text as a link, or unchanged without a target.

        The target comes from `Places.target`, which makes it safe.
        """
        if not self.coloured or not target:
            return text
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of the documents of an index, by the prefix of their keys."""

    folders: Mapping[str, Path] = field(default_factory=dict[str, Path])

    @classmethod
    def of(cls, sources: Sequence[str]) -> Places:
        """Return the places of an index with these sources; those on the web have no folder."""
        local = {name: before for name, before in prefixes(sources).items() if name[:1] == "/"}
        return cls({before: Path(name) for name, before in local.items()})

    def target(self, document: str, url: str, anchor: str) -> str:
        """Return the target of a link, "" if no safe one is known.

        Only `http` and `https` pages of hosts in ASCII, and existing files.
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
