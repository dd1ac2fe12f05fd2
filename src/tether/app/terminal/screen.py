"""What a stream can show: a terminal that is one, a dumb one, or a pipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TextIO

import click

Tone = Literal["strong", "faint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A stream for people. Only a `lively` one ever gets an escape sequence.

    `is_terminal` where somebody is sitting in front of it; `lively` where it is not a dumb one
    (`TERM=dumb`); `coloured` where nobody asked for plain text either (`NO_COLOR`).
    """

    is_terminal: bool = False
    lively: bool = False
    coloured: bool = False

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str]) -> Screen:
        """Return what a stream can show in this environment."""
        is_terminal = stream.isatty()
        lively = is_terminal and environ.get("TERM", "") not in ("", "dumb", "unknown")
        return cls(
            is_terminal=is_terminal,
            lively=lively,
            coloured=lively and not environ.get("NO_COLOR"),
        )

    def toned(self, text: str, tone: Tone) -> str:
        """Return a text that is safe to print already, in a tone."""
        if not self.coloured or not text:
            return text
        return click.style(text, bold=True) if tone == "strong" else click.style(text, dim=True)

    def linked(self, text: str, target: str) -> str:
        """Return a text that leads to a target where it is clicked, as it is without a target.

        The target was issued by the index and made safe by `tether.app.terminal.places`.
        """
        if not self.coloured or not target:
            return text
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"
