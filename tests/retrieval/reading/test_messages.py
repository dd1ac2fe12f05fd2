"""What crosses the pipe comes out as it went in, and anything else is no document."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tether.retrieval.document import Block, Document, Link, Piece
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.reading.messages import (
    answer_from,
    answer_message,
    framed,
    read_frame,
    request_from,
    request_message,
    unframed,
)
from tether.retrieval.reading.requests import ReadRequest

WORDS = some.text(max_size=20)
PLACES = some.integers(min_value=0, max_value=30)
PIECES = some.builds(Piece, start=PLACES, end=PLACES, plain=WORDS)
BLOCKS = some.builds(
    Block,
    kind=some.sampled_from(["heading", "table", "code"]),
    start=PLACES,
    end=PLACES,
    pieces=some.lists(PIECES, max_size=3).map(tuple),
    level=PLACES,
    anchor=WORDS,
    header=WORDS,
)
DOCUMENTS = some.builds(
    Document,
    key=WORDS,
    title=WORDS,
    text=some.text(max_size=30),
    blocks=some.lists(BLOCKS, max_size=3).map(tuple),
    kind=some.sampled_from(["html", "rst"]),
    url=WORDS,
    language=WORDS,
    draft=some.booleans(),
    links=some.lists(some.builds(Link, target=WORDS, text=WORDS, start=PLACES)).map(tuple),
    notes=some.lists(WORDS, max_size=2).map(tuple),
    metadata=some.lists(some.tuples(WORDS, WORDS), max_size=2).map(tuple),
)
REQUESTS = some.builds(
    ReadRequest, key=WORDS, name=WORDS, data=some.binary(), url=WORDS, content_type=WORDS
)


@given(DOCUMENTS)
def test_a_document_survives_the_way(document: Document) -> None:
    assert answer_from(answer_message(document)) == document


@given(some.text())
def test_a_reason_survives_the_way(reason: str) -> None:
    answer = answer_from(answer_message(DocumentUnreadable(reason)))
    assert isinstance(answer, DocumentUnreadable)
    assert answer.message == reason


@given(REQUESTS)
def test_a_request_survives_the_way(request: ReadRequest) -> None:
    assert request_from(request_message(request)) == request


@given(some.lists(some.binary(), max_size=4), some.integers(min_value=0, max_value=12))
def test_messages_stay_apart(messages: list[bytes], lost: int) -> None:
    whole = b"".join(map(framed, messages))
    stream = io.BytesIO(whole)
    assert [read_frame(stream) for _ in messages] == messages
    assert read_frame(stream) is None
    if messages:
        assert unframed(bytearray(whole)) == messages[0]
        cut = framed(messages[0])[: max(0, len(messages[0]) + 8 - lost - 1)]
        assert unframed(bytearray(cut)) is None
        assert read_frame(io.BytesIO(cut)) is None


@pytest.mark.parametrize(
    "message",
    [b"", b"[", b"{}", b"[]", b"1", b'{"document":{}}', b'{"document":[]}', b"\xff", b"[" * 90_000],
    ids=[
        "empty",
        "broken",
        "nothing",
        "list",
        "number",
        "no-facts",
        "no-object",
        "bytes",
        "nested",
    ],
)
def test_an_answer_that_is_none_is_unreadable(message: bytes) -> None:
    answer = answer_from(message)
    assert isinstance(answer, DocumentUnreadable)
    assert "malformed" in answer.message


def test_text_that_is_its_own_plain_text_crosses_once() -> None:
    text = "a sentence that is long enough to be counted"
    piece = Piece(start=0, end=len(text), plain=text)
    block = Block(kind="paragraph", start=0, end=len(text), pieces=(piece,))
    document = Document(key="", title="t", text=text, blocks=(block,), kind="text")
    message = answer_message(document)
    assert message.count(text.encode()) == 1
    assert json.loads(message)["document"]["title"] == "t"
