"""Nonces: closing tags that cannot be guessed keep a payload inside its envelope."""

from __future__ import annotations

from hashlib import blake2b
from secrets import token_bytes
from types import NoneType
from typing import Literal

from tether.core.checks import Checks
from tether.trust.errors import InvalidRenderer

SECRET_BYTES = 32
NONCE_BYTES = 16
MARK_DIGITS = 8

RecordKind = Literal["memory", "retrievable", "message", "thought", "tool_call"]


class Nonces:
    """Makes the nonce of a record from its kind and id, under a key that lasts for one turn.

    Within a turn a record has one nonce, however often it is rendered. In the next turn it has
    another, so that a nonce echoed into an answer, a memory or a file is useless. Ids may be
    counters, hashes of the content or chosen by a stranger: without the secret they reveal nothing
    about the nonce. `conversation` keeps one key for all turns instead, for providers that cache
    prompts by their beginning; the same secret must then be given each time. Raises
    `InvalidRenderer` for a secret that is too short, and for arguments of the wrong type.
    """

    __slots__ = ("_conversation", "_secret")

    def __init__(self, secret: bytes | None = None, *, conversation: str | None = None) -> None:
        check = Checks()
        _check_secret(check, secret)
        check.instance("conversation", conversation, (str, NoneType), "text")
        check.done(InvalidRenderer)
        given = token_bytes(SECRET_BYTES) if secret is None else secret
        self._secret = blake2b(given, digest_size=SECRET_BYTES).digest()
        self._conversation = conversation

    def for_turn(self, turn_id: str) -> TurnNonces:
        """Return the nonces of one turn, or of the conversation if it was given.

        Raises `InvalidRenderer` for an id that is not text.
        """
        check = Checks()
        check.instance("turn_id", turn_id, str, "text")
        check.done(InvalidRenderer)
        scope = f"turn:{turn_id}" if self._conversation is None else f"talk:{self._conversation}"
        return TurnNonces(_keyed(self._secret, _bytes(scope), SECRET_BYTES))

    def __repr__(self) -> str:
        return "Nonces(…)"  # a secret must not be printed


class TurnNonces:
    """The nonces of one turn."""

    __slots__ = ("_key", "_made")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._made: dict[tuple[str, str], str] = {}

    def of(self, kind: RecordKind, id: str) -> str:
        """Return the nonce of a record: 32 hexadecimal digits."""
        nonce = self._made.get((kind, id))
        if nonce is None:
            nonce = _keyed(self._key, _bytes(f"{kind}\0{id}"), NONCE_BYTES).hex()
            self._made[kind, id] = nonce
        return nonce

    def mark(self, kind: RecordKind, id: str) -> str:
        """Return the short form of a nonce: 8 hexadecimal digits, for tags that must be short."""
        return self.of(kind, f"mark\0{id}")[:MARK_DIGITS]

    def __repr__(self) -> str:
        return "TurnNonces(…)"


def _check_secret(check: Checks, secret: object) -> None:
    """Report the problem with a secret without showing it."""
    if isinstance(secret, bytes):
        if len(secret) < NONCE_BYTES:
            check.fail("secret", f"needs at least {NONCE_BYTES} bytes, not {len(secret)}")
    elif secret is not None:
        check.fail("secret", "must be bytes")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # half a character in an id is still an id


def _keyed(key: bytes, data: bytes, size: int) -> bytes:
    return blake2b(data, key=key, digest_size=size).digest()
