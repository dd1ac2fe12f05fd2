"""Notebooks: the Markdown, code and printed output of their cells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from tether.core.clean_text import clean_text
from tether.retrieval.document import Block, Document, Link, Piece
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.anchors import Anchors
from tether.retrieval.readers.decoding import decode
from tether.retrieval.readers.lines import lines_of
from tether.retrieval.readers.markdown import MarkdownParser
from tether.retrieval.readers.names import title_from

LONGEST_OUTPUT = 2_000
MOST_OUTPUT = 50_000
MOST_CELLS = 10_000

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_INLINE_DATA = re.compile(r"data:[\w/+.-]{0,100};base64,[A-Za-z0-9+/=\s]{100,}")
_REPRESENTATION = re.compile(r"<[^<>\n]{1,200}>")

Json = Mapping[str, Any]


def read_notebook(*, key: str, name: str, data: bytes, url: str = "", title: str = "") -> Document:
    """Return a notebook of format 3, 4 or 5; `text` is the extracted text, cell by cell.

    Code cells become code blocks. Of the outputs only text is kept, up to a length; the notes count
    the rest. Nothing is run. Raises `DocumentUnreadable` for invalid JSON, and for JSON that is not
    a notebook.
    """
    decoded = decode(data)
    notebook = _parsed(decoded.text)
    page = _Page(language=_language(notebook))
    cells = _cells(notebook)
    for cell in cells[:MOST_CELLS]:
        page.add(cell)
    page.leave_out(f"cells beyond the first {MOST_CELLS:,}", len(cells) - MOST_CELLS)
    own = next((block.plain for block in page.blocks if block.level == 1), "")
    return Document(
        key=key,
        title=own or title or title_from(key or name),
        text="".join(page.parts),
        blocks=tuple(page.blocks),
        kind="notebook",
        url=url,
        links=tuple(page.links),
        notes=(*decoded.notes, *page.notes()),
        metadata=(("code", page.language),) if page.language else (),
    )


def _parsed(text: str) -> Json:
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise DocumentUnreadable("the notebook's JSON is nested too deep") from None
    except ValueError as error:
        raise DocumentUnreadable(f"the notebook is not valid JSON: {error}") from None
    if not isinstance(notebook, dict) or not ({"cells", "worksheets"} & notebook.keys()):
        raise DocumentUnreadable("the file is JSON but no notebook: it has no cells")
    return cast("Json", notebook)


def _language(notebook: Json) -> str:
    """Return the programming language that the notebook names, "" where it names none."""
    metadata = _mapping(notebook.get("metadata"))
    found = _mapping(metadata.get("language_info")).get("name")
    name = found or _mapping(metadata.get("kernelspec")).get("language")
    return name if isinstance(name, str) and re.fullmatch(r"[\w+#.-]{1,30}", name) else ""


def _cells(notebook: Json) -> list[Json]:
    """Return the cells, of all worksheets in format 3; a value that is not an object is empty."""
    holders = [notebook, *_list(notebook.get("worksheets"))]
    return [_mapping(cell) for holder in holders for cell in _list(_mapping(holder).get("cells"))]


@dataclass(slots=True, kw_only=True)
class _Page:
    """The text that grows cell by cell, with the blocks in it."""

    language: str
    parts: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    _parser: MarkdownParser = field(default_factory=lambda: MarkdownParser("markdown", Anchors()))
    _length: int = 0
    _printed: int = 0
    _left_out: dict[str, int] = field(default_factory=dict)

    def add(self, cell: Json) -> None:
        """Add what one cell says and shows; raw cells and unknown ones say nothing."""
        match cell.get("cell_type"):
            case "markdown":
                self._markdown(_source(cell))
            case "heading":
                level = cell.get("level")
                marks = "#" * level if isinstance(level, int) and 0 < level < 7 else "#"
                self._markdown(f"{marks} {_source(cell)}")
            case "code":
                self._code(_source(cell), self.language)
                for output in _list(cell.get("outputs")):
                    self._output(_mapping(output))
            case _:
                self.leave_out("cells that are neither Markdown nor code")

    def notes(self) -> Iterator[str]:
        """Yield the kinds of output left out, and how often."""
        for what, count in self._left_out.items():
            yield f"left out: {count} {what}"

    def leave_out(self, what: str, count: int = 1) -> None:
        """Note that so many things of a kind were left out; none is not worth a note."""
        if count > 0:
            self._left_out[what] = self._left_out.get(what, 0) + count

    def _append(self, text: str) -> int:
        """Add a stretch of text below the rest; return where it starts."""
        start = self._length
        self.parts.extend((text, "\n\n"))
        self._length += len(text) + 2
        return start

    def _markdown(self, text: str) -> None:
        text, count = _INLINE_DATA.subn("data:", text)
        self.leave_out("embedded images", count)
        parsed = self._parser.parse(text)
        start = self._append(text)
        self.blocks.extend(_shifted(block, start) for block in parsed.blocks)
        self.links.extend(replace(link, start=link.start + start) for link in parsed.links)

    def _code(self, text: str, info: str) -> None:
        if not text.strip():
            return
        fence = _fence(text)
        start = self._append(f"{fence}{info}\n{text}\n{fence}")
        inner = start + len(fence) + len(info) + 1
        pieces = [
            Piece(start=inner + line.start, end=inner + line.end, plain=line.of(text).rstrip())
            for line in lines_of(text)
            if line.of(text).strip()
        ]
        end = inner + len(text) + 1 + len(fence)
        pieces[0] = replace(pieces[0], start=start)
        pieces[-1] = replace(pieces[-1], end=end)
        self.blocks.append(Block(kind="code", start=start, end=end, pieces=tuple(pieces)))

    def _output(self, output: Json) -> None:
        text = _ESCAPES.sub("", _printed(output)).strip("\r\n")
        for name in _mapping(output.get("data")):
            if not name.startswith("text/") or name in ("text/html", "text/javascript"):
                self.leave_out(f"outputs of type {name[:60]}")
        if not text.strip() or _REPRESENTATION.fullmatch(text.strip()):
            return
        room = min(LONGEST_OUTPUT, MOST_OUTPUT - self._printed)
        if len(text) > room:
            self.leave_out("outputs that are too long, in part")
            text = text[: max(room, 0)]
        self._printed += len(text)
        self._code(text, "text")


def _printed(output: Json) -> str:
    """Return the text of an output in either format; of an error its name and message."""
    if output.get("ename"):
        return f"{_text(output['ename'])}: {_text(output.get('evalue'))}"
    data = _mapping(output.get("data"))
    return _text(data.get("text/plain") or data.get("text/markdown") or output.get("text"))


def _source(cell: Json) -> str:
    return _text(cell.get("source") if "source" in cell else cell.get("input"))


def _text(value: object) -> str:
    """Return text that a notebook writes as one string or as a list of lines."""
    parts = cast("list[object]", value) if isinstance(value, list) else [value]
    return clean_text("".join(part for part in parts if isinstance(part, str)))


def _fence(text: str) -> str:
    """Return a fence that is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    return "`" * (longest + 1)


def _shifted(block: Block, by: int) -> Block:
    pieces = tuple(
        replace(piece, start=piece.start + by, end=piece.end + by) for piece in block.pieces
    )
    return replace(block, start=block.start + by, end=block.end + by, pieces=pieces)


def _mapping(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
