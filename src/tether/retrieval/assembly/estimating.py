"""What a prompt's text costs by a model that is not known yet."""

from __future__ import annotations

from tether.core.tokens import count_tokens
from tether.retrieval.chunking.estimate import token_estimator


def prudent_estimate(text: str) -> int:
    """Return the larger of two counts: exact tokens of cl100k_base, and a token per 3.5 bytes.

    Characters divided by four are too few for code and for nearly every script but Latin: a
    Chinese character costs about one token, an emoji up to four. The exact count follows the
    script, and the count of bytes is what is known of models whose vocabulary is not public. For
    a certain model, give its own estimator.
    """
    return max(token_estimator("cl100k_base")(text), count_tokens(text, "claude"))
