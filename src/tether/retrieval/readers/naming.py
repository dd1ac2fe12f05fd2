"""A title for a document that does not give one."""

from __future__ import annotations

import re

_LEADING = frozenset({"index", "_index", "readme", "main", "default", "page"})
_GAPS = re.compile(r"[\s_\-.]+")
_ORDER = re.compile(r"\d{1,4}[\s_\-.]+(?=\D)")


def title_from(key: str) -> str:
    """Return a readable title made of a path's last part, of its folder's for `index.md` and such.

    Never empty: where nothing readable is left it is the last part as given, or "untitled".
    """
    parts = [part for part in re.split(r"[/\\]+", _path(key)) if part.strip()]
    if not parts:
        return "untitled"
    stem = parts[-1].rpartition(".")[0] or parts[-1]
    if stem.lower() in _LEADING and len(parts) > 1:
        stem = parts[-2]
    words = _GAPS.sub(" ", _ORDER.sub("", stem, count=1)).strip()
    return words[:1].upper() + words[1:] or parts[-1]


def _path(key: str) -> str:
    """Return a key without the query of an address; a file may be called `why?.md`."""
    return key.partition("?")[0] if "://" in key else key
