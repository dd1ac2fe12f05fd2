"""Regular expressions from a model: run on RE2, whose time is linear in the text.

A pattern from outside never runs on `re`, which takes exponential time on some patterns. RE2 is
loaded when the first pattern is made.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, AnyStr, NamedTuple

from tether.core.checks import in_short
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, LimitExceeded, error_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import re2

LONGEST_PATTERN = 512
FLAGS = "imsu"
MEMORY = 8 << 20
MOST_WORK = 30_000_000
MOST_SCANNED = 300_000_000

LACKS = (
    "Patterns run on RE2, which has no look-ahead or look-behind, no backreferences, no possessive "
    "or atomic groups, and repeats at most 1,000 times. Write the pattern without them, or make a "
    "simpler one and look at what it finds."
)


_SURROGATES = re.compile("[\ud800-\udfff]")
_SINGLE_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\C")
_LINE_BY_LINE = re.compile(r"\\[AzQ]|\(\?[a-zA-Z]*-")
"""Syntax with another meaning in a block of lines: ends of the text, quoting, unset flags."""


class Found(NamedTuple):
    """One place where a pattern was found; positions count characters."""

    start: int
    end: int
    text: str
    groups: tuple[str | None, ...]
    names: dict[str, str | None]


class SafePattern:
    """A pattern whose time is bounded, for any pattern and any text.

    `flags` are letters: i (any case), m (^ and $ at each line), s (the dot matches newlines) and u
    (accepted, and always on). Raises `InputRefused`, naming the features RE2 lacks, and
    `LimitExceeded`.
    """

    __slots__ = ("_for_blocks", "_pattern", "_with_groups", "_without_groups")

    def __init__(self, pattern: str, flags: str = "") -> None:
        if len(pattern) > LONGEST_PATTERN:
            raise LimitExceeded(
                f"the pattern has {len(pattern)} characters; at most {LONGEST_PATTERN} are allowed"
            )
        if unknown := sorted(set(flags) - set(FLAGS)):
            raise InputRefused(f"unknown flags {''.join(unknown)!r}: use any of {FLAGS!r}")
        if _SINGLE_BYTE.search(pattern):
            raise InputRefused(r"\C stands for a single byte; use . for a single character")
        prefix = "".join(letter for letter in "ims" if letter in flags)
        self._pattern = clean_text(f"(?{prefix}){pattern}" if prefix else pattern)
        self._with_groups = _compile(self._pattern, capture=True)
        self._without_groups = _compile(self._pattern)
        self._for_blocks: re2.Regexp[bytes] | None = None

    def __repr__(self) -> str:
        return f"SafePattern({self._pattern!r})"

    def search(self, text: str) -> Found | None:
        """Return the first place in `text`, without its groups, or None."""
        match = self._without_groups.search(_encodable(text))
        return None if match is None else Found(*match.span(), text[slice(*match.span())], (), {})

    def matches_all_of(self, text: str) -> bool:
        """Return whether the pattern matches the whole of `text`."""
        return self._without_groups.fullmatch(_encodable(text)) is not None

    def find_all(self, text: str) -> Iterator[Found]:
        """Yield the places in `text` that do not overlap, from left to right, with their groups.

        Raises `LimitExceeded` if following the groups through a long text would take too long, and
        if there are too many matches in a long text: each search may look ahead to the end.
        """
        pattern = self._with_groups
        if pattern.groups and pattern.programsize * len(text) > MOST_WORK:
            raise LimitExceeded(
                f"following the pattern's groups through {len(text):,} characters takes too long. "
                "Write (?:…) for groups you do not need, shorten the pattern, or give less text"
            )
        last, scanned = (-1, -1), 0
        for match in pattern.finditer(_encodable(text)):
            if match.span() == last:  # an empty match ahead of the position comes twice
                continue
            start, end = last = match.span()
            scanned += len(text) - start
            if scanned > MOST_SCANNED:
                raise LimitExceeded(
                    f"the pattern matches too often in {len(text):,} characters; give less text"
                )
            yield Found(start, end, text[start:end], match.groups(), match.groupdict())

    def lines_in(self, block: bytes) -> Iterator[str]:
        """Yield the lines of `block`, which is UTF-8, in which the pattern is found.

        The block is searched as a whole: the time depends on the matches, not on the lines.
        """
        if _LINE_BY_LINE.search(self._pattern):
            lines = block.decode(errors="replace").split("\n")
            yield from (line for line in lines if self.search(line))
            return
        if self._for_blocks is None:
            # Many lines at once: anchors match at each line, and nothing matches a newline.
            self._for_blocks = _compile(f"(?m){self._pattern}".encode(), match_newlines=False)
        block = _valid(block)
        position = 0
        while position <= len(block) and (match := self._for_blocks.search(block, position)):
            start = block.rfind(b"\n", 0, match.start()) + 1
            end = block.find(b"\n", match.start())
            position = (len(block) if end < 0 else end) + 1
            yield block[start : position - 1].decode()


def _encodable(text: str) -> str:
    """Replace lone surrogates, which RE2 cannot read; no position moves."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def _valid(block: bytes) -> bytes:
    """Return UTF-8, with each bad sequence replaced as the line readers do."""
    if block.isascii():
        return block
    try:
        block.decode()
    except UnicodeDecodeError:
        return block.decode(errors="replace").encode()
    return block


def _compile(
    pattern: AnyStr, *, capture: bool = False, match_newlines: bool = True
) -> re2.Regexp[AnyStr]:
    import re2  # noqa: PLC0415  # see the module's docstring

    options = re2.Options()
    options.max_mem = MEMORY
    options.log_errors = False  # it would print the foreign pattern to stderr
    options.never_capture = not capture  # without groups RE2 is a hundred times faster
    options.never_nl = not match_newlines
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0]
        why = reason.decode(errors="replace") if isinstance(reason, bytes) else error_text(error)
        refusal = f"the pattern {in_short(pattern)} cannot be used: {why}. {LACKS}"
        raise InputRefused(refusal) from None
