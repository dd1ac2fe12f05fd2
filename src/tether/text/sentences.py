"""Where the sentences of a text end: in plain prose of many languages, and in marked-up blocks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from tether.text.markdown.marks import CODE_SPAN

LONGEST = 1_000
"""Characters after which prose without a stop is cut at white space."""

Span = tuple[int, int]

_CLOSING = "\"')\\]\u00bb\u2019\u201d\uff09\u300d\u300f\u3011"
_OPENING = "\"'([\u00ab\u2018\u201c"
_FULL_WIDTH = "\u3002\uff01\uff1f\uff61\uff0e"
_QUESTIONING = "!?\u061f\u06d4\u0964\u0965"
_LINE_END = "(?>\r\n|\r|\n)"  # atomic: CR LF is one line end, never two
_STOP = re.compile(
    f"[.\u2026{_QUESTIONING}]++[{_CLOSING}]*+"  # a stop
    f"|[{_FULL_WIDTH}]++[{_CLOSING}]*+"  # a CJK stop, which no space has to follow
    f"|{_LINE_END}[^\\S\r\n]*+{_LINE_END}"  # an empty line
)
_ELISION = re.compile(r"(?:\.{3}|\u2026)\]")
"""What is left out, as in [...] or [FILE...], and no end."""

_STOPS_ALONE = frozenset(f"{_FULL_WIDTH}\r\n")
_MAY_GO_ON_SMALL = frozenset(_QUESTIONING)
_URL = re.compile(r"(?:https?|ftp)://[^\s<>\"]++")
_SPACE = re.compile(r"\s")
_WORD_START = re.compile(r"[\s(\[\"'\u201c\u2018\u00ab]")
_LONGEST_WORD = 40
_LETTERS = re.compile(r"[^\W\d_]+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_SPACED_INITIALS = re.compile(r"\b[^\W\d_]\.\s[^\W\d_]\Z")
_GERMAN_MONTH = re.compile(
    r"(?:Januar|Februar|M\u00e4rz|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Jahrhundert)\b"
)

_NEVER_LAST_WORDS = """
adm approx brig bros bzw ca capt cf cmdr col cpl dept dipl dr eds eg esp est evtl gen ggf gov hon
hr ie incl ing inkl insp lt maj messrs misc mlle mme mr mrs mt mx prof rep resp rev sen sgt st vgl
viz vs zb им ул
"""
_BEFORE_NUMBER_WORDS = """
abb abs aug bd ch dec eq eqs feb fig figs jan max min no nos nov nr oct op p par pp ref refs sec
sect sep sept tab vol vols рис стр
"""
_SELDOM_LAST_WORDS = "al co corp ed ex inc jr ltd mm ms sr usw"
_OPENING_WORDS = """
after all although an and as at because before but by for from he here his her how however if in it
its my next not now on our she since some that the their then there these they this those to we what
when where while who why with you your
"""
_NEVER_LAST = frozenset(_NEVER_LAST_WORDS.split())
"""Abbreviations that something always follows."""
_BEFORE_NUMBERS = frozenset(_BEFORE_NUMBER_WORDS.split())
"""Abbreviations only where a number follows: a sentence may well end in "no"."""
_SELDOM_LAST = frozenset(_SELDOM_LAST_WORDS.split())
"""Abbreviations that end a sentence, as initials do, only where an opening word follows."""
_OPENERS = frozenset(_OPENING_WORDS.split())
"""Words that open a sentence, and are not names after an initial."""


def sentences(text: str, whole: Sequence[Span] = ()) -> list[Span]:
    """Return the places of the sentences, without the white space around them, in order.

    A sentence ends at . ! ? or … before a space, at the CJK full stops, and at an empty line. A
    stop before a small letter is an abbreviation's; so is one after a title ("Dr."), an initial,
    letters with stops between them ("U.S."), or "No." and the like before a number, and dots in
    brackets, as in [FILE...]. But "Plan B. Then" has no name in it: an initial ends a sentence
    before a word such as "Then". No sentence ends inside a span of `whole` (code, say) or inside a
    URL. Prose without a stop for very long is cut at white space, where it has any. Every character
    that is not white space is in exactly one sentence.
    """
    edges = [0, *_ends(text, whole), len(text)]
    return [part for begin, end in pairwise(edges) for part in _short(text, begin, end)]


def sentences_of(text: str, *, start_small: bool = False) -> list[str]:
    """Cut a text after each sentence; joined, the pieces are the text.

    The rules are those of `sentences`. Where sentences `start_small`, a small letter tells nothing.
    """
    edges = [0, *_ends(text, start_small=start_small), len(text)]
    return [text[begin:end] for begin, end in pairwise(edges) if begin < end]


def sentences_in(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the places of the sentences in a block of Markdown, reStructuredText or HTML.

    Stops in code, links, tags and parentheses end nothing, and a name in small letters may begin a
    sentence.
    """
    edges = [0, *_ends(_masked(text[start:end])), end - start]
    for begin, stop in pairwise(edges):
        source = text[start + begin : start + stop]
        inside = len(source) - len(_BEFORE.sub("", source, count=1))
        length = len(source.rstrip())
        if inside < length:
            yield start + begin + inside, start + begin + length


