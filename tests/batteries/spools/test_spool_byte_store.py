"""A spool store behind a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.turns import TURN
from tether import (
    CallNext,
    Media,
    NoopStorage,
    SpooledArtifact,
    TurnContext,
    TurnRunner,
)
from tether.batteries.storage.spools import (
    DiskSpools,
    MemorySpools,
    SpoolByteStore,
    SpoolStore,
    spool_id,
)
from tether.batteries.testing import Say, ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

PIXELS = bytes(range(256))
ids = st.text(st.sampled_from("a/%é\ud800"), max_size=4)


async def turn(store: SpoolStore) -> tuple[str, SpooledArtifact, Media]:
    """Keep an artifact and a picture under the same id, and return them with the turn's id."""
    kept: list[tuple[str, SpooledArtifact, Media]] = []

    async def keep(ctx: TurnContext, call_next: CallNext) -> None:
        text = await ctx.store_artifact_bytes("call_1", f"{ctx.turn_id}\n".encode())
        pixels = await ctx.store_media_bytes("call_1", PIXELS)
        picture = Media.tool_generated(
            kind="image", mime_type="image/png", filename="a.png", reader=pixels
        )
        kept.append((ctx.turn_id, SpooledArtifact(text), picture))
        await call_next()

    runner = TurnRunner(
        storage=NoopStorage(),
        byte_store=SpoolByteStore(store),
        executor=ScriptedModel([[Say("Done.")]]),
        turn_input_pipeline=[keep],
    )
    await runner.run(TURN)
    return kept[0]


@pytest.mark.parametrize("kind", ["memory", "disk"])
async def test_ids_that_repeat_in_another_turn_or_kind_are_told_apart(
    kind: str, tmp_path: Path
) -> None:
    store = MemorySpools() if kind == "memory" else DiskSpools(tmp_path / "spools")
    turns = [await turn(store), await turn(store)]
    assert await store.size() == 4
    for turn_id, artifact, picture in turns:
        assert await artifact.head(1) == [turn_id]
        assert await picture.as_bytes() == PIXELS
        again = await store.read(spool_id(turn_id, "artifact", "call_1"))
        assert again is not None
        assert await again.text() == f"{turn_id}\n"


@given(ids, ids, ids, ids)
def test_two_ids_are_the_same_only_where_all_parts_are(
    turn: str, id: str, other_turn: str, other_id: str
) -> None:
    same = (turn, id) == (other_turn, other_id)
    assert (spool_id(turn, "media", id) == spool_id(other_turn, "media", other_id)) is same
    assert spool_id(turn, "media", id) != spool_id(other_turn, "artifact", other_id)
