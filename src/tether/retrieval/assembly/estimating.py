"""What a prompt's text costs by a model that is not known yet."""

from __future__ import annotations

from typing import Any

from tether.core.errors import InvalidRetrievalSettings, Problem
from tether.core.tokens import count_tokens
from tether.retrieval.chunking.estimate import token_estimator
from tether.retrieval.ports import Estimator


def prudent_estimate(text: str) -> int:
    """Return the larger of two counts: exact tokens of cl100k_base, and a token per 3.5 bytes.

    Characters divided by four are too few for code and for nearly every script but Latin: a
    Chinese character costs about one token, an emoji up to four. The exact count follows the
    script, and the count of bytes is what is known of models whose vocabulary is not public. For
    a certain model, give its own estimator.
    """
    return max(token_estimator("cl100k_base")(text), count_tokens(text, "claude"))


def counting(estimator: Estimator) -> Estimator:
    """Return the estimator, which now raises `InvalidRetrievalSettings` for what is no count.

    A negative number would make room out of nothing, and a NaN would admit everything.
    """

    def count(text: str) -> int:
        found: Any = estimator(text)
        if not isinstance(found, int) or isinstance(found, bool) or found < 0:
            wanted = f"must return a whole number of at least 0, not {found!r}"
            raise InvalidRetrievalSettings([Problem("estimator", wanted)])
        return found

    return count
