"""What holds for every document."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tether.retrieval.chunk import Chunk
from tether.retrieval.chunking.chunker import Chunker, ChunkSettings
from tether.retrieval.document import Block, BlockKind, Document, Piece

pytestmark = pytest.mark.unmeasured

LETTERS = st.sampled_from("abc  .\n漢字é\u0301👨\u200d👩🇩🇪ไทย한ᄒ")
TEXTS = st.text(LETTERS, max_size=20) | st.text(LETTERS, max_size=3).map(lambda text: text * 60)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text, blocks = "", list[Block]()
    for _ in range(draw(st.integers(0, 5))):
        text += draw(TEXTS)
        start = len(text)
        kind = draw(st.sampled_from(get_args(BlockKind)))
        pieces: list[Piece] = []
        for raw in draw(st.lists(TEXTS, min_size=1, max_size=4)):
            text += draw(st.sampled_from(["", " ", "## ", "| "]))
            plain = draw(st.sampled_from([raw, raw.strip(), raw[: len(raw) // 5], ""]))
            pieces.append(Piece(start=len(text), end=len(text) + len(raw), plain=plain))
            text += raw
        level = draw(st.integers(1, 5)) if kind == "heading" else 0
        header = text[start : pieces[0].end] if kind == "table" else ""
        blocks.append(
            Block(
                kind=kind,
                start=start,
                end=len(text),
                pieces=tuple(pieces),
                level=level,
                anchor="a" if level else "",
                header=header,
            )
        )
    return Document(
        key="k.md", title="abc", text=text, blocks=tuple(blocks), kind="text", language="th"
    )


SETTINGS = st.builds(
    ChunkSettings,
    unit=st.sampled_from(["tokens", "characters"]),
    size=st.integers(32, 120),
    overlap=st.integers(0, 16),
    deepest_heading=st.integers(0, 4),
    merge_below=st.sampled_from([0, 20]),
)


@given(documents(), SETTINGS)
@settings(max_examples=60)
def test_every_chunk_keeps_the_promises(document: Document, chosen: ChunkSettings) -> None:
    chunks = Chunker(chosen).chunks(document)
    estimate = chosen.estimator
    for number, chunk in enumerate(chunks, 1):
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.tokens == estimate(chunk.text) <= chosen.largest
        assert chunk.tokens + estimate(chunk.header) <= chosen.largest + 1
        assert (chunk.id, chunk.number) == (f"k-{number}", number)
        assert chunk.plain.strip()
        assert (chunk.language, chunk.heading_path[0]) == ("th", "abc")
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)
    assert chunks == Chunker(chosen).chunks(document)


@given(documents(), SETTINGS)
@settings(max_examples=60)
def test_every_piece_that_can_be_read_is_in_a_chunk(
    document: Document, chosen: ChunkSettings
) -> None:
    """Its text, but for what is nearly all markup; and its words, all of them."""
    chunks = Chunker(chosen).chunks(document)
    read = "".join("".join(chunk.plain.split()) for chunk in chunks)
    for block in document.blocks:
        for piece in block.pieces:
            if piece.plain.strip():
                assert is_seen(piece, chunks)
                assert set(piece.plain) - set(" \n") <= set(read)


def is_seen(piece: Piece, chunks: tuple[Chunk, ...]) -> bool:
    spans = [range(chunk.start, chunk.end) for chunk in chunks]
    overlapping = [s for s in spans if s.start < piece.end and piece.start < s.stop]
    return bool(overlapping) or piece.start == piece.end


@given(documents())
@settings(max_examples=30)
def test_without_headings_and_overlap_chunks_are_disjoint(document: Document) -> None:
    chosen = ChunkSettings(unit="characters", size=50, overlap=0)
    spans: list[Any] = [(chunk.start, chunk.end) for chunk in Chunker(chosen).chunks(document)]
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
