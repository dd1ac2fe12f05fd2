"""The name under which a page of the web is given to the readers: its ending chooses one."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes, urlsplit

from tether.retrieval.sources.folder_settings import ENDINGS
from tether.retrieval.sources.kinds import ending_of
from tether.retrieval.sources.names import readable

_ENDING_OF_TYPE = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/x-rst": ".rst",
    "text/prs.fallenstein.rst": ".rst",
    "application/pdf": ".pdf",
    "application/x-ipynb+json": ".ipynb",
}
_SAYS_LITTLE = frozenset({"", "text/plain", "application/octet-stream", "application/json"})
"""Types of which servers are fond for all kinds of text; the address says more."""


def page_name(url: str, content_type: str = "text/html") -> str:
    """Return a name for a page, "" where its type is one that no reader takes."""
    last = readable(unquote_to_bytes(urlsplit(url).path.rpartition("/")[2])) or "index"
    own = ending_of(last)
    if content_type in _SAYS_LITTLE:
        if own in ENDINGS:
            return last
        return f"{last}.txt" if content_type == "text/plain" else ""
    ending = _ENDING_OF_TYPE.get(content_type, "")
    if not ending:
        return last if own in ENDINGS and content_type.startswith("text/") else ""
    return last if own == ending else f"{last}{ending}"
