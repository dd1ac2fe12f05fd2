"""Records of hostile text come back equal from their JSON, through a database."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, timedelta, timezone
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.stores import context
from tether import Identity, Message, Retrievable, Thought, ToolCall
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.ids import new_id

pytestmark = pytest.mark.unmeasured

# All characters, lone surrogates and NUL too: the constructors clean what they take.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=20) | st.sampled_from(
    ["'; DROP TABLE messages;--", "\\u0000", '"}', "\ud800", "\U0010ffff", "a\0b", "\u2028", "?%s"]
)
FULL_TEXTS = TEXTS.filter(lambda text: text.replace("\0", "") != "")
_UNSEEN: tuple[Literal["C"], Literal["Z"]] = ("C", "Z")
NAMES = st.text(st.characters(exclude_categories=_UNSEEN), min_size=1, max_size=12)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=-7, minutes=-30))])
TIMES = st.datetimes(timezones=ZONES)
# JSON cannot tell two surrogates from the character they mean, so no text here holds one.
CLEAN_TEXTS = st.text(max_size=10)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | CLEAN_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(CLEAN_TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(CLEAN_TEXTS, JSON, max_size=3)
DATED = {"id": NAMES, "created_at": TIMES, "updated_at": TIMES}
IDENTITIES = st.builds(Identity, identifier=NAMES | st.integers(), representation=FULL_TEXTS)
MESSAGES = st.builds(
    Message,
    **DATED,
    role=st.sampled_from(["user", "assistant"]),
    content=FULL_TEXTS,
    identity=IDENTITIES,
)
THOUGHTS = st.builds(
    Thought,
    **DATED,
    content=FULL_TEXTS,
    identity=IDENTITIES,
    payload=JSON.filter(lambda value: value is not None),
    replay_compatibility=st.just("wire"),
)
TIERS = st.sampled_from(["first-party", "third-party-private", "third-party-public"])
RETRIEVABLES = st.builds(
    Retrievable,
    **DATED,
    content=FULL_TEXTS,
    trust_tier=TIERS,
    source=NAMES | st.none(),
    score=st.floats(0, 1) | st.none(),
    inline=st.booleans(),
)
TOOL_CALLS = st.builds(
    ToolCall,
    **DATED,
    tool=st.just("look_up"),
    args=OBJECTS,
    results=TEXTS,
    is_error=st.booleans(),
    from_artifact_tool=st.booleans(),
    completed_at=TIMES,
)


FEW = settings(max_examples=200 if os.environ.get("EXPLORE") == "deep" else 15)


class Home:
    """A store in memory, and the loop it lives in."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.store = self.runner.run(SqliteStore.open())
        self.context = self.runner.run(context())

    def through(self, kind: str, records: Sequence[Any]) -> list[Any]:
        """Store records, each in its own conversation, and return them as fetched."""
        return self.runner.run(self._through(kind, records))

    async def _through(self, kind: str, records: Sequence[Any]) -> list[Any]:
        held: list[Any] = []
        for record in records:
            self.context.stash.set("tether.conversation", new_id())
            await getattr(self.store, f"store_{kind}")(self.context, record)
            held += await getattr(self.store, f"fetch_{kind}s")(self.context)
        return held


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    made = Home()
    yield made
    made.runner.run(made.store.aclose())
    made.runner.close()


@FEW
@given(st.lists(MESSAGES, min_size=1, max_size=3))
def test_messages(home: Home, records: list[Message]) -> None:
    assert home.through("message", records) == records


@FEW
@given(st.lists(THOUGHTS, min_size=1, max_size=3))
def test_thoughts(home: Home, records: list[Thought]) -> None:
    assert home.through("thought", records) == records


@FEW
@given(st.lists(RETRIEVABLES, min_size=1, max_size=3))
def test_retrievables(home: Home, records: list[Retrievable]) -> None:
    assert home.through("retrievable", records) == records


@FEW
@given(st.lists(TOOL_CALLS, min_size=1, max_size=3))
@example([ToolCall(id="x", tool="t", args={"a": "\0", "b": [1e308]}, results="r", created_at=0)])
def test_tool_calls(home: Home, records: list[ToolCall]) -> None:
    held = home.through("tool_call", records)
    assert held == records
    assert [call.checksum for call in held] == [call.checksum for call in records]
