"""Server-sent events against the text of the standard, wherever the network cuts them."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.models.wire.sse import SseEvent, SseParser
from tether.core.errors import LimitExceeded

LIMIT = 1 << 24

PIECES = [
    b"data",
    b"data:",
    b"data: ",
    b"data:  two spaces",
    b"datum: no field",
    b"event: tick",
    b"event:",
    b"id: 7",
    b"id: a\0b",
    b"retry: 3000",
    b": a comment",
    b":",
    b" ",
    b"\r",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\xef\xbb\xbf",
    "é€😀".encode(),
    "\u2028\x85\x0b\x0c\x1c".encode(),
    b"\xff\xe2\x82",
    b"[DONE]",
]
ENDINGS = [b"\r", b"\n", b"\r\n"]
lines = st.tuples(st.sampled_from([b"", *PIECES]), st.sampled_from(ENDINGS)).map(b"".join)
streams = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join),
    st.lists(lines, max_size=30).map(b"".join),
)


def standard(stream: bytes) -> list[SseEvent]:
    """Section 9.2.6 of the HTML standard, step by step, over the whole text at once.

    One thing is ours: an event that is pending at the end of the stream counts.
    """
    text = stream.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    events: list[SseEvent] = []
    data = event = last_id = ""
    for line in [*lines, ""]:
        if line == "":
            if data != "":
                events.append(SseEvent(event or None, data.removesuffix("\n"), last_id))
            data = event = ""
            continue
        if line.startswith(":"):
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            event = value
        elif field == "data":
            data += value + "\n"
        elif field == "id" and "\0" not in value:
            last_id = value
    return events


def parsed(*pieces: bytes, limit: int = LIMIT) -> list[SseEvent]:
    parser = SseParser(limit)
    events = [event for piece in pieces for event in parser.feed(piece)]
    return events + parser.finish()


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[start:end] for start, end in pairwise(edges)]


@given(streams, st.lists(st.integers(min_value=0), max_size=8))
def test_any_cut_of_any_stream_gives_the_events_of_the_standard(
    stream: bytes, places: list[int]
) -> None:
    assert parsed(*cut(stream, places)) == standard(stream)


@given(streams)
def test_a_byte_at_a_time_gives_the_events_of_the_standard(stream: bytes) -> None:
    assert parsed(*(stream[at : at + 1] for at in range(len(stream)))) == standard(stream)


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        # The four examples of the standard, 9.2.6.
        (
            b"data: YHOO\ndata: +2\ndata: 10\n\n",
            [SseEvent(None, "YHOO\n+2\n10", "")],
        ),
        (
            (
                b": test stream\n\ndata: first event\nid: 1\n\n"
                b"data:second event\nid\n\ndata:  third event\n\n"
            ),
            [
                SseEvent(None, "first event", "1"),
                SseEvent(None, "second event", ""),
                SseEvent(None, " third event", ""),
            ],
        ),
        (b"data\n\ndata\ndata\n\n", [SseEvent(None, "", ""), SseEvent(None, "\n", "")]),
        (b"data:test\n\ndata: test\n\n", [SseEvent(None, "test", "")] * 2),
    ],
)
def test_the_examples_of_the_standard(stream: bytes, expected: list[SseEvent]) -> None:
    assert parsed(stream) == expected


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_line_ending_ends_a_line(ending: bytes) -> None:
    stream = ending.join([b"event: tick", b"data: 1", b"", b"data: 2", b"", b""])
    assert parsed(stream) == [SseEvent("tick", "1", ""), SseEvent(None, "2", "")]


def test_an_event_is_given_out_with_the_byte_that_ends_it() -> None:
    parser = SseParser(LIMIT)
    assert parser.feed(b"data: 1\r") == []
    assert parser.feed(b"\r") == [SseEvent(None, "1", "")]
    assert parser.feed(b"\ndata: 2\r\n") == []
    assert parser.feed(b"\n") == [SseEvent(None, "2", "")]


def test_a_line_ending_split_between_two_packets_is_one() -> None:
    pieces = [b"data: 1\r", b"", b"\ndata: 2\r", b"\n\r", b"\ndata: 3\r", b"\r", b"\n"]
    assert parsed(*pieces) == [SseEvent(None, "1\n2", ""), SseEvent(None, "3", "")]


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_only_cr_and_lf_end_a_line(character: str) -> None:
    assert parsed(f"data: a{character}b\n\n".encode()) == [SseEvent(None, f"a{character}b", "")]


def test_a_byte_order_mark_is_dropped_at_the_start_only() -> None:
    mark = "\ufeff".encode()
    assert parsed(mark + b"data: 1\n\n" + mark + b"data: 2\n\n") == [SseEvent(None, "1", "")]


def test_a_character_may_be_split_between_two_packets() -> None:
    stream = "data: 😀\n\n".encode()
    for at in range(len(stream)):
        assert parsed(stream[:at], stream[at:]) == [SseEvent(None, "😀", "")]


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert parsed(b"data: \xff\n\n") == [SseEvent(None, "\ufffd", "")]


def test_what_the_end_leaves_without_a_blank_line_is_given_out() -> None:
    assert parsed(b"data: 1\n\ndata: 2") == [SseEvent(None, "1", ""), SseEvent(None, "2", "")]
    assert parsed(b"data: 1\n") == [SseEvent(None, "1", "")]
    assert parsed() == []


@pytest.mark.parametrize("field", ["data: ", "data:", "event: ", ": ", "whatever"])
@pytest.mark.parametrize("size", [1, 7, 3000])
def test_a_line_over_the_limit_is_refused_wherever_it_is_cut(field: str, size: int) -> None:
    def pieces(length: int) -> list[bytes]:
        stream = field.encode().ljust(length, b"x") + b"\n\n"
        return [stream[at : at + size] for at in range(0, len(stream), size)]

    parsed(*pieces(1200), limit=1200)
    with pytest.raises(LimitExceeded, match="longer than 1200 bytes"):
        parsed(*pieces(1201), limit=1200)


def test_a_line_that_never_ends_is_refused_before_it_is_held() -> None:
    parser, piece = SseParser(1 << 20), b"x" * (1 << 16)
    for _ in range(16):
        parser.feed(piece)
    with pytest.raises(LimitExceeded):
        parser.feed(b"x")


@pytest.mark.parametrize("packet", [1000, 1 << 16])
def test_a_line_of_ten_megabytes_takes_twice_its_size(packet: int) -> None:
    size, piece = 10_000_000, b"x" * packet
    parser = SseParser(LIMIT)
    tracemalloc.start()
    try:
        parser.feed(b"data: ")
        for _ in range(size // packet):
            parser.feed(piece)
        (event,) = parser.feed(b"\n\n")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(event.data) == size // packet * packet
    assert peak <= 2 * size + (1 << 20)
