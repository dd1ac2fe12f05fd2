"""PDF files: the text of each page, with the page as its anchor."""

from __future__ import annotations

import sys
from io import BytesIO

import pytest
from pypdf import PdfReader, PdfWriter

from retrieval.reading.pdf_files import pdf, stream, words
from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers import pdf as reader
from tether.retrieval.readers.pdf import read_pdf
from tether.retrieval.readers.pdf_page import paragraphs, without_repeated


def read(data: bytes) -> Document:
    document = read_pdf(
        key="docs/manual.pdf", name="manual.pdf", data=data, url="https://a.example"
    )
    end = 0
    for block in document.blocks:
        assert end <= block.start < block.end <= len(document.text)
        place = block.start
        for piece in block.pieces:
            assert place <= piece.start <= piece.end <= block.end
            place = piece.end
        end = block.end
    return document


def shown(document: Document) -> list[tuple[str, str, str]]:
    return [(block.kind, block.anchor, block.plain) for block in document.blocks]


def reason(data: bytes) -> str:
    with pytest.raises(DocumentUnreadable) as caught:
        read(data)
    return caught.value.message


def test_pages_are_headings_and_their_lines_paragraphs() -> None:
    first = words(b"This is an exam-", b"ple of a long enough line. It goes on.", b"Short end.")
    document = read(pdf([first, words(b"Second page.")]))
    assert document.text == (
        "Page 1\n\nThis is an exam-\nple of a long enough line. It goes on.\n\nShort end."
        "\n\f\nPage 2\n\nSecond page."
    ).replace("\n\nShort", "\nShort")
    assert shown(document) == [
        ("heading", "page=1", "Page 1"),
        ("paragraph", "", "This is an example of a long enough line. It goes on. Short end."),
        ("heading", "page=2", "Page 2"),
        ("paragraph", "", "Second page."),
    ]
    assert (document.title, document.kind) == ("Manual", "pdf")
    assert (document.url, document.notes) == ("https://a.example", ())


def test_a_short_line_that_ends_a_sentence_ends_a_paragraph() -> None:
    long = b"A line that is as long as the column allows it to be, more or less"
    lines = words(long, long, b"and ends.", long, b"", b"apart")
    plain = [block.plain for block in read(pdf([lines])).blocks if block.kind == "paragraph"]
    assert plain == [f"{long.decode()} {long.decode()} and ends.", f"{long.decode()} apart"]


def test_headers_and_footers_that_repeat_are_left_out() -> None:
    texts = [b"Alpha beta.", b"Gamma delta.", b"Epsilon zeta.", b"Eta theta."]
    pages = [
        words(
            b"The Manual",
            text,
            b"More of %s" % text,
            b"%s at last" % text,
            b"Page %d of 4" % number,
        )
        for number, text in enumerate(texts, 1)
    ]
    document = read(pdf(pages))
    assert "The Manual" not in document.text
    assert "of 4" not in document.text
    assert document.notes == ("headers and footers left out: 2 kinds of lines",)
    assert "The Manual" in read(pdf(pages[:2])).text


def test_a_page_of_nothing_but_a_header_is_left_out() -> None:
    pages = [words(b"The Manual", text) for text in (b"Alpha.", b"Beta.", b"Gamma.")]
    document = read(pdf([*pages, words(b"The Manual")]))
    assert [block.anchor for block in document.blocks if block.kind == "heading"] == [
        *("page=1", "page=2", "page=3"),
    ]


def with_outline(data: bytes) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    chapter = writer.add_outline_item("Chapter  One", 0)
    writer.add_outline_item("A section", 0, parent=chapter)
    writer.add_outline_item("Chapter Two", 0)
    writer.add_outline_item("Not in the text", 0)
    writer.add_outline_item("x" * 400, 0)
    writer.add_metadata({"/Title": "The  Manual"})
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_the_outline_gives_headings_where_the_text_has_them() -> None:
    page = words(b"Chapter One", b"Words.", b"A section", b"More words.", b"Chapter Two")
    document = read(with_outline(pdf([page, words(b"The rest.")])))
    assert document.title == "The Manual"
    assert [(block.level, block.plain) for block in document.blocks if block.kind == "heading"] == [
        *((6, "Page 1"), (1, "Chapter One"), (2, "A section"), (1, "Chapter Two"), (6, "Page 2")),
    ]


