"""Assets as a prompt would show them, without reading a byte of them.

Measuring must not open what the executor may never open: a broken asset would end a turn that can
do without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.batteries.budget.measuring import BYTES_PER_TOKEN, IMAGE_TOKENS
from tether.core.errors import UnsupportedMediaModality
from tether.trust.loaded import LoadedMedia, PromptRecords

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.core.media import Media
    from tether.trust.loaded import LoadedCall, LoadedMessage

    Carries = Callable[[Media], bool]


class UnreadBytes(str):
    """Stands for base64 that nobody has read; only its length is real."""

    __slots__ = ("_length",)

    _length: int

    def __new__(cls, size: int) -> UnreadBytes:
        """Stand for so many bytes."""
        self = super().__new__(cls)
        self._length = -(-size // 3) * 4
        return self

    def __len__(self) -> int:
        return self._length


def carry_nothing(_media: Media) -> bool:
    """Say that no asset is to be read."""
    return False


class Rating:
    """Chooses how the assets of records are counted: as bytes, or as what stands for them.

    `carries` says what the wire takes. Where nobody knows, the dearer of both is counted, so that
    neither a long transcript nor an image is forgotten.
    """

    __slots__ = ("_carries", "_cost")

    def __init__(self, carries: Carries | None, cost: Callable[[PromptRecords], int]) -> None:
        self._carries = carries
        self._cost = cost

    def rated(self, records: PromptRecords) -> PromptRecords:
        """Return the records with every asset in the form in which it is counted."""
        return records._replace(
            messages=tuple(self._message(it) if it.media else it for it in records.messages),
            calls=tuple(self._call(it) for it in records.calls),
        )

    def _message(self, message: LoadedMessage) -> LoadedMessage:
        def alone(asset: LoadedMedia) -> PromptRecords:
            return PromptRecords(messages=(message._replace(media=(asset,)),))

        return message._replace(media=tuple(self._asset(it, alone) for it in message.media))

    def _call(self, call: LoadedCall) -> LoadedCall:
        def alone(asset: LoadedMedia) -> PromptRecords:
            return PromptRecords(calls=(call._replace(results=(asset,)),))

        assets = [it for it in call.results if isinstance(it, LoadedMedia)]
        if not assets:
            return call
        return call._replace(results=tuple(self._asset(it, alone) for it in assets))

    def _asset(
        self, asset: LoadedMedia, alone: Callable[[LoadedMedia], PromptRecords]
    ) -> LoadedMedia:
        carried = asset._replace(data=UnreadBytes(_size(asset)))
        if self._carries is not None:
            return carried if self._carries(asset.media) else asset
        try:
            told = self._cost(alone(asset))
        except UnsupportedMediaModality:  # what cannot be carried is refused, not described
            return carried
        return asset if told > self._cost(alone(carried)) else carried


def _size(asset: LoadedMedia) -> int:
    """Return the size in bytes; one that nobody knows is taken to cost as much as an image."""
    if asset.size is not None:
        return asset.size
    return IMAGE_TOKENS * BYTES_PER_TOKEN.get(asset.media.kind, 1)
