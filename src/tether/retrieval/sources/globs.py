"""Patterns for paths in the language of `.gitignore`, matched in bounded time.

The patterns come from the folders that are read, so they may be hostile. Nothing here backtracks
further than to the last star: matching takes at most the product of the two lengths.
Paths are bytes, as the system and git have them: `?` stands for one byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tether.retrieval.sources.glob_classes import MalformedGlob, read_class

Token = bytes | None
"""The bytes that one place accepts, or None for any number of any bytes."""

T = TypeVar("T")
P = TypeVar("P")

_ANY = bytes(range(256))
_SLASH = ord("/")
_SPECIAL = frozenset(b"*?[\\")


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of a pattern between two slashes; `tokens` is empty where it is plain text."""

    literal: bytes
    tokens: tuple[Token, ...]

    def matches(self, name: bytes) -> bool:
        """Say whether one name of a path matches."""
        if not self.tokens:
            return name == self.literal
        return matches_with_stars(self.tokens, name, _accepts)


@dataclass(frozen=True, slots=True)
class Glob:
    """A whole pattern; a None among its segments is `**`, any number of folders."""

    segments: tuple[Segment | None, ...]
    anchored: bool
    """Whether it has a slash, and so is about the path and not about the last name alone."""

    @classmethod
    def of(cls, text: bytes) -> Glob | None:
        """Read a pattern without its `!` and the slash at its end; None if it matches nothing."""
        anchored = b"/" in text
        try:
            segments = [_segment(tokens) for tokens in _split(_tokens(text.removeprefix(b"/")))]
        except MalformedGlob:
            return None
        if anchored and segments[-1] is None:
            segments.append(Segment(b"", (None,)))  # `a/**` is about what is in `a`, not about `a`
        return cls(tuple(segments), anchored)

    def matches(self, parts: Sequence[bytes]) -> bool:
        """Say whether a path, given by its names, matches."""
        if self.anchored:
            return matches_with_stars(self.segments, parts, Segment.matches)
        return self.segments[0] is None or self.segments[0].matches(parts[-1])


def matches_with_stars(
    pattern: Sequence[P | None], things: Sequence[T], accepts: Callable[[P, T], bool]
) -> bool:
    """Match places one by one, None standing for any number of things.

    It is enough to go back to the last star: an earlier one that takes more can gain nothing.
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
    """Return the places of a pattern, a number standing for the slash between two names."""
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
