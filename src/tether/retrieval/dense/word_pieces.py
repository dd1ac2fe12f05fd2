"""WordPiece: the tokens of BERT models, from a vocabulary with one token a line."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tether.core.errors import InvalidRetrievalSettings, Problem
from tether.retrieval.dense.characters import UncasedCharacters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_WORD = 100
"""Characters; a longer word is unknown as a whole, as it was when the models were trained."""

MOST_REMEMBERED = 1 << 16
"""Words whose tokens are kept. When there are more, they are all forgotten: that is cheap."""

CLASS, SEPARATOR, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


class Tokens(NamedTuple):
    """What a model reads: token numbers, and for each 0, or 1 in the second text of a pair."""

    ids: list[int]
    types: list[int]


class WordPieces:
    """Turns text into token numbers as uncased BERT models expect them.

    Words are cut into the longest known pieces from the left. A special token that stands in a
    text, such as `[SEP]`, is read as ordinary characters: no document can pretend to be two. Equal
    texts give equal tokens; several threads may share one object. Raises
    `InvalidRetrievalSettings` where the vocabulary lacks a special token.
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
        """Return the numbers of the text's tokens, the first `most` of them where that is given."""
        return list(islice(self._stream(text), most))

    def single(self, text: str, *, most: int) -> Tokens:
        """Return `[CLS] text [SEP]`, at most `most` tokens: the end of a long text is left out."""
        ids = [self._class, *self.ids(text, most - 2), self._separator]
        return Tokens(ids, [0] * len(ids))

    def pair(self, first: str, second: str, *, most: int, most_first: int) -> Tokens:
        """Return `[CLS] first [SEP] second [SEP]`, at most `most` tokens.

        `first` is cut to `most_first` tokens, and the rest of the room is for `second`.
        """
        head = [self._class, *self.ids(first, most_first), self._separator]
        tail = [*self.ids(second, most - len(head) - 1), self._separator]
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
        """Return the number of the longest token at that place and where it ends, or -1."""
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            number = self._vocabulary.get(prefix + word[start:end], -1)
            if number >= 0:
                return number, end
        return -1, start
