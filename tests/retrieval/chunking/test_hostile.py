"""Documents that nobody would write: they are cut right, in a time that grows with their size."""

from __future__ import annotations

import pytest

from support.growth import assert_grows_linearly
from tether.retrieval.chunking.chunker import Chunker, ChunkSettings
from tether.retrieval.chunking.cuts import is_boundary
from tether.retrieval.document import Block, BlockKind, Document, Piece

pytestmark = pytest.mark.unmeasured

UNITS = {
    "no spaces": "a",
    "marks": "\u0301",
    "families": "👨‍👩‍👧‍👦",
    "ideographs": "漢字",
    "spaces": " ",
    "words": "word ",
    "base64": "QUJDREVGR0hJSktMTU5P+/",
}


def of_one_piece(text: str) -> Document:
    piece = Piece(start=0, end=len(text), plain=text)
    block = Block(kind="paragraph", start=0, end=len(text), pieces=(piece,))
    return Document(key="x.md", title="X", text=text, blocks=(block,), kind="text")


def of_lines(text: str, kind: BlockKind) -> Document:
    pieces: list[Piece] = []
    start = 0
    for line in text.splitlines():
        pieces.append(Piece(start=start, end=start + len(line), plain=line))
        start += len(line) + 1
    block = Block(kind=kind, start=0, end=len(text), pieces=tuple(pieces), header="| a |")
    return Document(key="x.md", title="X", text=text, blocks=(block,), kind="text")


@pytest.mark.parametrize("name", UNITS)
def test_the_time_grows_with_the_length_of_one_giant_piece(name: str) -> None:
    chunker = Chunker()
    assert_grows_linearly(
        lambda text: chunker.chunks(of_one_piece("x" + text)), UNITS[name], 25_000
    )


@pytest.mark.parametrize("name", UNITS)
def test_a_giant_piece_is_covered_and_no_character_torn(name: str) -> None:
    text = "x" + UNITS[name] * (60_000 // len(UNITS[name])) + "y"
    chunks = Chunker().chunks(of_one_piece(text))
    assert chunks[-1].end == len(text)
    ends = [0, *(chunk.end for chunk in chunks)]
    gaps = [text[end : chunk.start] for chunk, end in zip(chunks, ends, strict=False)]
    assert not any(gap.strip() for gap in gaps)
    assert all(chunk.tokens <= 400 for chunk in chunks)
    if name != "marks":  # nobody writes sixty thousand of them on one letter
        assert all(is_boundary(text, chunk.end) for chunk in chunks[:-1])


@pytest.mark.parametrize("kind", ["list", "table", "code"])
def test_the_time_grows_with_the_number_of_pieces(kind: BlockKind) -> None:
    chunker = Chunker(ChunkSettings(unit="characters"))
    assert_grows_linearly(
        lambda text: chunker.chunks(of_lines(text, kind)), "| row of a table |\n", 40_000
    )


def test_the_time_grows_with_the_number_of_headings() -> None:
    def work(text: str) -> object:
        pieces = [Piece(start=at, end=at + 9, plain="A heading") for at in range(0, len(text), 10)]
        blocks = tuple(
            Block(kind="heading", start=p.start, end=p.end, pieces=(p,), level=1 + at % 6)
            for at, p in enumerate(pieces)
        )
        document = Document(key="x.md", title="X", text=text, blocks=blocks, kind="text")
        return Chunker(ChunkSettings(unit="characters", merge_below=50)).chunks(document)

    assert_grows_linearly(work, "A heading\n", 25_000)
