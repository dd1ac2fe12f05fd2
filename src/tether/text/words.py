"""Words: those that a search looks for, with the terms of each, and those that people count."""

from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import category, normalize

from tether.text.stems import Stems

LONGEST_WORD = 64
"""Characters of a single word that count; the rest is cut."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Ranges of the scripts that are written without spaces between words."""

_PLAIN = rf"(?:[A-Za-z0-9_]|(?![{UNSPACED}])[^\x00-\x7f])"
_WORD = re.compile(
    rf"(?<![A-Za-z0-9_])[A-Za-z](?:\+\+|#)(?![A-Za-z0-9_])"
    rf"|[{UNSPACED}]+"
    rf"|{_PLAIN}+(?:[-./:@\\]{{1,3}}{_PLAIN}+)*"
)
_ASCII_WORD = re.compile(
    r"(?<![A-Za-z0-9_])[A-Za-z](?:\+\+|#)(?![A-Za-z0-9_])"
    r"|[A-Za-z0-9_]+(?:[-./:@\\]{1,3}[A-Za-z0-9_]+)*"
)
_UNSPACED_START = re.compile(f"[{UNSPACED}]")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_COMPONENTS = re.compile(r"[./:@\\]+")
_PIECES = re.compile(r"[-_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_HYPHENS = re.compile("[-_]+")
_SIGNS = re.compile(r"[-_./:@\\]+")
_MOST_PIECES = 8
_LETTERS_WITH_MARKS = re.compile(
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u3099\u309a]"
)


class Words:
    """Cuts texts into words and words into terms, the same way for passages and questions.

    A word is a run of letters, marks and digits of any script, including the signs that join
    identifiers, paths, versions and hyphenated words. Such a compound is found whole (`maxSize`,
    `max_size` and `max-size` alike), by its dotted components and by its pieces. Scripts without
    spaces are cut into single characters and pairs; questions only into pairs. Letters are
    casefolded, stemmed in the given language, and stripped of accents last. Indexes hold these
    terms: a change here changes every index.
    """

    def __init__(self) -> None:
        self._characters = WordCharacters()
        self._stems = Stems()

    def words(self, text: str) -> list[str]:
        """Return the words of a text in order, as they are written."""
        if text.isascii():
            return _ASCII_WORD.findall(text)
        return _WORD.findall(normalize("NFKC", text).translate(self._characters))

    def terms(self, word: str, language: str) -> tuple[str, ...]:
        """Return the terms by which a word of a passage is found."""
        if _UNSPACED_START.match(word):
            characters = _characters(word)
            return (*characters, *map("".join, pairwise(characters)))
        return self._spelled(word, language)

    def question_terms(self, word: str, language: str) -> tuple[str, ...]:
        """Return the terms that a word of a question looks for, in one order for every language."""
        if _UNSPACED_START.match(word):
            characters = _characters(word)
            return tuple(map("".join, pairwise(characters))) or tuple(characters)
        return self._spelled(word, language)

    def pieces(self, word: str) -> list[str]:
        """Return the smallest parts of a word, folded and unstemmed: pairs in unspaced scripts."""
        if _UNSPACED_START.match(word):
            return list(self.question_terms(word, ""))
        parts = (_PIECES.split(component) for component in _COMPONENTS.split(word))
        return [self._term(piece, "") for part in parts for piece in part if piece]

    def _spelled(self, word: str, language: str) -> tuple[str, ...]:
        if word.isalpha() and (word.islower() or word[1:].islower()):
            return (self._term(word, language),)
        if word[-1] in "+#":
            return (word.casefold(), self._term(word[0], language))
        return self._compound(word, language)

    def _compound(self, word: str, language: str) -> tuple[str, ...]:
        components = [
            pieces
            for component in _COMPONENTS.split(word)
            if (pieces := [piece for piece in _PIECES.split(component) if piece])
        ]
        pieces = [piece for component in components for piece in component]
        terms = [self._term(piece, language) for piece in pieces]
        terms += [self._term(part, language) for part in _written_together(word)]
        wholes = [_joined(component) for component in components]
        if len(components) > 1:
            named = zip(wholes, components, strict=True)
            terms += [self._term(whole, language) for whole, parts in named if len(parts) > 1]
        if len(pieces) > 1 and len(_SIGNS.split(word)) <= _MOST_PIECES:
            terms.append(self._term(".".join(wholes), language))
        return tuple(terms)

    def _term(self, word: str, language: str) -> str:
        folded = word[:LONGEST_WORD].casefold()
        alphabetic = folded.isalpha() or not folded.isascii()
        stem = self._stems.stem(folded, language) if alphabetic else folded
        return without_accents(stem)


