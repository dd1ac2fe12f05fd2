"""WordPiece: the tokens of BERT models, from a vocabulary with one token a line."""

from __future__ import annotations

import unicodedata
from itertools import islice
from string import punctuation
from typing import TYPE_CHECKING, NamedTuple

from tether.core.errors import Problem
from tether.retrieval.errors import InvalidRetrievalSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tether.core.errors import RunError

LONGEST_WORD = 100
"""In characters; a longer word is unknown as a whole, as in the training of the models."""

MOST_REMEMBERED = 1 << 16
"""The size of the cache of words; a full cache is cleared, which is cheap."""

CLASS, SEPARATOR, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"

MOST_CHARACTERS = 1 << 16
"""The size of the cache of characters; a text with more different ones is read more slowly."""

IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
"""Each of these is a separate word. The ranges are those of the training of the models."""

INVISIBLE = frozenset(("Cc", "Cf", "Co", "Cs"))


class Tokens(NamedTuple):
    """The input of a model: token numbers, and for each 0, or 1 in the second text of a pair."""

    ids: list[int]
    types: list[int]


class WordPieces:
    """Turns text into token numbers as uncased BERT models expect them.

    Words are cut into the longest known pieces from the left. A special token in a text, such as
    `[SEP]`, is read as ordinary characters, so that no document can pretend to be two. Several
    threads may share one object. Raises `InvalidRetrievalSettings` if the vocabulary lacks a
    special token.
    """

    __slots__ = ("_characters", "_class", "_remembered", "_separator", "_unknown", "_vocabulary")

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._vocabulary = {token: number for number, token in enumerate(vocabulary)}
        missing = [name for name in (CLASS, SEPARATOR, UNKNOWN) if name not in self._vocabulary]
        if missing:
            problem = Problem("vocabulary", f"has no {', '.join(missing)}: not a BERT vocabulary")
            raise InvalidRetrievalSettings([problem])
        self._class, self._separator, self._unknown = (
            self._vocabulary[name] for name in (CLASS, SEPARATOR, UNKNOWN)
        )
        self._characters = UncasedCharacters()
        self._remembered: dict[str, tuple[int, ...]] = {}

    def ids(self, text: str, most: int | None = None) -> list[int]:
        """Return the numbers of the tokens of a text, at most the first `most`."""
        return list(islice(self._stream(text), most))

    def single(self, text: str, *, most: int) -> Tokens:
        """Return `[CLS] text [SEP]`, at most `most` tokens; a long text is cut."""
        ids = [self._class, *self.ids(text, most - 2), self._separator]
        return Tokens(ids, [0] * len(ids))

    def pair(
        self, first: str, second: str, *, most: int, most_first: int, marks: int = 1
    ) -> Tokens:
        """Return `[CLS] first [SEP] second [SEP]`, at most `most` tokens.

        `first` is cut to `most_first` tokens; `second` gets the rest. Some models put two `marks`
        between them, of which the second one belongs to the second text.
        """
        head = [self._class, *self.ids(first, most_first), self._separator]
        more = [self._separator] * (marks - 1)
        tail = [*more, *self.ids(second, most - len(head) - marks), self._separator]
        return Tokens([*head, *tail], [0] * len(head) + [1] * len(tail))

    def _stream(self, text: str) -> Iterator[int]:
        for word in text.translate(self._characters).split():
            yield from self._remembered.get(word) or self._looked_up(word)

    def _looked_up(self, word: str) -> tuple[int, ...]:
        pieces = tuple(self._pieces(word))
        if len(word) > LONGEST_WORD:
            return pieces
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[word] = pieces
        return pieces

    def _pieces(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            number, start = self._longest(word, start)
            if number < 0:
                return [self._unknown]
            found.append(number)
        return found

    def _longest(self, word: str, start: int) -> tuple[int, int]:
        """Return the number of the longest token at a position and its end, or -1."""
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            number = self._vocabulary.get(prefix + word[start:end], -1)
            if number >= 0:
                return number, end
        return -1, start


class UncasedCharacters(dict[int, str]):
    """A table for `str.translate` by the rules of uncased BERT models.

    Letters become lower case without accents, control characters vanish, every white space becomes
    a space, and punctuation and ideographs get spaces around them: splitting the translated text
    gives the words.
    """

    __slots__ = ()

    def __missing__(self, code: int) -> str:
        plain = _plain(chr(code))
        if len(self) < MOST_CHARACTERS:
            self[code] = plain
        return plain


def _plain(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in INVISIBLE:
        return ""
    if character.isspace():
        return " "
    letters = "".join(map(_letter, unicodedata.normalize("NFD", character)))
    return f" {letters} " if _is_ideograph(ord(character)) else letters


def _letter(part: str) -> str:
    category = unicodedata.category(part)
    if category == "Mn":
        return ""
    return f" {part} " if category.startswith("P") or part in punctuation else part.lower()


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in IDEOGRAPHS)


def read_vocabulary(path: Path, failure: type[RunError]) -> list[str]:
    """Return the tokens of a `vocab.txt`, one a line; raises `failure` if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        message = f"the vocabulary {path} cannot be read: {type(error).__name__}"
        raise failure(message, retryable=False) from error