def encrypted(data: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_encrypted_files() -> None:
    data = pdf([words(b"Secret.")])
    assert "password" in reason(encrypted(data, "user"))
    assert "Secret." in read(encrypted(data, "")).text


HIDDEN = {
    "spaced": b'BT /F1 12 Tf 72 700 Td (seen) Tj 3 Tr 1 1 (ghost) " ET',
    "invisible": b"BT /F1 12 Tf 72 700 Td (seen) Tj 3 Tr (ghost) Tj ET",
    "white": b"1 1 1 rg BT /F1 12 Tf 72 700 Td (ghost) Tj 0 g 0 -20 Td (seen) Tj ET",
    "white gray": b"q 1 g BT /F1 12 Tf 72 700 Td [(gho) -20 (st)] TJ ET Q "
    b"BT /F1 12 Tf 72 600 Td (seen) Tj ET Q",
    "tiny": b"BT /F1 0.1 Tf 72 700 Td (ghost) Tj /F1 12 Tf 0 -20 Td (seen) Tj ET",
    "outside": b"BT /F1 12 Tf 5000 700 Td (ghost) Tj -4900 0 Td (seen) Tj ET",
    "no ink": b"0 0 0 0 k BT /F1 12 Tf 72 700 Td (ghost) Tj 0 0 0 1 k 0 -20 Td (seen) Tj ET",
    "scn": b"1 scn BT /F1 12 Tf 72 700 Td (ghost) Tj 0 scn 0 -20 Td (seen) Tj ET",
}


@pytest.mark.parametrize("content", HIDDEN.values(), ids=HIDDEN.keys())
def test_text_that_nobody_sees_is_flagged(content: bytes) -> None:
    document = read(pdf([content]))
    assert "seen" in document.text
    assert document.notes == (
        "text that is invisible, white, tiny or off the page: about 5 characters",
    )


def test_no_text_and_no_pages_are_reasons() -> None:
    assert reason(pdf([b"", b"0 0 m"])).startswith("its 2 pages hold no text: they may be scanned")
    assert reason(pdf([])) == "it has no pages"
    assert "does not begin like one" in reason(b"garbage")
    assert "damaged" in reason(b"%PDF-1.4\n")
    assert "cyclic" in reason(pdf([]).replace(b"/Kids []", b"/Kids [2 0 R]"))


def test_blank_lines_part_paragraphs_and_do_not_surround_a_page() -> None:
    lines = ["", "Header", "", "one", " ", "two", "", "three", "Footer 7"]
    kept = without_repeated(lines, frozenset(("header", "footer #")))
    assert kept == ["one", " ", "two", "", "three"]
    assert paragraphs(kept) == [[0], [2], [4]]
    assert without_repeated([" "], frozenset()) == []
    assert paragraphs([]) == []


def test_a_page_that_cannot_be_read_does_not_stop_the_rest() -> None:
    bad = words(b"Bad.")
    data = pdf([words(b"Good."), bad])
    broken = data.replace(stream(bad), stream(bad, b"/Filter /NoSuchFilter "))
    document = read(broken)
    assert "Good." in document.text
    only = pdf([bad]).replace(stream(bad), stream(bad, b"/Filter /NoSuchFilter "))
    assert "Unsupported filter /NoSuchFilter" in reason(only)
    assert document.notes == ("pages that could not be read: 1 (such as 2)",)


def test_there_are_most_pages_and_most_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_PAGES", 2)
    data = pdf([words(b"Alpha."), words(b"Beta."), words(b"Gamma.")])
    document = read(data)
    assert document.notes == ("only the first 2 of 3 pages",)
    assert "Gamma" not in document.text
    monkeypatch.setattr(reader, "MOST_TEXT", 3)
    document = read(data)
    assert "only the first 1 pages: their text is long enough" in document.notes
    assert "Beta" not in document.text


def test_without_the_package_the_reason_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    assert "tether[pdf]" in reason(b"%PDF-1.4")


def test_a_broken_outline_or_title_costs_only_itself() -> None:
    broken = pdf(
        [words(b"Text.")],
        catalog=b"/Outlines 6 0 R ",
        more=[b"<< /First 7 0 R >>", b"<< /Title (T) /A 5 >>"],
    )
    assert read(broken).notes == ("its outline could not be read",)
    looping = pdf(
        [words(b"Text.")],
        catalog=b"/Outlines 6 0 R ",
        more=[
            b"<< /First 7 0 R /Last 7 0 R >>",
            b"<< /Title (T) /Dest [4 0 R /Fit] /Next 7 0 R /First 7 0 R >>",
        ],
    )
    assert "Text." in read(looping).text
    nowhere = [b"<< /First 7 0 R >>", b"<< /Title (T) /Dest 5 >>"]
    assert read(pdf([words(b"Text.")], catalog=b"/Outlines 6 0 R ", more=nowhere)).notes == ()
    odd = pdf([words(b"Text.")], trailer=b"/Info 6 0 R ", more=[b"(no facts)"])
    assert read(odd).title == "Manual"


def test_a_lack_of_memory_is_not_a_property_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    data = pdf([words(b"Text.")])
    for place in (
        "pypdf.PdfReader.__init__",
        "pypdf.PageObject.extract_text",
        "pypdf.PdfReader.outline",
        "pypdf.PdfReader.metadata",
    ):
        with monkeypatch.context() as patch:
            value = property(no_memory) if place.endswith(("outline", "metadata")) else no_memory
            patch.setattr(place, value)
            with pytest.raises(MemoryError):
                read(data)
