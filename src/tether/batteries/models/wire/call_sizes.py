"""The size of the arguments in one reply, within the limits of the options.

Arguments are small, and parsing takes many times their size: a reply may be large, but not because
of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.batteries.models.errors import ModelToolArgsTooLarge

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from typing import Self

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.reply import ToolRequest


class CallSizes:
    """Counts the bytes of arguments, by call and in total; 0 means unlimited.

    Every method raises `ModelToolArgsTooLarge` for the first byte too many.
    """

    __slots__ = ("_most", "_most_in_all", "_sizes", "_total")

    def __init__(self, most: int = 0, most_in_all: int = 0) -> None:
        self._most = most
        self._most_in_all = most_in_all
        self._sizes: dict[Hashable, int] = {}
        self._total = 0

    @classmethod
    def within(cls, options: ModelOptions) -> Self:
        """Return a count with the limits of these options."""
        return cls(options.max_call_argument_bytes, options.max_reply_argument_bytes)

    def add(self, call: Hashable, piece: str) -> None:
        """Count the next piece of a call's arguments."""
        self._put(call, self._sizes.get(call, 0) + _size(piece))

    def put(self, call: Hashable, arguments: str) -> None:
        """Count the whole arguments of a call, instead of the pieces so far."""
        self._put(call, _size(arguments))

    def put_all(self, requests: Iterable[ToolRequest]) -> None:
        """Count the calls of a whole reply."""
        for place, request in enumerate(requests):
            self.put(place, request.arguments)

    def _put(self, call: Hashable, size: int) -> None:
        self._total += size - self._sizes.get(call, 0)
        self._sizes[call] = size
        if 0 < self._most < size:
            raise _too_large("one call", self._most, "max_call_argument_bytes")
        if 0 < self._most_in_all < self._total:
            raise _too_large(
                "the calls of one reply", self._most_in_all, "max_reply_argument_bytes"
            )


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _too_large(what: str, most: int, option: str) -> ModelToolArgsTooLarge:
    written = f"the model wrote more than {most:,} bytes of arguments for {what} ({option})"
    return ModelToolArgsTooLarge(f"{written}; no call of this reply was run")
