"""Bytes as text after RFC 4648, read strictly."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, NamedTuple

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALPHANUMERIC = f"{_UPPER}{_UPPER.lower()}0123456789"


class BaseEncoding(NamedTuple):
    """One of the encodings that write bytes as letters, `group` of them at a time."""

    name: str
    alphabet: str
    group: int
    to_text: Callable[[bytes], bytes]
    to_bytes: Callable[[str], bytes]
    is_padded: bool = True

    def encode(self, data: bytes) -> str:
        """Return the text for these bytes."""
        text = self.to_text(data).decode("ascii")
        return text if self.is_padded else text.rstrip("=")

    def decode(self, text: str) -> bytes:
        """Return the bytes, or raise `InputRefused` for a text that no encoder writes."""
        body = text.rstrip("=")
        for position, character in enumerate(body):
            if character not in self.alphabet:
                raise InputRefused(
                    f"{self.name} has no character {character!r} (at position {position}); it uses "
                    f"{self.alphabet} and = at the end"
                )
        full = body + "=" * (-len(body) % self.group)
        if text != full and (self.is_padded or text != body):
            raise InputRefused(
                f"the padding is wrong: {self.name} text has a length that is a multiple of "
                f"{self.group}, filled up with = where needed; this one has {len(text)} characters"
            )
        return self._canonical(body, full)

    def _canonical(self, body: str, full: str) -> bytes:
        try:
            data = self.to_bytes(full)
        except binascii.Error:
            message = f"no {self.name} text has {len(body)} characters: one is missing or too many"
            raise InputRefused(message) from None
        if self.to_text(data).decode("ascii") != full:
            raise InputRefused(
                f"the last character {body[-1]!r} carries bits that belong to no byte: the "
                f"{self.name} text is damaged or cut off"
            )
        return data


BASE64 = BaseEncoding("base64", f"{_ALPHANUMERIC}+/", 4, base64.b64encode, base64.b64decode)
BASE64URL = BaseEncoding(
    "base64url",
    f"{_ALPHANUMERIC}-_",
    4,
    base64.urlsafe_b64encode,
    base64.urlsafe_b64decode,
    is_padded=False,
)
BASE32 = BaseEncoding("base32", f"{_UPPER}234567", 8, base64.b32encode, base64.b32decode)
