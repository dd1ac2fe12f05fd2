"""Reasoning, which endpoints send in one field, in another, or in both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.batteries.models.wire.reply import Reasoning, ReasoningDelta

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class ReasoningPieces:
    """Assembles reasoning by field. Equal fields are one piece of reasoning, others several.

    The field that came first is shown as it comes. Another is held back for as long as it only
    repeats the first, and shown from its beginning once it says something else.
    """

    __slots__ = ("_fields", "_shown", "_texts")

    def __init__(self, fields: Sequence[str]) -> None:
        self._fields = fields
        self._texts: dict[str, str] = {}
        self._shown: set[str] = set()

    def add(self, message: Mapping[str, Any]) -> Iterator[ReasoningDelta]:
        """Take the fields of a message, or of a piece of one, in their order of precedence."""
        pieces = [(name, message.get(name)) for name in self._fields]
        given = [(name, piece) for name, piece in pieces if isinstance(piece, str) and piece]
        for name, piece in given:
            self._texts[name] = self._texts.get(name, "") + piece
        for name, piece in given:
            if name in self._shown:
                yield ReasoningDelta(name, piece)
            elif not self._repeats(name):
                self._shown.add(name)
                yield ReasoningDelta(name, self._texts[name])

    def whole(self) -> tuple[Reasoning, ...]:
        """Return the pieces of reasoning, the one that came first first."""
        kept: dict[str, Reasoning] = {}
        for name, text in self._texts.items():
            if name in self._shown or all(text != other.text for other in kept.values()):
                kept[name] = Reasoning(name, text)
        return tuple(kept.values())

    def _repeats(self, name: str) -> bool:
        first = next(iter(self._texts))
        return name != first and self._texts[first].startswith(self._texts[name])
