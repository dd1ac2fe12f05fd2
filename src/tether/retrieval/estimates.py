"""Estimates of the tokens of a text, in a time that no text can extend."""

from __future__ import annotations

import re
from typing import Any

from tether.core.errors import Problem
from tether.core.tokens import count_tokens
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.ports import Estimator

_RUN = re.compile(r"\w{65,}|[^\w\s]{65,}|\s{65,}")
_LONGEST_ASCII = 256


def prudent_estimate(text: str) -> int:
    """Return the larger of two counts: exact tokens of cl100k_base, and a token per 3.5 bytes.

    Characters divided by four are too few for code and for most scripts but Latin: a Chinese
    character costs about one token, an emoji up to four. The exact count follows the script; the
    count of bytes stands for models whose vocabulary is not public. For a certain model, use its
    own estimator.
    """
    return max(token_estimator("cl100k_base")(text), count_tokens(text, "claude"))


def counting(estimator: Estimator) -> Estimator:
    """Return the estimator, which raises `InvalidRetrievalSettings` if its result is not a count.

    A negative number would create room out of nothing, and a NaN would admit everything.
    """

    def count(text: str) -> int:
        found: Any = estimator(text)
        if not isinstance(found, int) or isinstance(found, bool) or found < 0:
            wanted = f"must return a whole number of at least 0, not {found!r}"
            raise InvalidRetrievalSettings([Problem("estimator", wanted)])
        return found

    return count


def token_estimator(encoding: str) -> Estimator:
    """Return a counter of tokens for foreign text, exact for ordinary text.

    A run of more than 256 letters, signs or spaces (64 if not all are ASCII) counts one token for
    each byte, which no vocabulary exceeds. Merging the bytes of a long word takes most of the time:
    so a megabyte without a space takes no longer than one of prose.
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
    """Return quickly whether a text may have long runs; most have none."""
    longest = _LONGEST_ASCII if text.isascii() else 64
    if len(text) <= longest:
        return False
    words = text.split()
    spaces = len(text) - sum(map(len, words)) - len(words)
    return spaces >= longest or max(map(len, words), default=0) > longest
