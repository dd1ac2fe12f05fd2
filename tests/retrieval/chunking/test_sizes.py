"""What happens to what is larger than a chunk."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tether.core.tokens import register_estimator, unregister_estimator
from tether.retrieval.chunk import Chunk
from tether.retrieval.chunking.chunker import Chunker, ChunkSettings
from tether.retrieval.chunking.cuts import cuts
from tether.retrieval.document import Block, Document, Piece
from tether.retrieval.readers.dispatch import read_document

LETTERS = ChunkSettings(unit="characters", size=100, overlap=30)


def cut(text: str, settings: ChunkSettings = LETTERS) -> tuple[Chunk, ...]:
    document = read_document(key="p.md", name="p.md", data=text.encode())
    chunks = Chunker(settings).chunks(document)
    assert all(chunk.text == document.text[chunk.start : chunk.end] for chunk in chunks)
    assert all(len(chunk.text) == chunk.tokens <= 100 for chunk in chunks)
    return chunks


def sentences(count: int) -> str:
    return " ".join(f"Sentence {number:02d} is here." for number in range(count))


def test_a_long_paragraph_is_cut_between_sentences_and_repeats_whole_ones() -> None:
    chunks = cut(sentences(10))
    assert [chunk.text for chunk in chunks] == [
        "Sentence 00 is here. Sentence 01 is here. Sentence 02 is here. Sentence 03 is here.",
        "Sentence 03 is here. Sentence 04 is here. Sentence 05 is here. Sentence 06 is here.",
        "Sentence 06 is here. Sentence 07 is here. Sentence 08 is here. Sentence 09 is here.",
    ]
    assert [chunk.plain for chunk in chunks] == [chunk.text for chunk in chunks]


def test_without_overlap_nothing_is_repeated() -> None:
    chunks = cut(sentences(9), ChunkSettings(unit="characters", size=100, overlap=0))
    assert [chunk.text[9:11] for chunk in chunks] == ["00", "03", "06"]
    assert all(one.end < other.start for one, other in pairwise(chunks))


def test_the_parts_of_a_long_section_are_about_equally_long() -> None:
    chunks = cut(
        "## Head\n\n" + sentences(5), ChunkSettings(unit="characters", size=100, overlap=0)
    )
    assert [len(chunk.text) for chunk in chunks] == [50, 62]


def test_all_parts_of_a_section_have_its_path_and_anchor() -> None:
    chunks = cut("## Head\n\n" + sentences(9))
    assert {(chunk.heading_path[1:], chunk.anchor) for chunk in chunks} == {(("Head",), "head")}


def test_a_part_that_stands_under_a_deeper_heading_says_so() -> None:
    chunks = cut(f"## Head\n\n{sentences(3)}\n\n#### Deep\n\n{sentences(3)}")
    assert [chunk.heading_path[1:] for chunk in chunks] == [("Head",), ("Head", "Deep")]
    assert chunks[1].text.startswith("#### Deep\n\nSentence 00")
    assert chunks[1].anchor == "deep"


def test_no_part_ends_with_a_heading() -> None:
    text = f"## Head\n\n{'a ' * 30}.\n\n#### Deep\n\n#### Deeper\n\n{'b ' * 30}."
    assert [chunk.plain[:4] for chunk in cut(text)] == ["Head", "Deep"]


def test_headings_that_fill_a_part_by_themselves_are_cut_between() -> None:
    text = "\n\n".join(f"## Heading number {number:02d}" for number in range(8))
    chunks = cut(text, ChunkSettings(unit="characters", size=100, overlap=0))
    assert [chunk.text.count("##") for chunk in chunks] == [4, 4]


def test_blocks_that_fit_are_never_cut() -> None:
    code = "```\n" + "\n".join(f"line {number:02d}" for number in range(8)) + "\n```"
    items = "\n".join(f"- item {number:02d}" for number in range(7))
    rows = "| a | b |\n|---|---|\n" + "\n".join(f"| {n:02d} | x |" for n in range(5))
    chunks = cut(f"{code}\n\n{items}\n\n{rows}")
    assert [chunk.text for chunk in chunks] == [code, items, rows]


def test_code_and_tables_that_are_whole_are_not_repeated_in_part() -> None:
    code = "```\na = 1\nb = 2\n```"
    text = f"{'word ' * 12}end.\n\n{code}\n\n{'more ' * 15}end."
    chunks = cut(text)
    assert [code in chunk.text for chunk in chunks].count(True) == 1
    assert not chunks[-1].text.startswith("b")


def test_a_long_list_is_cut_between_items() -> None:
    chunks = cut("\n".join(f"- item number {number:02d}" for number in range(12)))
    assert all(chunk.text.startswith("- item") for chunk in chunks)
    assert chunks[1].plain.startswith("item number 0")
    assert "\nitem number" in chunks[1].plain


def test_long_code_is_cut_between_lines() -> None:
    lines = [f"value_{number:02d} = {number}" for number in range(12)]
    chunks = cut("```python\n" + "\n".join(lines) + "\n```")
    assert all(line in lines for chunk in chunks for line in chunk.plain.split("\n"))
    assert chunks[0].text.startswith("```python\n")
    assert chunks[-1].text.endswith("\n```")


HEADER = "| name | use |\n|------|-----|"


def test_a_long_table_is_cut_between_rows_and_its_header_repeated() -> None:
    rows = [f"| row {number:02d} | something |" for number in range(8)]
    chunks = cut("\n".join([HEADER, *rows]))
    assert chunks[0].header == ""
    assert chunks[0].text.startswith(HEADER)
    assert [chunk.header for chunk in chunks[1:]] == [HEADER] * (len(chunks) - 1)
    assert all(len(chunk.header) + len(chunk.text) <= 100 for chunk in chunks)
    assert all(line in rows for chunk in chunks[1:] for line in chunk.text.split("\n"))


def test_a_header_that_would_take_most_of_the_room_is_not_repeated() -> None:
    wide = f"| {'n' * 40} | u |\n|---|---|"
    rows = [f"| row {number:02d} | something |" for number in range(8)]
    assert {chunk.header for chunk in cut("\n".join([wide, *rows]))} == {""}


def test_a_row_that_leaves_no_room_for_the_header_goes_without() -> None:
    rows = [f"| row {number:02d} | {'long ' * 15}|" for number in range(3)]
    chunks = cut("\n".join([HEADER, *rows]))
    assert [chunk.header for chunk in chunks] == [""] * len(chunks)


def test_one_giant_sentence_is_cut_between_words_with_overlap() -> None:
    words = [f"word{number:03d}" for number in range(60)]
    chunks = cut(" ".join(words))
    assert all(word in words for chunk in chunks for word in chunk.text.split())
    assert all(one.text.split()[-1] in other.text.split() for one, other in pairwise(chunks))


def test_a_word_without_end_is_cut_anywhere() -> None:
    chunks = cut("x" * 450)
    assert [(chunk.start, chunk.end) for chunk in chunks][:2] == [(0, 100), (70, 170)]
    assert chunks[-1].end == 450


def test_characters_are_never_torn() -> None:
    family = "👨‍👩‍👧‍👦"
    chunks = cut(family * 60)
    assert all(chunk.text == family * (len(chunk.text) // 7) for chunk in chunks)


def test_what_is_nearly_all_markup_makes_one_chunk() -> None:
    text = "data:" + "A" * 5_000
    picture = Piece(start=0, end=len(text), plain="A picture")
    block = Block(kind="paragraph", start=0, end=len(text), pieces=(picture,))
    document = Document(key="p.md", title="P", text=text, blocks=(block,), kind="markdown")
    (chunk,) = Chunker(LETTERS).chunks(document)
    assert chunk.plain == "A picture"


def test_plain_text_is_cut_in_proportion_where_markup_is_between() -> None:
    words = [f"[w{number:03d}](u)" for number in range(40)]
    chunks = cut(" ".join(words))
    assert " ".join(chunk.plain for chunk in chunks).split()[0] == "w000"
    seen = {word for chunk in chunks for word in chunk.plain.split()}
    assert seen == {f"w{number:03d}" for number in range(40)}


def test_hidden_text_between_blocks_never_makes_a_chunk_too_large() -> None:
    text = f"One.\n\n{'z' * 150}\n\nTwo."
    blocks = tuple(
        Block(
            kind="paragraph", start=at, end=at + 4, pieces=(Piece(start=at, end=at + 4, plain=p),)
        )
        for at, p in ((0, "One."), (len(text) - 4, "Two."))
    )
    document = Document(key="p.md", title="P", text=text, blocks=blocks, kind="markdown")
    assert [chunk.text for chunk in Chunker(LETTERS).chunks(document)] == ["One.", "Two."]


def test_a_paragraph_that_fits_with_no_room_for_overlap_is_kept_whole() -> None:
    text = f"{sentences(4)}\n\n{'w ' * 47}end"
    assert [chunk.text[:8] for chunk in cut(text)] == ["Sentence", "w w w w "]


@pytest.mark.parametrize("unit", ["tokens", "characters"])
def test_usual_sizes(unit: str) -> None:
    settings = ChunkSettings(unit="tokens" if unit == "tokens" else "characters")
    size, overlap = (400, 40) if unit == "tokens" else (600, 100)
    document = read_document(key="p.md", name="p.md", data=sentences(300).encode())
    chunks = Chunker(settings).chunks(document)
    assert all(0.8 * size < chunk.tokens <= size for chunk in chunks)
    starts = [chunk.start for chunk in chunks[1:]]
    shared = [one.end - start for one, start in zip(chunks, starts, strict=False)]
    assert all(shared)
    assert max(shared) <= (overlap * 5 if unit == "tokens" else overlap)


def test_a_block_without_anything_to_read_is_in_no_chunk() -> None:
    text = "<br>\n\nText."
    blank = Block(kind="paragraph", start=0, end=4, pieces=(Piece(start=0, end=4, plain=" "),))
    read = Block(kind="paragraph", start=6, end=11, pieces=(Piece(start=6, end=11, plain="Text."),))
    document = Document(key="p.md", title="P", text=text, blocks=(blank, read), kind="html")
    assert [chunk.text for chunk in Chunker(LETTERS).chunks(document)] == ["Text."]


def test_an_estimator_by_which_the_whole_costs_more_than_its_parts_is_heeded() -> None:
    def dear(text: str) -> int:
        return len(text) if len(text) <= 60 else 2 * len(text)

    register_estimator("dear-of-test", dear)
    try:
        settings = ChunkSettings(encoding="dear-of-test", size=100, overlap=30)
        text = " ".join(f"Sentence {n:02d} {'x' * (n % 3 * 15)}." for n in range(20))
        document = read_document(key="p.md", name="p.md", data=text.encode())
        chunks = Chunker(settings).chunks(document)
    finally:
        unregister_estimator("dear-of-test")
    assert all(chunk.tokens == dear(chunk.text) <= 100 for chunk in chunks)
    assert chunks[-1].end == len(text)


def test_cuts_keep_the_size_where_less_text_costs_more() -> None:
    def odd(text: str) -> int:
        return len(text) + 50 * text.endswith(" ")

    text = "word " * 40
    found = list(cuts(text, 40, odd))
    assert [cut.start for cut in found] == [0, *(cut.end for cut in found[:-1])]
    assert found[-1].end == len(text)
    assert all(cut.cost == odd(text[cut.start : cut.end]) for cut in found)
    assert all(cut.cost <= 40 or cut.end - cut.start == 1 for cut in found)


def test_code_keeps_the_indentation_of_the_line_that_a_chunk_begins_with() -> None:
    lines = [f"    line_{number:02d}()" for number in range(20)]
    first, *later = cut("```py\n" + "\n".join(lines) + "\n```")
    assert first.text.startswith("```py\n    line_00()")
    for chunk in later:
        assert all(line.startswith("    ") for line in chunk.text.splitlines() if "line" in line)
        assert chunk.plain.splitlines()[0] == chunk.text.splitlines()[0]


def test_a_row_of_a_list_table_keeps_its_indentation() -> None:
    rows = "".join(f"   * - row{number}\n     - value{number}\n" for number in range(12))
    text = f"T\n=\n\n.. list-table:: Cap\n   :header-rows: 1\n\n   * - a\n     - b\n{rows}"
    document = read_document(key="t.rst", name="t.rst", data=text.encode())
    chunks = Chunker(LETTERS).chunks(document)[1:]
    assert all(chunk.text.startswith("   * - row") for chunk in chunks)
    assert {chunk.header for chunk in chunks} == {"* - a\n     - b"}


def test_one_item_with_many_lines_is_cut_between_them() -> None:
    rows = "\n".join(f"  | row {number:02d} | value {number:02d} |" for number in range(20))
    chunks = cut(f"- item\n\n  | a | b |\n  |---|---|\n{rows}")
    for chunk in chunks[1:]:
        assert chunk.text.lstrip().startswith("| row")
        assert chunk.text.rstrip().endswith("|")
    read = " ".join(chunk.plain for chunk in chunks).split()
    assert {f"{number:02d}" for number in range(20)} <= set(read)


def test_a_flood_of_lines_is_cut_between_lines() -> None:
    text = "".join(f"<i>row {number:04d}</i>\n" for number in range(1000))
    plain = "".join(f"row {number:04d}\n" for number in range(1000))
    piece = Piece(start=0, end=len(text), plain=plain)
    block = Block(kind="paragraph", start=0, end=len(text), pieces=(piece,))
    document = Document(key="p", title="P", text=text, blocks=(block,), kind="text")
    chunks = Chunker(LETTERS).chunks(document)
    assert all(chunk.text.startswith("<i>row") for chunk in chunks)
    assert all(len(chunk.text) <= 100 for chunk in chunks)
    assert "".join(chunk.plain for chunk in chunks) == plain


def test_no_word_of_the_readable_text_is_torn_where_markup_is_cut() -> None:
    rows = "\n".join(f"<tr><td>row{n:02d}</td><td>val{n:02d}</td></tr>" for n in range(40))
    chunks = cut(f"<table>\n{rows}\n</table>")
    read = {word for chunk in chunks for word in chunk.plain.split()}
    assert read == {f"{name}{n:02d}" for name in ("row", "val") for n in range(40)}
    assert all(chunk.text.lstrip().startswith("<t") for chunk in chunks)


def test_a_block_that_leaves_no_room_for_its_heading_is_cut() -> None:
    rows = "\n".join(f"| row {number} | value {number} |" for number in range(3))
    chunks = cut(
        f"## Intro\n\n{sentences(4)}\n\n#### Ports of it all\n\n| a | b |\n|---|---|\n{rows}"
    )
    (first,) = [chunk for chunk in chunks if "Ports of it" in chunk.text]
    assert first.text.startswith("#### Ports of it all\n\n| a | b |")
    assert chunks[-1].header == "| a | b |\n|---|---|"
    assert all("|" in chunk.text or "Sentence" in chunk.text for chunk in chunks)


def test_both_rows_of_a_header_below_a_caption_are_the_header() -> None:
    caption = "The caption is so long that the header is far behind it"
    rows = "".join(f"   * - row{number}\n     - value{number}\n" for number in range(9))
    header = "   * - a\n     - b\n   * - c\n     - d\n"
    text = f".. list-table:: {caption}\n   :header-rows: 2\n\n{header}{rows}"
    document = read_document(key="t.rst", name="t.rst", data=text.encode())
    chunks = Chunker(LETTERS).chunks(document)
    assert all("* - c" not in chunk.text or not chunk.header for chunk in chunks)
    assert "* - c" in chunks[-1].header
