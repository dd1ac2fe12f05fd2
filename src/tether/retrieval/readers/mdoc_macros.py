"""The macros of manual pages in mdoc: `Sh`, `Bl` and `It`, `Bd`, and lines of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tether.retrieval.readers.man_writer import ManWriter
from tether.retrieval.readers.mdoc_inline import CALLABLE, inline
from tether.retrieval.readers.roff_escapes import without_escapes
from tether.retrieval.readers.roff_lines import RoffLine

DEEPEST = 6
_BULLETS = frozenset(("-bullet", "-dash", "-hyphen", "-item"))
_VERBATIM = frozenset(("-literal", "-unfilled"))
_STANDS_FOR = {
    "Ex": "The {} utility exits 0 on success, and >0 if an error occurs.",
    "Rv": "Upon successful completion, the value 0 is returned; otherwise the value -1 is"
    " returned and the global variable errno is set to indicate the error.",
}


class MdocMacros:
    """Follows the macros line by line."""

    def __init__(self, writer: ManWriter) -> None:
        self._writer = writer
        self._name = ""
        self._lists: list[str] = []
        self._rows: list[list[str]] = []
        self._number = 0
        self._in_head = False
        self._reference: list[str] | None = None
        self._deeper = 0
        self._macros: dict[str, Callable[[list[str]], None]] = {
            "Sh": lambda words: self._heading(words, 2),
            "Ss": lambda words: self._heading(words, 3),
            "Pp": lambda _: writer.part(),
            "Lp": lambda _: writer.part(),
            "sp": lambda _: writer.part(),
            "br": lambda _: writer.line_break(),
            "Bl": self._begin_list,
            "It": self._item,
            "El": lambda _: self._end_list(),
            "Bd": self._begin_display,
            "Ed": lambda _: writer.end_code(),
            "D1": self._display,
            "Dl": self._display,
            "Nd": lambda words: writer.text(f"– {inline(words, self._name)}"),  # noqa: RUF001
            "Nm": self._named,
            "Rs": lambda _: self._begin_reference(),
            "Re": lambda _: self._end_reference(),
            "Ex": lambda _: writer.text(_STANDS_FOR["Ex"].format(self._name)),
            "Rv": lambda _: writer.text(_STANDS_FOR["Rv"]),
        }

    def take(self, line: RoffLine) -> None:
        """Follow one line."""
        words = line.arguments
        if not line.name:
            self._text(line.rest)
        elif line.name in self._macros:
            self._macros[line.name](words)
        elif line.name[0] == "%" and self._reference is not None:
            self._reference.append(inline(words, self._name).strip(" ,."))
        elif line.name in CALLABLE:
            if line.name == "Xc" and self._in_head:
                self._end_head(words)
            else:
                self._text(inline([line.name, *words], self._name), is_plain=True)

    def end(self) -> None:
        """End the page."""
        while self._lists:
            self._end_list()
        self._writer.end()

    def _text(self, text: str, *, is_plain: bool = False) -> None:
        self._writer.text(text.replace("\\", "\\e") if is_plain else text)

    def _heading(self, words: Sequence[str], level: int) -> None:
        while self._lists:
            self._end_list()
        self._writer.heading(inline(words, self._name).replace("\\", "\\e"), level)

    def _named(self, words: list[str]) -> None:
        if words and not self._name:
            self._name = without_escapes(words[0])
        self._text(inline(["Nm", *words], self._name), is_plain=True)

    def _begin_list(self, words: list[str]) -> None:
        if len(self._lists) >= DEEPEST:
            self._deeper += 1
            return
        kind = next((word for word in words if word.startswith("-")), "")
        if self._lists:
            self._writer.indent()
        self._lists.append(kind)
        self._number, self._rows = 0, []

    def _item(self, words: list[str]) -> None:
        kind = self._lists[-1] if self._lists else ""
        if kind == "-column":
            self._rows.append(_cells(words, self._name))
        elif kind in _BULLETS:
            self._writer.item("•")
        elif kind == "-enum":
            self._number += 1
            self._writer.item(f"{self._number}.")
        else:
            self._writer.begin_term()
            self._text(inline([word for word in words if word != "Xo"], self._name), is_plain=True)
            self._in_head = "Xo" in words
            if not self._in_head:
                self._writer.begin_definition()

    def _end_head(self, words: list[str]) -> None:
        self._in_head = False
        self._text(inline(words, self._name), is_plain=True)
        self._writer.begin_definition()

    def _end_list(self) -> None:
        if self._deeper:
            self._deeper -= 1
            return
        if not self._lists:
            return
        if self._lists.pop() == "-column" and self._rows:
            self._writer.table(self._rows, 0)
            self._rows = []
        if self._lists:
            self._writer.outdent()
        else:
            self._writer.paragraph()

    def _begin_display(self, words: list[str]) -> None:
        if _VERBATIM.isdisjoint(words):
            self._writer.part()
        else:
            self._writer.begin_code()

    def _display(self, words: list[str]) -> None:
        self._writer.begin_code()
        self._text(inline(words, self._name), is_plain=True)
        self._writer.end_code()

    def _begin_reference(self) -> None:
        self._writer.part()
        self._reference = []

    def _end_reference(self) -> None:
        if self._reference:
            self._text(f"{', '.join(self._reference)}.", is_plain=True)
        self._reference = None


def _cells(words: Sequence[str], name: str) -> list[str]:
    """Return the cells of a row, which `Ta` or a tab parts."""
    cells: list[list[str]] = [[]]
    for word in words:
        if word == "Ta":
            cells.append([])
        else:
            cells[-1].append(word)
    return [inline(cell, name) for cell in cells]
