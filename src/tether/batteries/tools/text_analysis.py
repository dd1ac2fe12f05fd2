"""Text analysis: counts of words, sentences and lines, and the lines themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field

from tether.batteries.tools.ready_made import Text, ready_made
from tether.text.sentences import sentences_of
from tether.text.words import words_in

READING_RATE = 238
SPEAKING_RATE = 183
"""Words a minute, silent and aloud: the means over 190 and 77 studies in Brysbaert (2019)."""

LimitedText = Annotated[str, Field(max_length=200_000)]
Rate = Annotated[int, Field(ge=1, le=10_000)]


@ready_made(example={"text": "Dr. Who arrived. It was 5 p.m. already!"})
def text_analyze(
    text: LimitedText, reading_rate: Rate = READING_RATE, speaking_rate: Rate = SPEAKING_RATE
) -> dict[str, Any]:
    """Count the characters, words, sentences, paragraphs and lines of a text, and estimate times.

    Words are runs of letters and digits; hyphens and apostrophes inside do not end them, and each
    Chinese or Japanese character is a word. Sentences end at . ! ? before a space, but not after
    abbreviations such as Dr., initials, or before a small letter; an empty line ends one too.
    Paragraphs are separated by empty lines. Characters are Unicode code points. Times are in
    seconds at the stated rates.

    Args:
        text: The text to analyse, at most 200,000 characters.
        reading_rate: Words a minute for the reading time.
        speaking_rate: Words a minute for the speaking time.
    """
    words = words_in(text)
    letters = sum(map(len, words))
    lines = lines_of(text)
    return {
        "characters": len(text),
        "characters_without_spaces": sum(map(len, text.split())),
        "words": len(words),
        "unique_words": len(set(map(str.casefold, words))),
        "average_word_length": round(letters / len(words), 2) if words else 0,
        "sentences": sum(any(map(str.isalnum, sentence)) for sentence in sentences_of(text)),
        "paragraphs": _paragraphs(lines),
        "lines": len(lines),
        "reading_seconds": round(len(words) * 60 / reading_rate),
        "speaking_seconds": round(len(words) * 60 / speaking_rate),
    }


@ready_made(example={"text": "pear\napple\n\npear\n", "drop_blank": True, "deduplicate": True})
def text_lines(
    text: Text,
    *,
    trim: bool = False,
    drop_blank: bool = False,
    deduplicate: bool = False,
    sort: Literal["ascending", "descending"] | None = None,
    number: bool = False,
    limit: Annotated[int, Field(ge=1, le=100_000)] = 1_000,
) -> dict[str, Any]:
    """Split a text into lines and, as asked, trim, filter, deduplicate, sort or number them.

    The steps happen in the order of the arguments. Lines end at LF, CRLF or CR. Returns the lines,
    how many the text has, and how many each step left out.

    Args:
        text: The text to split.
        trim: Remove spaces around each line.
        drop_blank: Leave out lines of nothing but spaces.
        deduplicate: Keep only the first of equal lines.
        sort: Sort by code points; without it the order stays.
        number: Return each line as an object with its number in the text, counted from 1.
        limit: The most lines to return.
    """
    all_lines = lines_of(text)
    numbered = list(enumerate(map(str.strip, all_lines) if trim else all_lines, start=1))
    filled = [line for line in numbered if line[1].strip()] if drop_blank else numbered
    unique = _first_of_each(filled) if deduplicate else filled
    if sort is not None:
        unique = sorted(unique, key=lambda line: line[1], reverse=sort == "descending")
    shown = unique[:limit]
    return {
        "lines": [{"number": place, "text": line} if number else line for place, line in shown],
        "lines_in_text": len(numbered),
        "blank_lines_dropped": len(numbered) - len(filled),
        "duplicates_dropped": len(filled) - len(unique),
        "not_shown": len(unique) - len(shown),
    }


def _paragraphs(lines: Iterable[str]) -> int:
    """Count the groups of lines between blank ones."""
    count, inside = 0, False
    for line in lines:
        filled = bool(line.strip())
        count += filled and not inside
        inside = filled
    return count


def _first_of_each(lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    firsts: dict[str, tuple[int, str]] = {}
    for line in lines:
        firsts.setdefault(line[1], line)
    return list(firsts.values())


_LINE_END = re.compile("\r\n|\n|\r")


def lines_of(text: str) -> list[str]:
    """Split text into lines; a line end at the end of the text does not start another line.

    Only LF, CRLF and CR end a line. `str.splitlines` also splits at U+2028, form feeds and others,
    which other programs treat as part of a line.
    """
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    return lines
