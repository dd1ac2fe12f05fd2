"""The kind of a document by its ending or content type, and a title made from its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from tether.retrieval.document import DocumentKind
from tether.retrieval.readers.man_looks import SECTIONS, looks_like_man, man_section

_ENDINGS: dict[DocumentKind, str] = {
    "markdown": ".md .markdown .mdown .mkd .mdwn .qmd .rmd",
    "mdx": ".mdx",
    "rst": ".rst .rest",
    "html": ".html .htm .xhtml",
    "man": " ".join(sorted(SECTIONS)),
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
        "text/troff": "man",
        "application/x-troff-man": "man",
        "application/x-ipynb+json": "notebook",
    }
)
_DATA_ENDINGS = ".json .jsonl .ndjson .xml .csv .tsv .lock .svg .map .properties"
_LEADING = frozenset({"index", "_index", "readme", "main", "default", "page"})
_GAPS = re.compile(r"[\s_\-.]+")
_ORDER = re.compile(r"\d{1,4}[\s_\-.]+(?=\D)")


def kind_of(name: str, content_type: str = "", data: bytes = b"") -> DocumentKind:
    """Return how a document is to be read.

    A content type that names a format wins over the name, because a server may render a source file
    as a page. A manual page has to look like one: `.1` ends other names too. Without either the
    first bytes decide, and the default is plain text.
    """
    declared = _CONTENT_TYPES.get(content_type.partition(";")[0].strip().lower())
    if declared is not None:
        return declared
    ending = PurePosixPath(_path(name)).suffix.lower()
    section = man_section(_path(name))
    if section or ending in SECTIONS:
        return "man" if section and looks_like_man(data) else _sniffed(data)
    if ending in READABLE_ENDINGS:
        return READABLE_ENDINGS[ending]
    return "source" if ending in _DATA_ENDINGS.split() else _sniffed(data)


def _path(name: str) -> str:
    """Return a name without the query and fragment of an address; a file may be called `a#b.md`."""
    return name.partition("?")[0].partition("#")[0] if "://" in name else name


def _sniffed(data: bytes) -> DocumentKind:
    opening = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if opening.startswith(b"%pdf-"):
        return "pdf"
    return "html" if opening.startswith((b"<!doctype html", b"<html")) else "text"


def title_from(key: str) -> str:
    """Return a readable title from the last part of a path, or from the folder of `index.md`.

    Never empty: without readable words it is the last part as given, or "untitled".
    """
    parts = [part for part in re.split(r"[/\\]+", _address_path(key)) if part.strip()]
    if not parts:
        return "untitled"
    stem = parts[-1].rpartition(".")[0] or parts[-1]
    if stem.lower() in _LEADING and len(parts) > 1:
        stem = parts[-2]
    words = _GAPS.sub(" ", _ORDER.sub("", stem, count=1)).strip()
    return words[:1].upper() + words[1:] or parts[-1]


def _address_path(key: str) -> str:
    """Return a key without the query of an address; a file may be called `why?.md`."""
    return key.partition("?")[0] if "://" in key else key
