"""Links to the sources of quotes: valid Markdown, whatever the title or the address contains."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from tether.ask.quoting.inlines import shown
from tether.text.markdown.marks import CODE_SPAN
from tether.trust.visible import visible_text

if TYPE_CHECKING:
    from tether.core.retrievable import Retrievable

LONGEST_TITLE = 80

_SCHEME = re.compile(r"(?![A-Za-z]:[\\/])(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)\s*:")  # not C:\\
_LINKED_SCHEMES = frozenset({"http", "https"})
_OTHER_SPACE = re.compile(r"[^\S ]")
_NEEDS_ANGLES = re.compile(r"[ ()<>\\&*_`\[\]!]|^$")
_BRACKET = re.compile(rf"(?P<kept>\\.|{CODE_SPAN.pattern})|[\[\]]")
_EXTENSION = re.compile(
    r"(?<=.)\.(?:md|mdx|rst|txt|html?|adoc|pdf|ipynb|org|docx?)$", re.IGNORECASE
)
_GENERIC = frozenset({"", "index", "readme", "_index", "default"})


def markdown_link(record: Retrievable, title: str) -> str:
    """Return `([title](source))`, or "" without an address that may be linked.

    Addresses are web addresses and paths. Others (`javascript:`, `file:`, `//host`) and those with
    line breaks or hidden characters are not linked.
    """
    source = (record.source or "").strip(" ")
    if not may_be_linked(source):
        return ""
    return f"([{_link_text(title)}]({_destination(source)}))"


def may_be_linked(source: str) -> bool:
    """Say whether a source is an address that may be linked."""
    if not source.strip() or _OTHER_SPACE.search(source) or visible_text(source).hidden:
        return False
    if source.lstrip().startswith(("//", "\\\\")):  # another host, without saying so
        return False
    scheme = _SCHEME.match(source.lstrip())
    return scheme is None or scheme["scheme"].lower() in _LINKED_SCHEMES


def title_of(source: str | None, heading: str | None) -> str:
    """Return the title of a source: its first heading, or its address in readable form."""
    if heading:
        return _short(heading)
    return _short(_readable(source or "")) or "Source"


def _readable(source: str) -> str:
    path = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]+://", "", source.partition("#")[0].partition("?")[0])
    parts = [_EXTENSION.sub("", unquote(part)) for part in re.split(r"[/\\]", path)]
    last = next((part for part in reversed(parts) if part.lower() not in _GENERIC), "")
    words = last if "." in last else re.sub(r"[-_+]+", " ", last).strip()
    return shown(words[:1].upper() + words[1:] if " " in words else words)


def _short(title: str) -> str:
    if len(title) <= LONGEST_TITLE:
        return title
    cut = title[:LONGEST_TITLE].rpartition(" ")[0] or title[:LONGEST_TITLE]
    return f"{shown(cut)}\u2026"


def _link_text(title: str) -> str:
    """Escape the brackets of a title, but not in its code, where that would show."""
    return _BRACKET.sub(lambda match: match["kept"] or f"\\{match[0]}", title)


def _destination(source: str) -> str:
    if _NEEDS_ANGLES.search(source) is None:
        return source
    return "<" + re.sub(r"[<>\\&]", lambda match: f"\\{match[0]}", source) + ">"
