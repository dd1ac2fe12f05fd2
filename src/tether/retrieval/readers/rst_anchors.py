"""The anchors of sections as docutils and Sphinx make them."""

from __future__ import annotations

import re
import unicodedata

# Letters that do not fall apart into a letter and a mark, as docutils spells them.
_SPELLED = str.maketrans(
    {
        "ß": "sz",
        "æ": "ae",
        "ø": "o",
        "đ": "d",
        "ħ": "h",
        "\u0131": "i",
        "ł": "l",
        "ŧ": "t",
        "œ": "oe",
    }
)
_GAP = re.compile(r"[^a-z0-9]+")
_LONGEST = 500


def section_anchor(title: str) -> str:
    """Return the anchor of a title; "" where no letter of it can be part of one."""
    letters = title[:_LONGEST].lower().translate(_SPELLED)
    plain = unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode("ascii")
    return _GAP.sub("-", " ".join(plain.split())).lstrip("-0123456789").rstrip("-")


class SectionAnchors:
    """The anchors of one page, each given out once.

    A section whose own anchor is taken or impossible gets the label that stands before it, where
    there is one: it works in every builder, while the numbers of repeated anchors differ.
    """

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def give(self, title: str, label: str) -> str:
        """Return the anchor of a section."""
        anchor, spare = section_anchor(title), section_anchor(label)
        if anchor and anchor not in self._given:
            self._given[anchor] = 0
            return anchor
        return spare or self._numbered(anchor)

    def _numbered(self, anchor: str) -> str:
        if not anchor:
            return ""
        while True:
            self._given[anchor] += 1
            numbered = f"{anchor}-{self._given[anchor]}"
            if numbered not in self._given:
                self._given[numbered] = 0
                return numbered
