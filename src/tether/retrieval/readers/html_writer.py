"""From running words to the blocks of a page: paragraphs, headings, lists and definitions."""

from __future__ import annotations

from dataclasses import dataclass

from tether.retrieval.readers.html_page import HtmlPage, ListLine, Run


@dataclass(slots=True)
class _OpenList:
    """A list that is being read, and the number of its next item; 0 for bullets.

    `rest` is the mark of the next paragraphs of an item: those of a definition define it too.
    """

    number: int
    rest: str = "  "


@dataclass(slots=True)
class _OpenLink:
    """A link that is being read, and where in the running text it began."""

    target: str
    start: int


class HtmlWriter:
    """Gathers words until a block ends, then writes them as that block.

    In a list each paragraph is a line; what cannot be a line (code, a table, a heading) ends the
    list that is written, and the next item begins another one.
    """

    def __init__(self, page: HtmlPage) -> None:
        self.page = page
        self.run = Run()
        self.anchor = ""
        self._lists: list[_OpenList] = []
        self._lines: list[ListLine] = []
        self._links: list[_OpenLink] = []
        self._mark = ""
        self._is_top = self._is_term = False
        self._quotes = 0
        self._level = 0

    def flush(self) -> None:
        """End the paragraph, item or heading that is being read."""
        run = self.run
        if not run.text:
            run.clear()
            return
        for link in self._links:
            run.end_link(link.target, link.start)
            link.start = 0
        self.run = Run()
        if self._level:
            self.page.heading(run, self._level, self.anchor)
        elif self._lists:
            self._add_line(run)
        else:
            self.page.prose(run, "quote" if self._quotes else "paragraph")
        self.anchor = ""

    def part(self) -> None:
        """Pass the border of a part of the page, which ends a paragraph but no heading."""
        if self._level:
            self.run.add_gap()
        else:
            self.flush()

    def interrupt(self) -> None:
        """End the paragraph, and write the list so far: the next block is not an item."""
        self.flush()
        self.page.items(self._lines)
        self._lines = []

    def begin_heading(self, level: int, anchor: str) -> None:
        """Begin a heading; an anchor that stood before it counts where it has none itself."""
        self.interrupt()
        self._level, self.anchor = level, anchor or self.anchor

    def end_heading(self) -> None:
        """End the heading."""
        self.flush()
        self._level = 0

    def begin_list(self, *, number: int) -> None:
        """Begin a list whose first item has a number, or none: 0."""
        self.part()
        self._lists.append(_OpenList(number))

    def end_list(self) -> None:
        """End a list; the outermost one is written."""
        self.part()
        self._lists.pop()
        if self._lists:
            self._mark, self._is_top, self._is_term = self._lists[-1].rest, False, False
        else:
            self.interrupt()

    def begin_item(self) -> None:
        """Begin an item; one outside of any list is a paragraph."""
        self.part()
        if not self._lists:
            return
        current = self._lists[-1]
        self._mark = f"{current.number}. " if current.number else "- "
        current.number += bool(current.number)
        current.rest = "  "
        self._is_top, self._is_term = len(self._lists) == 1, False

    def begin_term(self, anchor: str = "") -> None:
        """Begin a term of a list of definitions."""
        self.part()
        self._mark, self._is_top, self._is_term = "", len(self._lists) == 1, True
        self.anchor = anchor or self.anchor

    def begin_definition(self) -> None:
        """Begin the definition of a term."""
        self.part()
        self._mark, self._is_top, self._is_term = ": ", False, False
        if self._lists:
            self._lists[-1].rest = ": "

    def begin_quote(self) -> None:
        """Begin a quotation."""
        self.part()
        self._quotes += 1

    def end_quote(self) -> None:
        """End a quotation."""
        self.part()
        self._quotes -= 1

    def begin_link(self, target: str) -> None:
        """Begin a link."""
        self._links.append(_OpenLink(target, self.run.length))

    def end_link(self) -> None:
        """End the link that began last."""
        link = self._links.pop()
        self.run.end_link(link.target, link.start)

    def _add_line(self, run: Run) -> None:
        line = ListLine(
            depth=len(self._lists) - 1,
            mark=self._mark,
            run=run,
            is_top=self._is_top,
            is_term=self._is_term,
            anchor=self.anchor if self._is_term else "",
        )
        above = self._lines[-1] if self._lines else None
        if line.is_term and above is not None and above.is_term and above.depth == line.depth:
            above.join(line)
        else:
            self._lines.append(line)
        self._mark, self._is_top, self._is_term = self._lists[-1].rest, False, False
