"""A terminal or a pipe: its width, colours, and links to pages or local files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO
from urllib.parse import quote, urlsplit

import click

from tether.app.display import shown
from tether.app.document_files import DocumentFiles
from tether.app.terminal.lines import wrapped

Tone = Literal["strong", "faint"]

_SAFE = "!#$%&'()*+,-./:;=?@_~[]"
"""Characters of an address that are not percent-encoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """An output stream. Only a `lively` one ever receives an escape sequence.

    `lively` is a terminal that is not dumb (`TERM=dumb`); `coloured` is a lively one without
    `NO_COLOR`. `width` is 0 where lines need not fit: in a pipe or a file.
    """

    is_terminal: bool = False
    lively: bool = False
    coloured: bool = False
    width: int = 0

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str]) -> Screen:
        """Return the abilities of a stream in this environment."""
        is_terminal = stream.isatty()
        lively = is_terminal and environ.get("TERM", "") not in ("", "dumb", "unknown")
        return cls(
            is_terminal=is_terminal,
            lively=lively,
            coloured=lively and not environ.get("NO_COLOR"),
            width=_width(stream, environ) if is_terminal else 0,
        )

    def wrapped(self, text: str, hang: str = "") -> str:
        """Return a text whose lines break between words; the following ones begin with `hang`."""
        return wrapped(text, self.width, hang)

    def toned(self, text: str, tone: Tone) -> str:
        """Return a text in a tone; it must be safe to print."""
        if not self.coloured or not text:
            return text
        return click.style(text, bold=True) if tone == "strong" else click.style(text, dim=True)

    def linked(self, text: str, target: str) -> str:
        """Return a text as a link, or unchanged without a target.

        The target comes from `link_target`, which makes it safe.
        """
        if not self.coloured or not target:
            return text
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def link_target(files: DocumentFiles, document: str, url: str, anchor: str) -> str:
    """Return the target of a link, "" if no safe one is known.

    Only `http` and `https` pages of hosts in ASCII, and existing files by their full path.
    """
    page = _page(url) or _file(files.path(url or document))
    return f"{page}#{quote(anchor, safe=_SAFE)}" if page and anchor else page


def notify(text: str) -> None:
    """Print a line on standard error that cannot control a terminal, broken between words there."""
    click.echo(Screen.of(sys.stderr, os.environ).wrapped(shown(text)), err=True)


def _file(path: Path | None) -> str:
    return path.as_uri() if path is not None and path.is_file() else ""


def _page(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    known = parts.scheme in ("http", "https") and host.isascii() and host != ""
    sound = known and "@" not in parts.netloc and url.isprintable() and "\\" not in url
    return quote(url, safe=_SAFE) if sound else ""


def _width(stream: TextIO, environ: Mapping[str, str]) -> int:
    """Return the columns of a terminal: those of `COLUMNS`, or its own; 0 if it does not say."""
    given = environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0
