"""String processing: case styles and extraction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from tether.batteries.languages.texts.word_cases import STYLES
from tether.batteries.tools.ready_made import Text, ready_made
from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.patterns import LONGEST_PATTERN, SafePattern

MOST_MATCHES = 1_000
LONGEST_RESULT = 1_000_000

Style = Literal[
    "camel_case",
    "pascal_case",
    "snake_case",
    "kebab_case",
    "constant_case",
    "title_case",
    "sentence_case",
    "upper",
    "lower",
    "slug",
    "trim",
    "collapse_whitespace",
]
LimitedText = Annotated[str, Field(max_length=20_000)]
Delimiter = Annotated[str, Field(min_length=1, max_length=1_000)]
Pattern = Annotated[str, Field(max_length=LONGEST_PATTERN)]


@ready_made(example={"text": "parseHTTPResponse", "style": "snake_case"})
def string_transform(text: LimitedText, style: Style) -> str:
    """Rewrite a string in another case style, or tidy its spaces; return the new string.

    The styles for names (camel_case, pascal_case, snake_case, kebab_case, constant_case) split the
    text into words at capitals and at all but letters and digits: HTTPServer becomes http_server.
    Apostrophes are dropped. title_case and sentence_case keep punctuation and acronyms.
    slug makes lower-case words with hyphens and drops Latin accents; letters of other scripts stay.

    Args:
        text: The string to rewrite, at most 20,000 characters.
        style: The style to write it in.
    """
    return STYLES[style](text)


@ready_made(
    example={"text": "ann@example.org, bob@example.net", "pattern": r"(?P<name>\w+)@[\w.]+"}
)
def string_extract(
    text: Text,
    *,
    pattern: Pattern | None = None,
    flags: Annotated[str, Field(pattern="^[imsu]*$", max_length=8)] = "",
    delimiter: Delimiter | None = None,
    start: Delimiter | None = None,
    end: Delimiter | None = None,
    limit: Annotated[int, Field(ge=1, le=MOST_MATCHES)] = 100,
) -> dict[str, Any]:
    """Extract parts of a text: by a regular expression, between two marks, or between delimiters.

    Give exactly one of: pattern; delimiter; start and end. Returns the matches in order with their
    positions, which count characters from 0, and for a pattern its groups; truncated says that
    there are more than limit.

    Args:
        text: The text to look in.
        pattern: A regular expression in RE2 syntax, without look-around and backreferences.
        flags: For the pattern: i for any case, m for ^ and $ at each line, s for . at newlines.
        delimiter: Split the text at each of these; the parts are returned.
        start: The mark before each part; give end as well.
        end: The mark after each part.
        limit: The most matches to return.
    """
    between = start is not None or end is not None
    if [pattern is not None, delimiter is not None, between].count(True) != 1:
        raise InputRefused("give one of these and not several: pattern; delimiter; start and end")
    if pattern is not None:
        return _collected(_matches(pattern, flags, text), limit)
    if flags:
        raise InputRefused("flags go with a pattern; a delimiter is taken letter by letter")
    if delimiter is not None:
        return _collected(_parts(text, delimiter), limit)
    if start is None or end is None:
        raise InputRefused("start and end belong together: give both")
    return _collected(_enclosed(text, start, end), limit)


def _matches(pattern: str, flags: str, text: str) -> Iterator[dict[str, Any]]:
    for found in SafePattern(pattern, flags).find_all(text):
        match: dict[str, Any] = _part(found.text, found.start)
        if found.groups:
            match["groups"] = list(found.groups)
        if found.names:
            match["named_groups"] = found.names
        yield match


def _parts(text: str, delimiter: str) -> Iterator[dict[str, Any]]:
    position = 0
    while (at := text.find(delimiter, position)) >= 0:
        yield _part(text[position:at], position)
        position = at + len(delimiter)
    yield _part(text[position:], position)


def _enclosed(text: str, start: str, end: str) -> Iterator[dict[str, Any]]:
    position = 0
    while (opened := text.find(start, position)) >= 0:
        begin = opened + len(start)
        closed = text.find(end, begin)
        if closed < 0:
            return
        yield _part(text[begin:closed], begin)
        position = closed + len(end)


def _part(text: str, start: int) -> dict[str, Any]:
    return {"text": text, "start": start, "end": start + len(text)}


def _collected(found: Iterable[dict[str, Any]], limit: int) -> dict[str, Any]:
    """Return at most `limit` matches; raise `LimitExceeded` where their text is too long."""
    matches: list[dict[str, Any]] = []
    length = 0
    for match in islice(found, limit + 1):
        groups = [group for group in match.get("groups", ()) if group is not None]
        length += len(match["text"]) + sum(map(len, groups))
        if length > LONGEST_RESULT:
            raise LimitExceeded(
                f"the matches hold more than {LONGEST_RESULT:,} characters: use a smaller limit, "
                "fewer groups, or a pattern that matches less"
            )
        matches.append(match)
    shown = matches[:limit]
    return {"matches": shown, "count": len(shown), "truncated": len(matches) > limit}
