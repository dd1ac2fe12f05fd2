"""Case styles of names and titles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.batteries.languages.texts.encodings import normal_form
from tether.text.sentences import sentences_of
from tether.text.words import extends_a_word, is_word_character

if TYPE_CHECKING:
    from collections.abc import Callable

_WORD = re.compile(
    "(?<![ULsD])[UD]+(?![ULsD])"  # all of "SHA256SUM"
    "|U{2,}s(?![LsD])"  # the "IDs" of "userIDs"
    "|U+(?=U[Ls])"  # the "HTTP" of "HTTPServer"
    "|U+[LsD]*|[LsD]+"  # "Server", "UTF8" or "text"
)

_APOSTROPHES = re.compile("['\u2019]")
_NAME = re.compile(r"[\w-]*")
_SPACED_WORD = re.compile(r"\S+")
_MARKED_LETTER = re.compile("([a-z])[\u0300-\u036f]+")
_WITHOUT_ACCENT = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h"}
)
"""Latin letters whose stroke or ligature Unicode does not decompose."""


def split_words(text: str) -> list[str]:
    """Return the words of a name, split at capitals and at all but letters and digits.

    A run of capitals is one word up to the last before a small letter: "HTTPServer" is "HTTP" and
    "Server". A digit belongs to the word before it, in a text without small letters a capital does
    not start a word, and apostrophes are dropped.
    """
    text = _APOSTROPHES.sub("", normal_form("NFC", text))
    shape = text.translate({ord(character): _kind(character) for character in set(text)})
    return [text[match.start() : match.end()] for match in _WORD.finditer(shape)]


def camel_case(text: str) -> str:
    """Return "likeThis"."""
    words = split_words(text)
    return "".join([*map(str.lower, words[:1]), *map(_capitalized, words[1:])])


def pascal_case(text: str) -> str:
    """Return "LikeThis"."""
    return "".join(map(_capitalized, split_words(text)))


def snake_case(text: str) -> str:
    """Return "like_this"."""
    return "_".join(map(str.lower, split_words(text)))


def kebab_case(text: str) -> str:
    """Return "like-this"."""
    return "-".join(map(str.lower, split_words(text)))


def constant_case(text: str) -> str:
    """Return "LIKE_THIS"."""
    return "_".join(map(str.upper, split_words(text)))


def title_case(text: str) -> str:
    """Return "Like This": the first letter of each word is capitalized, the rest stays."""
    return _SPACED_WORD.sub(lambda word: _raised(word[0]), _prose(text))


def sentence_case(text: str) -> str:
    """Return "Like this. And this.": capitals stay only at the start, in acronyms and in "I"."""
    lowered = _SPACED_WORD.sub(lambda word: _lowered(word[0]), _prose(text))
    return "".join(map(_raised, sentences_of(lowered, start_small=True)))


def slug(text: str) -> str:
    """Return "like-this" for an address: folded to small letters, Latin ones without accents.

    Letters of other scripts are kept, because a transliteration would be a guess.
    """
    folded = normal_form("NFKD", text).casefold().translate(_WITHOUT_ACCENT)
    return kebab_case(_MARKED_LETTER.sub(r"\1", folded))


def collapse_whitespace(text: str) -> str:
    """Return the text in one line, with single spaces between its words."""
    return " ".join(text.split())


STYLES: dict[str, Callable[[str], str]] = {
    "camel_case": camel_case,
    "pascal_case": pascal_case,
    "snake_case": snake_case,
    "kebab_case": kebab_case,
    "constant_case": constant_case,
    "title_case": title_case,
    "sentence_case": sentence_case,
    "upper": str.upper,
    "lower": str.lower,
    "slug": slug,
    "trim": str.strip,
    "collapse_whitespace": collapse_whitespace,
}


def _kind(character: str) -> str:
    """Return the letter that stands for a kind of character in `_WORD`."""
    if character.isupper() or character.istitle():
        return "U"
    if character.isdecimal():
        return "D"
    if character == "s":
        return "s"
    return "L" if is_word_character(character) else " "


def _prose(text: str) -> str:
    """Return text with spaces between its words, in small letters if it is all capitals.

    A name such as "userId" or "user_id" is split; any other text is kept as it is.
    """
    if _NAME.fullmatch(text):
        text = " ".join(split_words(text))
    return text.lower() if text.isupper() else text


def _capitalized(word: str) -> str:
    return word[:1].title() + word[1:].lower()


def _raised(text: str) -> str:
    """Capitalize the first letter, unless a digit comes before it."""
    for position, character in enumerate(text):
        if is_word_character(character) and not extends_a_word(character):
            return text[:position] + character.title() + text[position + 1 :]
    return text


def _lowered(word: str) -> str:
    """Lower a word, unless it is an acronym, the plural of one, or the English "I"."""
    letters = "".join(filter(str.isalpha, word))
    acronym = letters.removesuffix("s")
    is_kept = letters == "I" or (len(acronym) > 1 and acronym.isupper())
    return word if is_kept else word.lower()
