"""PDF files made by hand, good and hostile ones."""

from __future__ import annotations

from collections.abc import Sequence


def words(*lines: bytes, top: int = 700) -> bytes:
    """Return the drawing of lines of text."""
    shown = b"".join(b"(%s) Tj T* " % line for line in lines)
    return b"BT /F1 12 Tf 14 TL 72 %d Td %sET" % (top, shown)


def stream(content: bytes, facts: bytes = b"") -> bytes:
    """Return an object that is a stream."""
    return b"<< /Length %d %s>>\nstream\n%s\nendstream" % (len(content), facts, content)


def pdf(
    pages: Sequence[bytes],
    *,
    more: Sequence[bytes] = (),
    catalog: bytes = b"",
    page: bytes = b"",
    trailer: bytes = b"",
) -> bytes:
    """Return a PDF with a page for each drawing.

    Objects 1 to 3 are the catalog, the pages and the font, then come two for each page, then
    `more`. The others are added to the facts of the catalog, of each page and of the trailer.
    """
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R %s>>" % catalog,
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, content in enumerate(pages):
        facts = page or b"/Resources << /Font << /F1 3 0 R >> >> "
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] %s/Contents %d 0 R >>"
            % (facts, 5 + 2 * number)
        )
        objects.append(stream(content))
    return assembled([*objects, *more], trailer)


def assembled(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """Return a PDF with these objects and a table that says where they are."""
    file = bytearray(b"%PDF-1.4\n")
    places: list[int] = []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % place for place in places)
    facts = b"/Size %d /Root 1 0 R %s" % (len(objects) + 1, trailer)
    file += b"trailer\n<< %s>>\nstartxref\n%d\n%%%%EOF\n" % (facts, table)
    return bytes(file)
