"""Which endings and content types mean which kind of document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from tether.retrieval.document import DocumentKind

_ENDINGS: dict[DocumentKind, str] = {
    "markdown": ".md .markdown .mdown .mkd .mdwn .qmd .rmd",
    "mdx": ".mdx",
    "rst": ".rst .rest",
    "html": ".html .htm .xhtml",
    "notebook": ".ipynb",
    "pdf": ".pdf",
    "text": ".txt .text .adoc .asciidoc .org .tex .log",
    "source": ".py .pyi .js .mjs .cjs .jsx .ts .tsx .go .rs .java .kt .kts .scala .swift .dart .c"
    " .h .cc .cpp .cxx .hh .hpp .cs .m .mm .php .rb .pl .pm .r .jl .lua .ex .exs .erl .hs .ml .clj"
    " .sh .bash .zsh .fish .ps1 .sql .toml .yaml .yml .ini .cfg .conf .proto .graphql .tf .vue"
    " .svelte .css .scss",
}
READABLE_ENDINGS: Mapping[str, DocumentKind] = MappingProxyType(
    {ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()}
)
"""The endings that a folder is searched for, in small letters, with the kind each means."""

_CONTENT_TYPES: Mapping[str, DocumentKind] = MappingProxyType(
    {
        "text/markdown": "markdown",
        "text/x-markdown": "markdown",
        "text/mdx": "mdx",
        "text/x-rst": "rst",
        "text/prs.fallenstein.rst": "rst",
        "text/html": "html",
        "application/xhtml+xml": "html",
        "application/pdf": "pdf",
        "application/x-ipynb+json": "notebook",
    }
)
_DATA_ENDINGS = ".json .jsonl .ndjson .xml .csv .tsv .lock .svg .map .properties"


def kind_of(name: str, content_type: str = "", data: bytes = b"") -> DocumentKind:
    """Return how a document is to be read.

    A content type that names a format wins over the name, because a server may render what the name
    promises as source. Without either the first bytes decide, and what is left is plain text.
    """
    declared = _CONTENT_TYPES.get(content_type.partition(";")[0].strip().lower())
    if declared is not None:
        return declared
    ending = PurePosixPath(_path(name)).suffix.lower()
    if ending in READABLE_ENDINGS:
        return READABLE_ENDINGS[ending]
    return "source" if ending in _DATA_ENDINGS.split() else _sniffed(data)


def _path(name: str) -> str:
    """Return a name without what follows an address's path; a file may be called `a#b.md`."""
    return name.partition("?")[0].partition("#")[0] if "://" in name else name


def _sniffed(data: bytes) -> DocumentKind:
    opening = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if opening.startswith(b"%pdf-"):
        return "pdf"
    return "html" if opening.startswith((b"<!doctype html", b"<html")) else "text"
