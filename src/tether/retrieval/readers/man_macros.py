"""The macros of manual pages: `TH`, `SH`, `TP` and their like."""

from __future__ import annotations

import re
from collections.abc import Callable

from tether.retrieval.readers.man_writer import ManWriter
from tether.retrieval.readers.roff_lines import RoffLine

FONTS = frozenset(("B", "I", "R", "SM", "SB", "BI", "BR", "IB", "IR", "RB", "RI", "CW", "C"))
_MIXED = frozenset(("BI", "BR", "IB", "IR", "RB", "RI"))
_PARTS = frozenset(("sp", "Sp", "bp"))
_BREAKS = frozenset(("br", "ti", "in", "ce"))
_SKIPPED_ENDS = {"EQ": "EN", "PS": "PE"}
_HANGING = re.compile(r"\\h'-0\d+'(.{1,40}?)\\h'\+0\d+'\\c")
"""A bullet or a number to the left of its item, as pages that were made from DocBook have it."""


class ManMacros:
    """Follows the macros line by line."""

    def __init__(self, writer: ManWriter) -> None:
        self._writer = writer
        self._wants_term = False
        self._skips_to = ""
        self._link = ""
        self._macros: dict[str, Callable[[RoffLine], None]] = {
            "TP": self._term,
            "TQ": self._term,
            "IP": self._item,
            "HP": self._paragraph,
            "OP": self._option,
            "UR": self._begin_link,
            "MT": self._begin_link,
            "UE": self._end_link,
            "ME": self._end_link,
            "SY": self._synopsis,
            **dict.fromkeys(("SH", "SS"), self._heading),
            **dict.fromkeys(("PP", "P", "LP", "YS"), self._paragraph),
            **dict.fromkeys(("EX", "nf", "Vb"), lambda _: writer.begin_code()),
            **dict.fromkeys(("EE", "fi", "Ve"), lambda _: writer.end_code()),
            "RS": lambda _: writer.indent(),
            "RE": self._outdent,
        }

    def take(self, line: RoffLine) -> None:
        """Follow one line."""
        if self._skips_to:
            self._skips_to = "" if line.name == self._skips_to else self._skips_to
        elif not line.name:
            self._text(line.rest)
        elif line.name in FONTS:
            self._text(styled(line) if line.rest.strip() else "\\&")
        elif line.name in self._macros:
            self._macros[line.name](line)
        elif line.name in _PARTS:
            self._writer.part()
        elif line.name in _BREAKS:
            self._writer.line_break()
        else:
            self._skips_to = _SKIPPED_ENDS.get(line.name, "")

    def end(self) -> None:
        """End the page."""
        self._writer.end()

    def _text(self, text: str) -> None:
        if mark := _HANGING.fullmatch(text):
            self._writer.item(mark[1])
        elif self._wants_term and text.strip():
            self._wants_term = False
            self._writer.text(text)
            self._writer.begin_definition()
        else:
            self._writer.text(text.removesuffix("\\c"), joined=text.endswith("\\c"))

    def _heading(self, line: RoffLine) -> None:
        self._wants_term = False
        self._writer.heading(" ".join(line.arguments), 2 if line.name == "SH" else 3)

    def _term(self, line: RoffLine) -> None:
        self._writer.begin_term()
        self._wants_term = True

    def _item(self, line: RoffLine) -> None:
        self._wants_term = False
        mark = line.arguments[0] if line.arguments else ""
        if mark.strip():
            self._writer.item(mark)
        else:
            self._writer.part()

    def _paragraph(self, line: RoffLine) -> None:
        self._wants_term = False
        self._writer.paragraph()

    def _outdent(self, line: RoffLine) -> None:
        self._wants_term = False
        self._writer.outdent()

    def _option(self, line: RoffLine) -> None:
        self._text(f"[{' '.join(line.arguments)}]")

    def _synopsis(self, line: RoffLine) -> None:
        self._writer.paragraph()
        self._text(" ".join(line.arguments))

    def _begin_link(self, line: RoffLine) -> None:
        self._link = line.arguments[0] if line.arguments else ""

    def _end_link(self, line: RoffLine) -> None:
        after = "".join(line.arguments[:1])
        if self._link:
            self._text(f"⟨{self._link}⟩{after}")
        self._link = ""


def styled(line: RoffLine) -> str:
    """Return the words of a line in bold or italics; those of two fonts stand without spaces."""
    return ("" if line.name in _MIXED else " ").join(line.arguments)
