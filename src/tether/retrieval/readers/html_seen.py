"""Which parts of a page are seen, and how much of it is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from tether.retrieval.readers.html_content import SKIPPED, is_furniture
from tether.retrieval.readers.html_hidden import is_hidden

Attributes = Mapping[str, str | None]


@dataclass(slots=True)
class Hidden:
    """How much was left out because nobody sees it."""

    places: int = 0
    characters: int = 0

    def count(self, text: str) -> None:
        """Count a place, if there is anything to read in it."""
        length = len("".join(text.split()))
        if length > 1:
            self.places += 1
            self.characters += length


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Tells what is seen. `around` says that the furniture of the site is still to be left out."""

    around: bool
    hidden: Hidden = field(default_factory=Hidden)

    def attributes(self, node: LexborNode) -> Attributes | None:
        """Return the attributes of an element that is seen; None for any other node."""
        tag = node.tag or "-"
        if tag[0] in "-!" or tag in SKIPPED:
            return None
        attributes: Attributes = node.attributes
        if is_furniture(tag, attributes, around=self.around):
            return None
        if tag in ("noscript", "template") or is_hidden(tag, attributes):
            self.hidden.count(all_text(node))
            return None
        return attributes


def all_text(node: LexborNode) -> str:
    """Return the text of an element with everything in it, seen or not."""
    if node.tag == "template":
        return " ".join(part.text(deep=True) for part in node.template_fragments())
    return node.text(deep=True)
