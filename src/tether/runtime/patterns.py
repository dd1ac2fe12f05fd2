"""Regular expressions that come from a model: run on RE2, whose time is linear in the text.

A pattern from outside never runs on `re`, which takes exponential time on some of them. RE2 is
loaded when the first pattern is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tether.core.checks import in_short
from tether.core.cleaning import clean_text
from tether.core.errors import InputRefused, LimitExceeded, error_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import re2

LONGEST_PATTERN = 512
FLAGS = "imsu"
MEMORY = 8 << 20

LACKS = (
    "Patterns run on RE2, which has no look-ahead or look-behind, no backreferences, no possessive "
    "or atomic groups, and repeats at most 1,000 times. Write the pattern without them, or make a "
    "simpler one and look at what it finds."
)


class Found(NamedTuple):
    """One place where a pattern was found; positions count characters."""

    start: int
    end: int
    text: str
    groups: tuple[str | None, ...]
    names: dict[str, str | None]


class SafePattern:
    """A pattern that cannot take long, whatever it is and whatever it is run on.

    `flags` are letters: i (any case), m (^ and $ at each line), s (the dot matches newlines) and u
    (accepted, and always on). Raises `InputRefused`, saying what RE2 lacks, and `LimitExceeded`.
    """

    __slots__ = ("_compiled", "_lines", "_text")

    def __init__(self, pattern: str, flags: str = "") -> None:
        if len(pattern) > LONGEST_PATTERN:
            raise LimitExceeded(
                f"the pattern has {len(pattern)} characters; at most {LONGEST_PATTERN} are allowed"
            )
        pattern = clean_text(pattern)
        if unknown := sorted(set(flags) - set(FLAGS)):
            raise InputRefused(f"unknown flags {''.join(unknown)!r}: use any of {FLAGS!r}")
        self._text = pattern
        prefix = "".join(letter for letter in "ims" if letter in flags)
        self._compiled = _compile(f"(?{prefix}){pattern}" if prefix else pattern, pattern)
        self._lines: re2._Regexp[bytes] | None = None

    def __repr__(self) -> str:
        return f"SafePattern({self._text!r})"

    def search(self, text: str) -> Found | None:
        """Return the first place in `text`, or None."""
        return next(self.find_all(text), None)

    def matches_all_of(self, text: str) -> bool:
        """Say whether the pattern matches the whole of `text`."""
        return self._compiled.fullmatch(clean_text(text)) is not None

    def find_all(self, text: str) -> Iterator[Found]:
        """Yield the places in `text` that do not overlap, from left to right."""
        text = clean_text(text)  # RE2 reads UTF-8, which has no lone surrogates
        for match in self._compiled.finditer(text):
            start, end = match.span()
            yield Found(start, end, text[start:end], match.groups(), match.groupdict())


def _compile(pattern: str, given: str) -> re2._Regexp[str]:
    import re2  # noqa: PLC0415  # see the module's docstring

    options = re2.Options()
    options.max_mem = MEMORY
    options.log_errors = False  # it would print the pattern, which is not ours, to stderr
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0]
        why = reason.decode(errors="replace") if isinstance(reason, bytes) else error_text(error)
        raise InputRefused(f"the pattern {in_short(given)} cannot be used: {why}. {LACKS}") from None
