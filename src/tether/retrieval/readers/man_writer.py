"""The blocks of a manual page: headings, paragraphs, lists by indentation, code and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tether.retrieval.readers.html_page import HtmlPage, Run
from tether.retrieval.readers.html_writer import HtmlWriter
from tether.retrieval.readers.roff_escapes import without_escapes

DEEPEST = 6
LONGEST_TERM = 200
_BULLETS = frozenset(("•", "*", "-", "–", "—", "o", "·", "+", "□", "○"))  # noqa: RUF001
_NUMBER = re.compile(r"[(\[]?(\d{1,4})[.)\]]{1,2}|\d{1,3}")


class ManWriter:
    """Writes a manual page from words and macros.

    Lists are kept by level of indentation: `TP` after `TP` on one level is one list of definitions.
    """

    def __init__(self, title: str) -> None:
        self.page = HtmlPage()
        self.title = title
        self._writer = HtmlWriter(self.page)
        self._code: list[str] | None = None
        self._levels = [""]
        self._deeper = 0
        self._hung: set[int] = set()
        self._anchors: set[str] = set()
        self._heading(title, 1, "")

    def text(self, line: str, *, joined: bool = False) -> None:
        """Add a line of words; one that begins with a space is a line of its own."""
        shown = without_escapes(line)
        if self._code is not None:
            self._code.append(shown)
        elif not shown.strip():
            self._writer.part() if not line.strip() else None
        else:
            if shown[0] == " ":
                self._writer.run.add_break()
            self._writer.run.add(shown if joined else f"{shown} ")

    def line_break(self) -> None:
        """Begin another line of the same paragraph."""
        if self._code is None:
            self._writer.run.add_break()

    def part(self) -> None:
        """End a paragraph, but not the item that it belongs to; in code, leave a line empty."""
        if self._code is not None:
            self._code.append("")
        else:
            self._writer.part()

    def heading(self, words: str, level: int) -> None:
        """Begin a section or a part of one."""
        self.end_code()
        self._end_lists()
        text = " ".join(without_escapes(words).split())
        anchor = text.replace(" ", "_")
        if text:
            self._heading(text, level, "" if anchor in self._anchors else anchor)
            self._anchors.add(anchor)

    def _heading(self, text: str, level: int, anchor: str) -> None:
        self._writer.begin_heading(level, anchor)
        self._writer.run.add(text)
        self._writer.end_heading()

    def paragraph(self) -> None:
        """End the list of this level, and the paragraph."""
        self._writer.part() if self._code is None else self._code.append("")
        self._end_list()

    def begin_term(self) -> None:
        """Begin the term of a definition; it ends with `begin_definition`."""
        self.end_code()
        self._begin_list("term", 0)
        self._writer.begin_term()

    def begin_definition(self) -> None:
        """Begin what the term means."""
        self._writer.begin_definition()

    def item(self, mark: str) -> None:
        """Begin an item with a bullet or a number, or a definition of another mark."""
        words = " ".join(without_escapes(mark).split())
        number = _NUMBER.fullmatch(words)
        if number is None and words not in _BULLETS:
            self.begin_term()
            self._writer.run.add(words)
            self.begin_definition()
            return
        self.end_code()
        first = int(number[1] or words) if number else 0
        self._begin_list("number" if number else "bullet", max(first, 1) if number else 0)
        self._writer.begin_item()

    def indent(self) -> None:
        """Begin a level of indentation; what is in it belongs to the item before it."""
        if len(self._levels) > DEEPEST:
            self._deeper += 1
            return
        if self._code is None and not self._hang():
            self.part()
        self._levels.append("")

    def outdent(self) -> None:
        """End a level of indentation."""
        if self._deeper:
            self._deeper -= 1
            return
        self._end_list()
        if len(self._levels) > 1:
            self._levels.pop()
            self._writer.part()
        if len(self._levels) in self._hung:
            self._hung.remove(len(self._levels))
            self._end_list()

    def _hang(self) -> bool:
        """Make a term of a short line above indented text: pages from DocBook define like this."""
        words = self._writer.run.text
        if not words or self._levels[-1] or len(words) > LONGEST_TERM or words[-1] in ".:;!?":
            return False
        self._writer.run.clear()
        self.begin_term()
        self._writer.run.add(words.replace("\n", " "))
        self.begin_definition()
        self._hung.add(len(self._levels))
        return True

    def begin_code(self) -> None:
        """Keep the next lines as they are."""
        if self._code is None:
            self._code = []

    def end_code(self) -> None:
        """Write the lines that were kept."""
        lines, self._code = self._code, None
        if lines and any(line.strip() for line in lines):
            self._writer.interrupt()
            self.page.code("\n".join(line.rstrip() for line in lines), "")

    def table(self, rows: Sequence[Sequence[str]], header_rows: int) -> None:
        """Write a table."""
        self.end_code()
        self._writer.interrupt()
        width = max((len(row) for row in rows), default=0)
        filled = [[*row, *[""] * (width - len(row))] for row in rows]
        self.page.table([[_run(cell) for cell in row] for row in filled], header_rows)

    def end(self) -> None:
        """Write what is left."""
        self.end_code()
        self._end_lists()
        self._writer.interrupt()

    def _begin_list(self, kind: str, number: int) -> None:
        if self._levels[-1] != kind:
            self._end_list()
            self._levels[-1] = kind
            self._writer.begin_list(number=number)

    def _end_list(self) -> None:
        if self._levels[-1]:
            self._levels[-1] = ""
            self._writer.end_list()

    def _end_lists(self) -> None:
        while len(self._levels) > 1:
            self._end_list()
            self._levels.pop()
        self._end_list()
        self._deeper = 0
        self._hung.clear()


def _run(text: str) -> Run:
    run = Run()
    run.add(without_escapes(text))
    return run
