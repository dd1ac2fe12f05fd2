"""Hostile PDF files, read where they can do no harm: each ends in a text or a reason."""

from __future__ import annotations

import logging
import zlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from retrieval.reading.pdf_files import assembled, pdf, stream, words
from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.pdf import read_pdf, silence
from tether.retrieval.reading.requests import ReadLimits, ReadRequest
from tether.retrieval.reading.workers import Workers

GOOD = pdf([words(b"First page. With words."), words(b"Second page.")])
FONTS = b"/Resources << /Font << /F1 3 0 R >> >> "


def bomb(megabytes: int) -> bytes:
    """Return a stream that is small and unpacks to many megabytes."""
    packer = zlib.compressobj(9)
    parts = [packer.compress(b" " * 1_000_000) for _ in range(megabytes)]
    return b"".join([*parts, packer.flush()])


def circular_previous() -> bytes:
    place = GOOD.rindex(b"xref\n0")
    return GOOD.replace(b"/Root 1 0 R ", b"/Root 1 0 R /Prev %d " % place)


def self_referencing_form() -> bytes:
    form = (
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> "
    )
    page = b"/Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> "
    return pdf([words(b"Text.") + b" /X Do"], page=page, more=[stream(b"/X Do /X Do", form)])


def forms_that_double(depth: int) -> bytes:
    """Return a page whose drawing draws a drawing twice, which draws another twice, and so on."""
    forms = [
        stream(
            b"/X Do /X Do",
            b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] "
            b"/Resources << /XObject << /X %d 0 R >> >> " % (7 + number),
        )
        for number in range(depth)
    ]
    page = b"/Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> "
    last = stream(b"", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] ")
    return pdf([words(b"Text.") + b" /X Do"], page=page, more=[*forms, last])


def entity_bomb() -> bytes:
    entities = b"".join(
        b'<!ENTITY e%d "%s">' % (number, b"&e%d;" % (number - 1) * 10) for number in range(1, 9)
    )
    xml = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "lol">%s]><x>&e8;</x>' % entities
    facts = b"/Type /Metadata /Subtype /XML "
    return pdf([words(b"Text.")], catalog=b"/Metadata 6 0 R ", more=[stream(xml, facts)])


def pages_in_a_circle() -> bytes:
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>",
        ]
    )


def a_million_pages() -> bytes:
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%s] /Count 100000 >>" % (b"3 0 R " * 100_000),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
        ]
    )


def hostile() -> dict[str, bytes]:
    """Return all of them by what is wrong with them."""
    return {
        "garbage": b"%PDF-1.7\n" + bytes(range(256)) * 100,
        "nothing": b"",
        "only a header": b"%PDF-1.4",
        "circular /Prev": circular_previous(),
        "self-referencing form": self_referencing_form(),
        "forms that double": forms_that_double(40),
        "entity bomb": entity_bomb(),
        "packed bomb": pdf([b""]).replace(stream(b""), stream(bomb(90), b"/Filter /FlateDecode ")),
        "bomb in a bomb": pdf([b""]).replace(
            stream(b""), stream(zlib.compress(bomb(90)), b"/Filter [/FlateDecode /FlateDecode] ")
        ),
        "huge declared length": GOOD.replace(b"<< /Length ", b"<< /Length 10000000000"),
        "negative length": GOOD.replace(b"<< /Length ", b"<< /Length -"),
        "length of itself": GOOD.replace(b"<< /Length 6", b"<< /Length 5 0 R /X 6"),
        "pages in a circle": pages_in_a_circle(),
        "very many pages": a_million_pages(),
        "deep arrays": pdf([b"[" * 50_000]),
        "deep dictionaries": pdf([words(b"x")], page=FONTS + b"/X " + b"<< /X " * 3_000),
        "unknown picture": pdf([b""]).replace(stream(b""), stream(b"xx", b"/Filter /JBIG2Decode ")),
        "parent of itself": pdf([words(b"x")], page=b"/Resources 4 0 R "),
        "very many objects": GOOD.replace(b"/Size 8", b"/Size 99999999999"),
    }


def test_every_hostile_file_ends_in_a_text_or_a_reason() -> None:
    limits = ReadLimits(seconds=2, megabytes=600)
    files = hostile() | {"good": GOOD}
    requests = [ReadRequest(key=key, name="a.pdf", data=data) for key, data in files.items()]
    with Workers(count=2, limits=limits) as workers:
        results = list(workers.read_all(requests))
    assert [result.key for result in results] == list(files)
    for result in results:
        if isinstance(result.outcome, DocumentUnreadable):
            assert result.outcome.message, result.key
    assert isinstance(results[-1].outcome, Document)


@pytest.mark.unmeasured
def test_a_file_that_is_cut_off_anywhere_is_read_or_refused() -> None:
    for share in range(100):
        attempt(GOOD[: len(GOOD) * share // 100])


def attempt(data: bytes) -> None:
    with suppress(DocumentUnreadable):
        assert read_pdf(key="a", name="a.pdf", data=data).blocks


@pytest.mark.unmeasured
@given(
    some.lists(
        some.tuples(some.integers(0, len(GOOD) - 1), some.binary(min_size=1, max_size=3)),
        min_size=1,
        max_size=5,
    )
)
@settings(max_examples=60)
def test_a_file_with_other_bytes_is_read_or_refused(changes: list[tuple[int, bytes]]) -> None:
    data = bytearray(GOOD)
    for place, other in changes:
        data[place : place + len(other)] = other
    attempt(bytes(data))


def test_the_parser_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    good = pdf([words(b"Text.")])
    broken = good.replace(b"startxref", b"startxxxx")
    with suppress(DocumentUnreadable):
        read_pdf(key="a", name="a.pdf", data=broken)
    assert caplog.records == []
    with silence():
        read_pdf(key="a", name="a.pdf", data=good)
        assert not logging.getLogger("pypdf").isEnabledFor(logging.CRITICAL)
    assert logging.getLogger("pypdf").isEnabledFor(logging.CRITICAL)
