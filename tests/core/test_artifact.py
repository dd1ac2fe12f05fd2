"""Spooled artifacts: reading by the piece."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.artifact import LONGEST_LINE, SpooledArtifact, SpoolReader
from tether.core.errors import NotASpoolReader
from tether.core.spool import TextSpool
from tether.core.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

TWENTY = [f"line {number}" for number in range(20)]
texts = st.text(st.sampled_from("ab \n\r\t\u00e9\u2028\U0001f600"))


class RecordingSpool(TextSpool):
    """A reader that notes which ranges were asked for, and cannot be read as a whole."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.asked: list[tuple[int, int | None]] = []

    async def lines(
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        self.asked.append((start, end))
        async for line in super().lines(start, end, longest=longest):
            yield line

    async def text(self) -> str:
        raise AssertionError("the whole text was read")


class PlainReader:
    """A reader whose methods are plain ones."""

    def byte_length(self) -> int:
        return len("\n".join(TWENTY))

    def line_count(self) -> int:
        return len(TWENTY)

    def lines(self, start: int, end: int | None, *, longest: int = LONGEST_LINE) -> list[str]:
        return TWENTY[start:end]

    def text(self) -> str:
        return "\n".join(TWENTY)


class Containing:
    """A pattern that can search blocks, and says whether it was asked to."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.blocks = 0

    def search(self, string: str, /) -> object | None:
        return True if self.words in string else None

    def lines_in(self, block: bytes) -> Iterator[str]:
        self.blocks += 1
        return (line for line in block.decode().split("\n") if self.words in line)


def twenty() -> SpooledArtifact:
    return SpooledArtifact(TextSpool("\n".join(TWENTY)))


@pytest.mark.parametrize("reader", [None, "text", b"bytes", 5, object(), ["line"]])
def test_an_argument_that_is_no_reader_is_refused(reader: object) -> None:
    # CONTRACT 94
    with pytest.raises(NotASpoolReader) as refused:
        SpooledArtifact(reader)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert refused.value.code == "E_NOT_A_SPOOL_READER"


def test_a_text_spool_is_a_spool_reader() -> None:
    assert isinstance(TextSpool(""), SpoolReader)


async def test_head_and_tail_give_ten_lines_unless_said() -> None:
    # CONTRACT 95
    assert await twenty().head() == TWENTY[:10]
    assert await twenty().tail() == TWENTY[10:]


@pytest.mark.parametrize("count", [0, 1, 19, 20, 21, 1000])
async def test_head_and_tail_stop_at_the_available_lines(count: int) -> None:
    # CONTRACT 95
    assert await twenty().head(count) == TWENTY[: min(count, 20)]
    assert await twenty().tail(count) == TWENTY[max(0, 20 - count) :]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, None, TWENTY),
        (5, None, TWENTY[5:]),
        (5, 7, ["line 5", "line 6"]),
        (-3, 2, ["line 0", "line 1"]),
        (18, 100, ["line 18", "line 19"]),
        (20, 30, []),
        (100, 200, []),
        (7, 7, []),
        (9, 3, []),
        (0, 0, []),
    ],
)
async def test_cat_is_half_open_and_clamps_both_ends(
    start: int, end: int | None, expected: list[str]
) -> None:
    # CONTRACT 97
    assert await twenty().cat(start, end) == expected


async def test_cat_without_range_is_everything() -> None:
    assert await twenty().cat() == TWENTY


async def test_a_negative_end_is_clamped_to_the_start_of_the_text() -> None:
    # CONTRACT 97
    assert await twenty().cat(0, -1) == []
    assert await twenty().head(-1) == []
    assert await twenty().tail(-1) == []


@given(texts, st.integers(-5, 30), st.integers(-5, 30))
async def test_a_reader_is_asked_for_no_line_before_the_first_and_for_no_empty_range(
    text: str, start: int, end: int
) -> None:
    spool = RecordingSpool(text)
    await SpooledArtifact(spool).cat(start, end)
    assert all(last is not None and 0 <= first < last for first, last in spool.asked)


async def test_plain_and_asynchronous_readers_give_the_same() -> None:
    # CONTRACT 94
    plain, awaited = SpooledArtifact(PlainReader()), twenty()
    assert await plain.byte_length() == await awaited.byte_length()
    assert await plain.line_count() == await awaited.line_count()
    assert await plain.as_string() == await awaited.as_string()
    assert await plain.head(3) == await awaited.head(3)
    assert await plain.tail(3) == await awaited.tail(3)
    assert await plain.cat(5, 9) == await awaited.cat(5, 9)
    assert await plain.grep(re.compile("1")) == await awaited.grep(re.compile("1"))


@pytest.mark.parametrize("make", [PlainReader, lambda: TextSpool("\n".join(TWENTY))])
async def test_grep_by_block_gives_what_grep_by_line_gives(make: Callable[[], SpoolReader]) -> None:
    # CONTRACT 96
    pattern = Containing("line 1")
    expected = [line for line in TWENTY if line.startswith("line 1")]
    assert await SpooledArtifact(make()).grep(pattern) == expected
    assert await SpooledArtifact(make()).grep(pattern, 2) == expected[:2]
    assert await SpooledArtifact(make()).grep(pattern, 0) == []


async def test_a_reader_that_gives_blocks_is_searched_by_block() -> None:
    pattern = Containing("line 7")
    assert await twenty().grep(pattern) == ["line 7"]
    assert 0 < pattern.blocks < len(TWENTY)


async def test_grep_gives_matching_lines_in_order() -> None:
    # CONTRACT 96
    pattern = re.compile(r"line 1\d?$")
    assert await twenty().grep(pattern) == [line for line in TWENTY if line.startswith("line 1")]
    assert await twenty().grep(re.compile("nowhere")) == []


async def test_grep_searches_anywhere_in_the_line_and_keeps_no_state() -> None:
    # CONTRACT 96
    artifact, pattern = twenty(), re.compile("E 7", re.IGNORECASE)
    assert await artifact.grep(pattern) == ["line 7"]
    assert await artifact.grep(pattern) == ["line 7"]


async def test_reading_by_the_piece_never_reads_the_whole() -> None:
    artifact = SpooledArtifact(RecordingSpool("\n".join(TWENTY)))
    assert await artifact.head(1) == ["line 0"]
    assert await artifact.tail(1) == ["line 19"]
    assert await artifact.grep(re.compile("line 7")) == ["line 7"]
    assert (await artifact.line_count(), await artifact.byte_length() > 0) == (20, True)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a", ""]),
        ("\n", ["", ""]),
        ("a\r\nb", ["a\r", "b"]),
        ("a\rb\u2028c\x0bd\x85e", ["a\rb\u2028c\x0bd\x85e"]),
    ],
)
async def test_lines_split_on_newline_only(text: str, lines: list[str]) -> None:
    # CONTRACT 112
    artifact = SpooledArtifact(TextSpool(text))
    assert await artifact.line_count() == len(lines)
    assert await artifact.cat() == lines


@pytest.mark.parametrize(
    ("text", "size"), [("", 0), ("abc", 3), ("\u00e9", 2), ("\u4f60", 3), ("\U0001f600\r\n", 6)]
)
async def test_the_byte_length_is_that_of_utf_8(text: str, size: int) -> None:
    # CONTRACT 112
    assert await SpooledArtifact(TextSpool(text)).byte_length() == size


@pytest.mark.parametrize("text", ["", "a\r\nb\r\n", "a\n\n", "\n", " \t "])
async def test_as_string_keeps_trailing_newline_and_crlf(text: str) -> None:
    # CONTRACT 98
    assert await SpooledArtifact(TextSpool(text)).as_string() == text


async def test_the_token_estimate_uses_the_same_faithful_text() -> None:
    # CONTRACT 98
    text = "first line\r\nsecond line\r\n\r\n"
    artifact = SpooledArtifact(TextSpool(text))
    for encoding in ("cl100k_base", "claude"):
        assert await artifact.estimate_tokens(encoding) == count_tokens(text, encoding)


@given(texts)
async def test_the_lines_joined_by_newlines_are_the_text(text: str) -> None:
    artifact = SpooledArtifact(TextSpool(text))
    assert "\n".join(await artifact.cat()) == text == await artifact.as_string()
    assert await artifact.line_count() == (text.count("\n") + 1 if text else 0)
