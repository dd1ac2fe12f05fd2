"""reStructuredText, with the habits of Sphinx: its text stays as it is, its parts are places in it.

The reader goes through the lines itself instead of asking docutils, whose tree keeps the line of a
node at best and turns directives that it does not know, which is most of Sphinx, into errors. It
opens no file and no address whatever a directive names.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from tether.retrieval.document import Document
from tether.retrieval.readers.decoding import decode
from tether.retrieval.readers.names import title_from
from tether.retrieval.readers.rst_explicit import names_in
from tether.retrieval.readers.rst_marks import rst_lines
from tether.retrieval.readers.rst_page import RstPage
from tether.retrieval.readers.rst_scanner import RstScanner

_LEFT_OUT = MappingProxyType(
    {
        "comment": "comments left out: {count}",
        "file": "directives that would read a file or an address, which were not followed: {count}",
        "hidden": "hidden test code left out: {count}",
        "raw": "raw output of other formats left out: {count}",
    }
)


def read_rst(*, key: str, name: str, data: bytes, url: str = "", title: str = "") -> Document:
    """Return a page of reStructuredText. Raises `DocumentUnreadable` for binary data.

    Links have the target that the page writes; `ref:label` stands for a label of any page, and the
    labels of this one are in its metadata.
    """
    decoded = decode(data)
    lines = rst_lines(decoded.text)
    page = RstPage(decoded.text, names_in(lines))
    RstScanner(page, lines).scan()
    return Document(
        key=key,
        title=page.title or title or title_from(name or key),
        text=decoded.text,
        blocks=tuple(page.blocks),
        kind="rst",
        url=url,
        links=tuple(sorted(page.links, key=lambda link: link.start)),
        notes=(*decoded.notes, *_notes(page.left_out.items())),
        metadata=_metadata(page),
    )


def _metadata(page: RstPage) -> tuple[tuple[str, str], ...]:
    labels = (("labels", "\n".join(page.labels)),) if page.labels else ()
    return (*page.metadata, *labels)


def _notes(left_out: Iterable[tuple[str, int]]) -> list[str]:
    return [_LEFT_OUT[what].format(count=count) for what, count in sorted(left_out)]
