"""Events that a confused endpoint might send: the right words in the wrong places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tether.batteries.models.errors import ModelStreamError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.batteries.models.wire.port import ReplyReader


def objects_of(words: Sequence[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects whose keys and values are mostly the wire's own words."""
    word = st.sampled_from(list(words))
    leaf = st.one_of(word, st.none(), st.booleans(), st.integers(-1, 3), st.text(max_size=3))
    value = st.recursive(
        leaf,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(word, inner, max_size=4),
        max_leaves=8,
    )
    return st.dictionaries(word, value, max_size=6)


def survives(reader: ReplyReader, events: Sequence[dict[str, Any]]) -> None:
    """Feed everything; whatever a reader raises must be what it may raise."""
    for event in events:
        try:
            for delta in reader.feed(None, json.dumps(event)):
                assert isinstance(delta.text, str)
        except ValueError:
            continue
        except ModelStreamError:
            return
    try:
        reply = reader.reply()
    except ModelStreamError:
        return
    assert isinstance(reply.text, str)
    assert all(isinstance(call.arguments, str) for call in reply.tool_requests)
    assert all(part.text or part.payload for part in reply.reasoning)
