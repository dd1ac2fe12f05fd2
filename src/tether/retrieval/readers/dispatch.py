"""One face for all readers: bytes and a name become a document."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from tether.retrieval.document import Document, DocumentKind
from tether.retrieval.readers.anchors import AnchorStyle
from tether.retrieval.readers.names import kind_of
from tether.retrieval.readers.rst_looks import looks_like_rst
from tether.retrieval.readers.source_code import read_source
from tether.retrieval.readers.text import read_text


class Reader(Protocol):
    """Reads one format; raises `DocumentUnreadable` with the reason where it cannot."""

    def __call__(self, *, key: str, name: str, data: bytes, url: str, title: str) -> Document:
        """Return the document."""
        ...


def read_document(
    *,
    key: str,
    name: str,
    data: bytes,
    url: str = "",
    content_type: str = "",
    title: str = "",
    anchors: AnchorStyle = "github",
) -> Document:
    """Return the document that the bytes hold, read as what `name` and `content_type` say it is.

    Raises `DocumentUnreadable` with the reason, and nothing else whatever the bytes are; no other
    file is opened and nothing in the document is run. `title` stands where the document has none of
    its own. `anchors` is the habit of the site that Markdown is published with.
    """
    kind = kind_of(name, content_type, data)
    if kind == "text" and looks_like_rst(name, data):
        kind = "rst"
    reader = _reader(kind, content_type, anchors)
    return reader(key=key, name=name, data=data, url=url, title=title)


def _reader(kind: DocumentKind, content_type: str, anchors: AnchorStyle) -> Reader:
    """Return the reader of a kind, set up for one document.

    Each reader is imported when it is needed, because its packages are slow to load.
    """
    if kind == "markdown" or kind == "mdx":  # noqa: PLR1714  # a type checker follows only this
        from tether.retrieval.readers.markdown import read_markdown  # noqa: PLC0415

        return partial(read_markdown, flavour=kind, anchors=anchors)
    if kind == "html":
        from tether.retrieval.readers.html import read_html  # noqa: PLC0415

        return partial(read_html, content_type=content_type)
    return _plain_reader(kind)


def _plain_reader(kind: DocumentKind) -> Reader:
    """Return a reader that takes no settings."""
    if kind == "notebook":
        from tether.retrieval.readers.notebook import read_notebook  # noqa: PLC0415

        return read_notebook
    if kind == "man":
        from tether.retrieval.readers.man import read_man  # noqa: PLC0415

        return read_man
    if kind == "pdf":
        from tether.retrieval.readers.pdf import read_pdf  # noqa: PLC0415

        return read_pdf
    if kind == "rst":
        from tether.retrieval.readers.rst import read_rst  # noqa: PLC0415

        return read_rst
    return read_source if kind == "source" else read_text
