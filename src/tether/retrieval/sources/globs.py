"""Patterns for paths in the syntax of `.gitignore`, matched in bounded time.

The patterns come from the folders that are read, so they may be hostile. Matching backtracks no
further than to the last star: it takes at most the product of the two lengths. Paths are bytes, as
in the system and in git: `?` matches one byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Token = bytes | None
"""The bytes that one place accepts, or None for any number of any bytes."""

T = TypeVar("T")
P = TypeVar("P")

_ANY = bytes(range(256))
_SLASH = ord("/")
_SPECIAL = frozenset(b"*?[\\")

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


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of a pattern between two slashes; `tokens` is empty where it is plain text."""

    literal: bytes
    tokens: tuple[Token, ...]

    def matches(self, name: bytes) -> bool:
        """Return whether one name of a path matches."""
        if not self.tokens:
            return name == self.literal
        return matches_with_stars(self.tokens, name, _accepts)


@dataclass(frozen=True, slots=True)
class Glob:
    """A whole pattern; a None among its segments is `**`, any number of folders."""

    segments: tuple[Segment | None, ...]
    anchored: bool
    """Whether it has a slash, and so applies to the path and not only to the last name."""

    @classmethod
    def of(cls, text: bytes) -> Glob | None:
        """Parse a pattern without its `!` and its final slash; None if it can match nothing."""
        anchored = b"/" in text
        try:
            segments = [_segment(tokens) for tokens in _split(_tokens(text.removeprefix(b"/")))]
        except MalformedGlob:
            return None
        if anchored and segments[-1] is None:
            segments.append(Segment(b"", (None,)))  # `a/**` matches the content of `a`, not `a`
        return cls(tuple(segments), anchored)

    def matches(self, parts: Sequence[bytes]) -> bool:
        """Return whether a path, given by its names, matches."""
        if self.anchored:
            return matches_with_stars(self.segments, parts, Segment.matches)
        return self.segments[0] is None or self.segments[0].matches(parts[-1])


def matches_with_stars(
    pattern: Sequence[P | None], things: Sequence[T], accepts: Callable[[P, T], bool]
) -> bool:
    """Match a pattern item by item; None stands for any number of things.

    It is enough to go back to the last star: a longer match of an earlier one gains nothing.
    """
    place = thing = 0
    star = resumed = -1
    while thing < len(things):
        wanted = pattern[place] if place < len(pattern) else None
        if place < len(pattern) and wanted is None:
            star, resumed = place, thing
            place += 1
        elif wanted is not None and accepts(wanted, things[thing]):
            place, thing = place + 1, thing + 1
        elif star < 0:
            return False
        else:
            resumed += 1
            place, thing = star + 1, resumed
    return all(left is None for left in pattern[place:])


def _accepts(accepted: bytes, byte: int) -> bool:
    return byte in accepted


def _tokens(text: bytes) -> list[Token | int]:
    """Return the tokens of a pattern; a number stands for the slash between two names."""
    tokens: list[Token | int] = []
    at = 0
    while at < len(text):
        byte = text[at]
        if byte == ord("["):
            accepted, at = read_class(text, at)
            tokens.append(accepted)
            continue
        if byte == ord("\\"):
            at += 1
            if at == len(text):
                raise MalformedGlob
        tokens.append(_token(byte, text[at]))
        at += 1
    return tokens


def _token(byte: int, character: int) -> Token | int:
    if byte == ord("*"):
        return None
    if byte == ord("?"):
        return _ANY
    return _SLASH if character == _SLASH else bytes([character])


def _split(tokens: list[Token | int]) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if isinstance(token, int):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _segment(tokens: list[Token]) -> Segment | None:
    if len(tokens) > 1 and all(token is None for token in tokens):
        return None
    if all(token is not None and len(token) == 1 for token in tokens):
        return Segment(b"".join(token for token in tokens if token), ())
    single = [t for at, t in enumerate(tokens) if t is not None or at == 0 or tokens[at - 1]]
    return Segment(b"", tuple(single))


class MalformedGlob(Exception):
    """A pattern without a meaning: a class without its end, or a final backslash."""


def read_class(text: bytes, start: int) -> tuple[bytes, int]:
    """Return the bytes that the class `[...]` at `start` accepts, and its end.

    Raises `MalformedGlob`. A `]` in first place is literal, and so is a `-` at either end.
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
    """Return the bytes of one member, the start of a possible range, and the next position."""
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
    """Return the bytes of a `[:name:]` and its end; None if the `[` is literal."""
    end = text.find(b"]", at + 2)
    if end < 0:
        raise MalformedGlob
    if end == at + 2 or text[end - 1] != ord(":"):
        return None
    name = text[at + 2 : end - 1]
    if name not in _NAMED:
        raise MalformedGlob
    return _NAMED[name], end + 1
