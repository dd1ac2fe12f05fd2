"""The `[...]` of a pattern: which bytes it accepts, by git's reading of it."""

from __future__ import annotations

_NAMED = {
    b"alnum": b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    b"alpha": b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"blank": b" \t",
    b"cntrl": bytes(range(32)) + b"\x7f",
    b"digit": b"0123456789",
    b"graph": bytes(range(33, 127)),
    b"lower": b"abcdefghijklmnopqrstuvwxyz",
    b"print": bytes(range(32, 127)),
    b"punct": b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    b"space": b" \t\n\r\v\f",
    b"upper": b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"xdigit": b"0123456789abcdefABCDEF",
}
_EVERY = bytes(range(256))


class MalformedGlob(Exception):
    """A pattern has no meaning: a class without its end, or a backslash before nothing."""


def read_class(text: bytes, start: int) -> tuple[bytes, int]:
    """Return the bytes that the class beginning at `start` accepts, and where it is over.

    Raises `MalformedGlob`. A `]` that comes first is itself, and so is a `-` at either end.
    """
    at = start + 1
    negated = text[at : at + 1] in (b"!", b"^")
    at += negated
    accepted = bytearray()
    previous: int | None = None
    first = at
    while at == first or text[at : at + 1] != b"]":
        taken, previous, at = _read_one(text, at, previous)
        accepted += taken
    chosen = bytes(byte for byte in _EVERY if (byte in accepted) != negated)
    return chosen, at + 1


def _read_one(text: bytes, at: int, previous: int | None) -> tuple[bytes, int | None, int]:
    """Return what one member accepts, from what a range could begin, and where the next begins."""
    if text[at : at + 2] == b"[:" and (named := _read_named(text, at)) is not None:
        return named[0], None, named[1]
    is_range = text[at : at + 1] == b"-" and previous is not None
    if is_range and text[at + 1 : at + 2] not in (b"", b"]"):
        last, after = _character(text, at + 1)
        return bytes(range(previous or 0, last + 1)), None, after
    character, after = _character(text, at)
    return bytes([character]), character, after


def _character(text: bytes, at: int) -> tuple[int, int]:
    at += text[at : at + 1] == b"\\"
    if at >= len(text):
        raise MalformedGlob
    return text[at], at + 1


def _read_named(text: bytes, at: int) -> tuple[bytes, int] | None:
    """Return a `[:name:]` and where it is over; None where the `[` stands for itself."""
    end = text.find(b"]", at + 2)
    if end < 0:
        raise MalformedGlob
    if end == at + 2 or text[end - 1] != ord(":"):
        return None
    name = text[at + 2 : end - 1]
    if name not in _NAMED:
        raise MalformedGlob
    return _NAMED[name], end + 1
