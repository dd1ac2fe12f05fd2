"""Prose into sentences, by rules that hold in many languages and cost one pass."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

LONGEST = 1_000

Span = tuple[int, int]

# A stop, what may close after it, and a gap; the full stops of scripts that are written without
# spaces need no gap.
_STOP = re.compile(
    r"(?<![.!?…])[.!?…؟۔।॥]++[\"'”’»)\]]*+(?=\s)|[。！？｡．]++[\"'”’»」』）】)\]]*+",  # noqa: RUF001
)
_URL = re.compile(r"(?:https?|ftp)://[^\s<>\"]++")
_WORD_START = re.compile(r"[\s(\[\"'“‘«]")  # noqa: RUF001
_LONGEST_WORD = 40
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_SMALL = re.compile(r"[\"'“‘«(\[]*[a-zà-öø-ÿа-яα-ω]")  # noqa: RUF001
_SPACE = re.compile(r"\s")
_SHORT_WORDS = (
    "al approx bzw ca cf co corp dept dr ed eds eg eq est esp fig figs ggf gen hr ie inc incl jr"
    " ltd max min misc mr mrs ms mt no nos nr op p par pp prof ref refs resp sect sr st tab usw"
    " vgl viz vol vs zb"
)
_ABBREVIATIONS = frozenset(_SHORT_WORDS.split())


def sentences(text: str, whole: Sequence[Span] = ()) -> list[Span]:
    """Return the sentences as spans without the white space around them, in order.

    No sentence ends inside a span of `whole` (code, say) or inside a URL. What has no full stop for
    very long is cut at white space, where it has any. Every character that is not white space is in
    exactly one span.
    """
    urls = _URL.finditer(text) if "://" in text else ()
    closed = _Closed([*whole, *map(_url, urls)])
    spans: list[Span] = []
    begin = 0
    for match in _STOP.finditer(text):
        if match.start() not in closed and _ends(text, begin, match):
            spans.extend(_short(text, begin, match.end()))
            begin = match.end()
    spans.extend(_short(text, begin, len(text)))
    return spans


def _url(match: re.Match[str]) -> Span:
    """Return the span of a URL without the stop after it."""
    return match.start(), match.start() + len(match[0].rstrip(".,;:!?)]'"))


class _Closed:
    """Spans that may overlap, and which places are in one of them."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = list(accumulate((end for _, end in ordered), max))

    def __contains__(self, place: int) -> bool:
        at = bisect_right(self._starts, place) - 1
        return at >= 0 and place < self._ends[at]


def _ends(text: str, begin: int, match: re.Match[str]) -> bool:
    """Return whether a stop ends a sentence and not an abbreviation or a number in a list."""
    stop = match[0]
    if stop[0] != ".":
        return True
    if _SMALL.match(_after(text, match.end())):
        return False
    if stop != ".":
        return True
    start = max(begin, match.start() - _LONGEST_WORD)
    word = _WORD_START.split(text[start : match.start()])[-1]
    if word.isdecimal() and start == begin and text[begin : match.start()].strip() == word:
        return False
    return not (_INITIALS.fullmatch(word) or word.lower().replace(".", "") in _ABBREVIATIONS)


def _after(text: str, position: int) -> str:
    """Return what follows the gap, as much as tells a small letter from a capital one."""
    return text[position : position + 12].lstrip()


def _short(text: str, begin: int, end: int) -> list[Span]:
    """Return the stretch without the white space around it, in parts that are not too long."""
    spans: list[Span] = []
    begin, end = _trimmed(text, begin, end)
    while end - begin > LONGEST:
        cut = _gap(text, begin + LONGEST // 2, begin + LONGEST)
        if cut < 0:
            cut = _gap_after(text, begin + LONGEST, end)
        spans.append(_trimmed(text, begin, cut))
        begin, end = _trimmed(text, cut, end)
    if begin < end:
        spans.append((begin, end))
    return spans


def _trimmed(text: str, begin: int, end: int) -> Span:
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return begin, end


def _gap(text: str, begin: int, end: int) -> int:
    return max(text.rfind(" ", begin, end), text.rfind("\n", begin, end))


def _gap_after(text: str, begin: int, end: int) -> int:
    found = _SPACE.search(text, begin, end)
    return found.start() if found else end