def _characters(run: str) -> list[str]:
    characters: list[str] = []
    for character in run:
        if characters and _LETTERS_WITH_MARKS.match(character):
            characters[-1] += character
        else:
            characters.append(character)
    return characters


def _written_together(word: str) -> list[str]:
    """Return the parts that only capitals divide: `ChildItem` of `Get-ChildItem`.

    They are parts of the same compound in small letters.
    """
    hyphened = [component for component in _COMPONENTS.split(word) if _HYPHENS.search(component)]
    parts = [part for component in hyphened for part in _HYPHENS.split(component)]
    return [part for part in parts if len(_PIECES.split(part)) > 1]


def _joined(pieces: list[str]) -> str:
    whole = pieces[0]
    for piece in pieces[1:]:
        digits = whole[-1].isdigit() and piece[0].isdigit()
        whole += f"-{piece}" if digits else piece
    return whole


_MARKS = re.compile("[\u0300-\u036f\u05b0-\u05c7\u0640\u064b-\u065f\u0670]+")
_VARIATIONS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_MOST_REMEMBERED = 1 << 16
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "\u0131": "i"})


def without_accents(word: str) -> str:
    """Return a casefolded word without accents and vowel points; other scripts' marks stay."""
    if word.isascii():
        return word
    bare = _MARKS.sub("", normalize("NFD", word))
    return normalize("NFC", bare).translate(_LETTERS) or word


class WordCharacters(dict[int, str]):
    """A table for `str.translate` that leaves only words in a text outside ASCII.

    Letters, marks and numbers stay as they are; format characters vanish (soft hyphens, joiners,
    byte order marks), and so do variation selectors; everything else becomes a space. ASCII stays,
    because its punctuation joins identifiers. Characters are added when first met, up to a limit.
    """

    def __missing__(self, code: int) -> str:
        kept = _kept(chr(code))
        if len(self) < _MOST_REMEMBERED:
            self[code] = kept
        return kept


def _kept(character: str) -> str:
    kind = category(character)
    if kind in ("Cf", "Me") or _VARIATIONS.match(character):
        return ""
    return character if character.isascii() or kind[0] in "LMN" else " "


_IDEOGRAPH = re.compile(
    "[\u2e80-\u2fdf\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
"""Han and kana, which are written without spaces."""

_JOINERS = "'\u2019.-\u2010\u2011_"
_LETTER_RUN = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile("[LN]+(?:J[LN]+|(?<=N),(?=N)[LN]+)*|I")


def words_in(text: str) -> list[str]:
    """Return the words of a text as people count them, in order.

    A word is a run of letters and digits with the marks on them. An apostrophe, a hyphen, a full
    stop or an underscore between two letters does not end it, nor does a comma between digits:
    "don't", "well-known", "3.14" and "1,000" are one word each. Each Han or kana character is one
    word; in other scripts without spaces, such as Thai, a run is one word.
    """
    shape = text.translate({ord(character): _shape(character) for character in set(text)})
    return [text[match.start() : match.end()] for match in _COUNTED.finditer(shape)]


def count_words(text: str) -> int:
    """Return how long a text is to read; two characters of a script without spaces are a word."""
    letters = 0 if text.isascii() else sum(map(len, _UNSPACED_RUN.findall(text)))
    return len(text.split()) + letters // 2


def count_letters(text: str) -> int:
    """Return the number of letters in a text, with the marks on them."""
    marks = 0 if text.isascii() else sum(map(extends_a_word, text))
    return sum(map(len, _LETTER_RUN.findall(text))) + marks


def is_word_character(character: str) -> bool:
    """Say whether a character is a letter, a digit, or a mark on one."""
    return character.isalnum() or extends_a_word(character)


def extends_a_word(character: str) -> bool:
    """Say whether a character belongs to the letter before it: a mark, a joiner, a soft hyphen."""
    return category(character).startswith("M") or character in "\u200c\u200d\u00ad"


def _shape(character: str) -> str:
    """Return the letter that stands for a character in the pattern of counted words."""
    if _IDEOGRAPH.match(character):
        return "I"
    if character.isdecimal():
        return "N"
    if is_word_character(character):
        return "L"
    if character in _JOINERS:
        return "J"
    return "," if character == "," else " "
