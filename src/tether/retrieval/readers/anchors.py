"""Anchors of headings, as the common site builders make them."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

AnchorStyle = Literal["github", "vitepress", "mkdocs"]
"""GitHub's habit is also that of Docusaurus and of Hugo's default. Two others differ:

"What's new?" becomes `whats-new` there, `what-s-new` in VitePress and `whats-new` in MkDocs, and
"Über uns" becomes `über-uns`, `uber-uns` and `uber-uns`. MkDocs counts repeated anchors with `_`.
"""

ANCHOR_STYLES: tuple[AnchorStyle, ...] = ("github", "vitepress", "mkdocs")

LONGEST = 200
_NOT_GITHUB = re.compile(r"[^\w\- ]")
_VITEPRESS_GAPS = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")  # noqa: RUF001
_NOT_WORD = re.compile(r"[^\w\s-]")
_GAPS = re.compile(r"[-\s]+")


def slug(heading: str, style: AnchorStyle = "github") -> str:
    """Return the anchor that a heading gets by itself; "" where nothing of it is left."""
    heading = " ".join(heading.split())[:LONGEST]
    if style == "vitepress":
        return _vitepress(heading)
    if style == "mkdocs":
        plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
        return _GAPS.sub("-", _NOT_WORD.sub("", plain).strip().lower())
    return _NOT_GITHUB.sub("", heading.lower()).replace(" ", "-")


def _vitepress(heading: str) -> str:
    marks = unicodedata.normalize("NFKD", heading)
    plain = "".join(letter for letter in marks if not "\u0300" <= letter <= "\u036f")
    joined = _VITEPRESS_GAPS.sub("-", plain).strip("-").lower()
    return f"_{joined}" if joined[:1].isdecimal() else joined


class Anchors:
    """The anchors of one page: each is given out once, repeated ones get a number."""

    __slots__ = ("_given", "_style")

    def __init__(self, style: AnchorStyle = "github") -> None:
        self._style: AnchorStyle = style
        self._given: dict[str, int] = {}

    def give(self, heading: str, explicit: str = "") -> str:
        """Return the anchor of a heading: the one it names itself, else one made of its words."""
        if explicit:
            self._given.setdefault(explicit, 0)
            return explicit
        base = slug(heading, self._style) or "section"
        if base not in self._given:
            self._given[base] = 0
            return base
        return self._numbered(base)

    def _numbered(self, base: str) -> str:
        joint = "_" if self._style == "mkdocs" else "-"
        while True:
            self._given[base] += 1
            anchor = f"{base}{joint}{self._given[base]}"
            if anchor not in self._given:
                self._given[anchor] = 0
                return anchor
