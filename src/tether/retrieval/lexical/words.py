"""Words of a text, and the terms that a word is found by."""

from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import normalize

from tether.retrieval.lexical.folding import WordCharacters, without_accents
from tether.retrieval.lexical.stemming import Stems

LONGEST_WORD = 64
"""Characters of a single word that count; what follows is cut."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_PLAIN = rf"(?:[A-Za-z0-9_]|(?![{_UNSPACED}])[^\x00-\x7f])"
_WORD = re.compile(
    rf"(?<![A-Za-z0-9_])[A-Za-z](?:\+\+|#)(?![A-Za-z0-9_])"
    rf"|[{_UNSPACED}]+"
    rf"|{_PLAIN}+(?:[-./:@\\]{{1,3}}{_PLAIN}+)*"
)
_ASCII_WORD = re.compile(
    r"(?<![A-Za-z0-9_])[A-Za-z](?:\+\+|#)(?![A-Za-z0-9_])"
    r"|[A-Za-z0-9_]+(?:[-./:@\\]{1,3}[A-Za-z0-9_]+)*"
)
_UNSPACED_START = re.compile(f"[{_UNSPACED}]")
_COMPONENTS = re.compile(r"[./:@\\]+")
_PIECES = re.compile(r"[-_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_MOST_PIECES = 8
_LETTERS_WITH_MARKS = re.compile(
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u3099\u309a]"
)


class Words:
    """Cuts texts into words and words into terms, the same way for passages and questions.

    A word is a run of letters, marks and digits of any script, with the joints of identifiers,
    paths, versions and hyphenated words inside it. Such a compound is found whole (`maxSize`,
    `max_size` and `max-size` alike), by its dotted components and by its pieces. Scripts without
    spaces are cut into single characters and pairs; questions only into pairs. Letters are
    casefolded, stemmed in the language given, and stripped of accents last.
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
        """Return what a word of a passage is found by."""
        if _UNSPACED_START.match(word):
            characters = _characters(word)
            return (*characters, *map("".join, pairwise(characters)))
        return self._spelled(word, language)

    def question_terms(self, word: str, language: str) -> tuple[str, ...]:
        """Return what a word of a question looks for, in the same order for every language."""
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
        wholes = [_joined(component) for component in components]
        if len(components) > 1:
            named = zip(wholes, components, strict=True)
            terms += [self._term(whole, language) for whole, parts in named if len(parts) > 1]
        if 1 < len(pieces) <= _MOST_PIECES:
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


def _joined(pieces: list[str]) -> str:
    whole = pieces[0]
    for piece in pieces[1:]:
        digits = whole[-1].isdigit() and piece[0].isdigit()
        whole += f"-{piece}" if digits else piece
    return whole
