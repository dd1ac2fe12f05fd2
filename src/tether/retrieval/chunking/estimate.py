"""What a text costs, in a time that no text can stretch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.core.tokens import count_tokens

if TYPE_CHECKING:
    from tether.retrieval.chunking.settings import ChunkSettings
    from tether.retrieval.ports import Estimator

_RUN = re.compile(r"\w{65,}|[^\w\s]{65,}|\s{65,}")
_LONGEST_ASCII = 256


def estimator_of(settings: ChunkSettings) -> Estimator:
    """Return what measures a text in the unit of the settings."""
    return len if settings.unit == "characters" else token_estimator(settings.encoding)


def token_estimator(encoding: str) -> Estimator:
    """Return a counter of tokens for foreign text: exact for what people write.

    Letters, signs or spaces that are more than 256 in a row, or 64 where not all are ASCII, count
    one token for each byte, which no vocabulary exceeds. Merging the bytes of a word to tokens
    is what takes the time: so a megabyte without a space takes no more of it than one of prose.
    """

    def estimate(text: str) -> int:
        if not _may_have_runs(text):
            return int(count_tokens(text, encoding))
        runs: list[str] = []

        def take(found: re.Match[str]) -> str:
            if len(found[0]) <= _LONGEST_ASCII and found[0].isascii():
                return found[0]
            runs.append(found[0])
            return " "

        readable = count_tokens(_RUN.sub(take, text), encoding)
        return readable + sum(count_tokens(run, "bytes") for run in runs)

    return estimate


def _may_have_runs(text: str) -> bool:
    """Take a quick look, because every text is asked."""
    longest = _LONGEST_ASCII if text.isascii() else 64
    if len(text) <= longest:
        return False
    words = text.split()
    spaces = len(text) - sum(map(len, words)) - len(words)
    return spaces >= longest or max(map(len, words), default=0) > longest
