"""Manual pages: roff with the macros of man or mdoc, as text that reads like Markdown."""

from __future__ import annotations

import re
import zlib
from pathlib import PurePosixPath
from typing import Protocol

from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.decoding import decode
from tether.retrieval.readers.man_looks import is_compressed
from tether.retrieval.readers.man_macros import FONTS, ManMacros, styled
from tether.retrieval.readers.man_writer import ManWriter
from tether.retrieval.readers.mdoc_macros import MdocMacros
from tether.retrieval.readers.roff_escapes import without_escapes
from tether.retrieval.readers.roff_lines import RoffLine, RoffReader, arguments_of
from tether.retrieval.readers.roff_table import RoffTable

MOST_BYTES = 10_000_000
_TITLE = re.compile(r"^[.'][ \t]*(?P<macro>TH|Dt)[ \t]+(?P<rest>.*)$", re.MULTILINE)


class Macros(Protocol):
    """Follows the lines of a page."""

    def take(self, line: RoffLine) -> None:
        """Follow one line."""
        ...

    def end(self) -> None:
        """End the page."""
        ...


def read_man(*, key: str, name: str, data: bytes, url: str = "", title: str = "") -> Document:
    """Return a manual page, compressed or not. Raises `DocumentUnreadable` for binary data.

    Options and terms with their meanings are definitions; bold and italics are not marked. No other
    file is read: a page that only points to another one is empty, with a note.
    """
    decoded = decode(_unpacked(data) if is_compressed(data) else data)
    named = _TITLE.search(decoded.text)
    shown = _shown_title(named["rest"] if named else "", name) or title
    writer = ManWriter(shown)
    is_mdoc = named is not None and named["macro"] == "Dt"
    macros = MdocMacros(writer) if is_mdoc else ManMacros(writer)
    reader = RoffReader(decoded.text)
    _follow(reader, macros, writer)
    page = writer.page
    has_text = any(block.kind != "heading" for block in page.blocks)
    return Document(
        key=key,
        title=shown,
        text=page.text if has_text else "",
        blocks=tuple(page.blocks) if has_text else (),
        kind="man",
        url=url,
        notes=(*decoded.notes, *(f"it points to {name}, not read" for name in reader.included)),
    )


def _follow(reader: RoffReader, macros: Macros, writer: ManWriter) -> None:
    """Follow the macros and write the tables, which are the same for both kinds of macros."""
    table: RoffTable | None = None
    for line in reader.read():
        if table is None and line.name == "TS":
            table = RoffTable()
        elif table is None:
            macros.take(line)
        elif line.name == "TE":
            writer.table(*table.rows())
            table = None
        elif line.name == "T&":
            table.begin_format()
        elif not line.name or line.name in FONTS:
            table.add(styled(line) if line.name else line.rest)
    if table is not None:
        writer.table(*table.rows())
    macros.end()


def _unpacked(data: bytes) -> bytes:
    """Return the content of a compressed file; raises `DocumentUnreadable` for one that is large.

    It grows no further than the limit, however much it would become.
    """
    stream = zlib.decompressobj(wbits=31)
    try:
        page = stream.decompress(data, MOST_BYTES + 1)
    except zlib.error:
        raise DocumentUnreadable("it is compressed, but damaged") from None
    if len(page) > MOST_BYTES:
        raise DocumentUnreadable(f"unpacked it has more than {MOST_BYTES / 1e6:g} MB")
    if not stream.eof:
        raise DocumentUnreadable("it is compressed, but cut off")
    return page


def _shown_title(rest: str, name: str) -> str:
    """Return the title of a page as it is cited, `ls(1)`, with the letter case of its name."""
    stem = PurePosixPath(name.lower().removesuffix(".gz"))
    words = [without_escapes(word).strip() for word in arguments_of(rest)[:2]]
    title = words[0] if words and words[0] else stem.stem
    if title.lower() == stem.stem:
        title = PurePosixPath(name).name[: len(title)]
    section = words[1] if len(words) > 1 else stem.suffix[1:]
    return f"{title}({section})" if section else title
