"""Where a heading of a web page can be linked to."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from tether.retrieval.readers.html_content import attribute

_WRAPPERS = ("section", "div", "article", "header", "hgroup")
_HIGHEST = 3


def heading_anchor(heading: LexborNode) -> str:
    """Return the anchor of a heading: its own, that of something in it, or that of its section."""
    if own := attribute(heading, "id"):
        return own
    inner = heading.css_first("[id], a[name]")
    if inner is not None and (found := attribute(inner, "id") or attribute(inner, "name")):
        return found
    return _of_section(heading)


def _of_section(heading: LexborNode) -> str:
    """Return the anchor of the section that begins with a heading."""
    node = heading
    for _ in range(_HIGHEST):
        parent = node.parent
        if parent is None or parent.tag not in _WRAPPERS or not _is_first(node):
            return ""
        if found := attribute(parent, "id"):
            return found
        node = parent
    return ""


def _is_first(node: LexborNode) -> bool:
    before = node.prev
    while before is not None:
        is_blank = before.tag == "-text" and not (before.text_content or "").strip()
        if not (is_blank or before.tag == "-comment"):
            return False
        before = before.prev
    return True