def is_ended(source: str) -> bool:
    """Say whether a sentence of a marked-up block ends as sentences do."""
    return _ENDED.search(source) is not None


def begins_with_name(source: str) -> bool:
    """Say whether a sentence begins with a name in small letters: `kubectl is`, `main() ends`."""
    return _NAMED_START.match(source) is not None


def _ends(text: str, whole: Sequence[Span] = (), *, start_small: bool = False) -> list[int]:
    """Return the places after which a sentence ends."""
    urls = _URL.finditer(text) if "://" in text else ()
    closed = _Closed([*whole, *map(_url, urls)])
    ends: list[int] = []
    begin = 0
    for match in _STOP.finditer(text):
        if match.start() not in closed and _is_end(text, begin, match, start_small):
            begin = match.end()
            ends.append(begin)
    return ends


def _url(match: re.Match[str]) -> Span:
    """Return the span of a URL without the stop after it."""
    return match.start(), match.start() + len(match[0].rstrip(".,;:!?)]'"))


class _Closed:
    """The places that are in one of several spans, which may overlap."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = list(accumulate((end for _, end in ordered), max))

    def __contains__(self, place: int) -> bool:
        at = bisect_right(self._starts, place) - 1
        return at >= 0 and place < self._ends[at]


def _is_end(text: str, begin: int, match: re.Match[str], start_small: bool) -> bool:
    """Say whether a stop ends the sentence that begins at a place."""
    mark, rest = match[0], text[match.end() : match.end() + 100]
    if mark[0] in _STOPS_ALONE or not rest:
        return True
    if not rest[0].isspace() or _ELISION.match(mark):
        return False
    following = rest.lstrip()
    if not start_small and following.lstrip(_OPENING)[:1].islower():
        return _MAY_GO_ON_SMALL.issuperset(mark)
    return mark != "." or not _is_abbreviated(text, begin, match.start(), following)


def _is_abbreviated(text: str, begin: int, stop: int, following: str) -> bool:
    """Say whether a full stop belongs to an abbreviation, to a list number or to a date."""
    first = max(begin, stop - _LONGEST_WORD)
    before = text[first:stop]
    word = _WORD_START.split(before)[-1]
    if word.isdecimal():
        is_first = first == begin and before.strip() == word
        return is_first or (len(word) <= 2 and _GERMAN_MONTH.match(following) is not None)
    bare = word.lower().replace(".", "")
    if bare in _NEVER_LAST or (bare in _BEFORE_NUMBERS and following[:1].isdigit()):
        return True
    is_initial = _INITIALS.fullmatch(word) is not None
    if len(word) == 1 and word.isalpha():
        is_initial = word.isupper() or word.isascii() or _are_initials(before, following)
    return (is_initial or bare in _SELDOM_LAST) and not _opens(following)


def _are_initials(before: str, following: str) -> bool:
    """Say whether a letter is one of several with stops and spaces: "z. B."."""
    is_next = len(following) > 1 and following[0].isalpha() and following[1] == "."
    return is_next or _SPACED_INITIALS.search(before) is not None


def _opens(following: str) -> bool:
    """Say whether a sentence surely begins with the first word here."""
    word = _LETTERS.match(following.lstrip(_OPENING))
    return word is not None and word[0].istitle() and word[0].lower() in _OPENERS


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


_OPAQUE = re.compile(
    r"(?<!`)``(?!`)(?:[^`]|`(?!`)){1,300}``(?!`)|"  # code with a backtick in it
    + CODE_SPAN.pattern
    + r"|\[[^\[\]]{0,300}\](?=[(\[])"  # the text of a link
    r"|(?<=\])\([^()\s]*(?:\s\"[^\"]*\")?\)"  # and its target
    r"|</?[A-Za-z][^<>\n]*>"
    r"|\{\{[^{}]*\}\}"
    r"|\n[ \t]*(?:>[ \t]?)+"  # the prefix of a quoted line
    r"|\*{1,3}(?=[\"'(\s]|$)|(?<=[\s(\"'])\*{1,3}|(?<=[.!?])_{1,2}(?=\s|$)|(?<=\s)_{1,2}(?=\w)"
    r"|\[\^[^\[\]\s]+\]"
)
_BEFORE = re.compile(r"^\s*(?:(?<=\n)[ \t]*(?:>[ \t]?)+)?\s*")
_PARENTHESIS = re.compile(r"\([^()]{0,300}\)")
_STOP_INSIDE = re.compile(r"[.!?](?=.*\w)", re.DOTALL)
_NAMED = (
    r"(?!(?:a|also|and|any|as|but|each|for|he|if|in|it|nor|of|on|or|she|so|that|the|then|there|they"
    r"|this|to|we|what|where|which|who|with|you)\b)[a-z][\w-]*(?:\.\w+)*"
    r"(?:\(\)|(?=[ ](?:is|are|was|can|does|has|will|must|should|allows?|provides?|supports?|runs?"
    r"|stores?|uses?|lets?)\b))"
)
_NAMED_START = re.compile(_NAMED)
_NAMED_AFTER_A_STOP = re.compile(
    rf"(?<=[.!?]\s)(?<!etc\.\s)(?<!approx\.\s)(?P<space>\s*)(?P<name>{_NAMED})"
)
_ENDED = re.compile(
    r"[.!?\u2026\u3002\uff01\uff1f\uff61\u0964\u061f\u06d4]"
    r"(?:[\"'*_)\]\u00bb\u2019\u201d\uff09\u300d\u300f`]|\[\^?[^\[\]\s]*\]_?|</\w+>)*"
    r"(?:\s?\{:?\s?[#.][^{}]*\})?$|[\u0e01-\u0ec4]$"  # Thai and Lao write no stops
)


def _masked(text: str) -> str:
    """Return a text of the same length whose only stops are those that may end a sentence."""
    text = _NAMED_AFTER_A_STOP.sub(_capital, _OPAQUE.sub(_blank, text))
    return _PARENTHESIS.sub(lambda match: _STOP_INSIDE.sub(",", match[0]), text)


def _blank(match: re.Match[str]) -> str:
    """Hide markup; a mark of emphasis after a stop is shown as a bracket, which closes."""
    whole = match[0]
    if whole.startswith("</"):
        return " " * len(whole)
    if whole[0] not in "*_\n":
        return "X" * len(whole)  # a capital: a sentence may begin with it
    is_closing = match.string[match.start() - 1 : match.start()] in tuple(".!?")
    return (")" if is_closing and whole[0] != "\n" else " ") * len(whole)


def _capital(match: re.Match[str]) -> str:
    return match["space"] + match["name"].capitalize()
