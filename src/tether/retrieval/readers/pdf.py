"""PDF files: the text of their pages under the sections of the outline."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.names import title_from
from tether.retrieval.readers.pdf_page import (
    Box,
    HiddenText,
    PdfText,
    repeated_lines,
    without_repeated,
)

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_SILENT = logging.CRITICAL + 1
_MOST_ENTRIES = 5_000
_DEEPEST = 5
_LONGEST = 300
MOST_PAGES = 2_000
MOST_TEXT = 20_000_000
_LONGEST_TITLE = 300
_LONGEST_MESSAGE = 200


def read_pdf(*, key: str, name: str, data: bytes, url: str = "", title: str = "") -> Document:
    """Return a PDF. Raises `DocumentUnreadable` with the reason.

    For example, it is not a PDF, is encrypted, has no pages, or no text: scanned pages are
    pictures, which are not read. Pages that cannot be read are left out and noted. The parser has
    had many weaknesses, so read foreign files in a separate process.
    """
    title = title or title_from(name or key)
    with silence():
        reader = _opened(data)
        try:
            return _Pdf(reader).document(key=key, title=title, url=url)
        except (DocumentUnreadable, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  # a broken file leads the parser anywhere
            raise _broken(error) from None


@contextmanager
def silence() -> Generator[None]:
    """Let pypdf log nothing meanwhile.

    Whoever finds it silent leaves it so: of two threads the first one lets it speak again.
    """
    logger = logging.getLogger("pypdf")
    before = logger.level
    if before == _SILENT:
        yield
        return
    logger.setLevel(_SILENT)
    try:
        yield
    finally:
        logger.setLevel(before)


def sections(reader: PdfReader) -> dict[int, dict[str, int]]:
    """Return for each page, counted from 1, the titles of its sections in small letters.

    Each comes with its level, from 1. An outline that cannot be followed counts as none: the pages
    are there without it.
    """
    found: dict[int, dict[str, int]] = {}
    stack: list[tuple[Any, int]] = [(reader.outline, 1)]
    left = _MOST_ENTRIES
    while stack and left:
        left -= 1
        entry, level = stack.pop()
        if isinstance(entry, list):
            deeper = min(level, _DEEPEST)
            stack.extend((item, _level(item, deeper)) for item in reversed(entry))
        else:
            _add(reader, found, entry, level)
    return found


def _level(item: Any, level: int) -> int:
    return level + 1 if isinstance(item, list) else level


def _add(reader: PdfReader, found: dict[int, dict[str, int]], entry: Any, level: int) -> None:
    title = " ".join(str(getattr(entry, "title", "") or "").split())
    number = reader.get_destination_page_number(entry)
    if title and len(title) <= _LONGEST and number is not None and number >= 0:
        found.setdefault(number + 1, {})[title.lower()] = level


def _opened(data: bytes) -> PdfReader:
    try:
        from pypdf import PdfReader  # noqa: PLC0415  # an extra
    except ImportError:
        message = "PDF files need the package pypdf: install it with `pip install 'tether[pdf]'`"
        raise DocumentUnreadable(message) from None
    if b"%PDF-" not in data[:1_024]:
        raise DocumentUnreadable("it is called a PDF but does not begin like one")
    try:
        reader = PdfReader(BytesIO(data))
        is_open = not reader.is_encrypted or bool(reader.decrypt(""))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  # the parser raises whatever a broken file leads to
        raise _broken(error) from None
    if not is_open:
        raise DocumentUnreadable("it is encrypted, and a password is needed to read it")
    return reader


def _broken(error: Exception) -> DocumentUnreadable:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return DocumentUnreadable(f"the PDF is damaged or unusual: {text[:_LONGEST_MESSAGE]}")


class _Pdf:
    """One PDF while it is read, with the notes on it."""

    def __init__(self, reader: PdfReader) -> None:
        self._reader = reader
        self._notes: list[str] = []
        self._hidden = 0
        self._failure = ""

    def document(self, *, key: str, title: str, url: str) -> Document:
        """Return everything as a document."""
        pages = self._lines()
        if not any(line.strip() for lines in pages for line in lines):
            raise DocumentUnreadable(self._failure or _no_text(len(pages)))
        text = self._text(pages)
        if self._hidden:
            note = "text that is invisible, white, tiny or off the page: about {} characters"
            self._notes.append(note.format(self._hidden))
        return Document(
            key=key,
            title=self._title() or title,
            text=text.text,
            blocks=tuple(text.blocks),
            kind="pdf",
            url=url,
            notes=tuple(self._notes),
        )

    def _lines(self) -> list[list[str]]:
        """Return the lines of each page; a page that cannot be read has no lines."""
        pages: list[list[str]] = []
        unread: list[int] = []
        length = 0
        for number, page in enumerate(self._pages(), 1):
            try:
                lines = self._page(page).splitlines()
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001  # one bad page never stops the rest
                unread.append(number)
                self._failure = self._failure or _broken(error).message
                lines = []
            pages.append(lines)
            length += sum(len(line) for line in lines)
            if length > MOST_TEXT:
                self._notes.append(f"only the first {number} pages: their text is long enough")
                break
        if unread:
            shown = ", ".join(map(str, unread[:10]))
            self._notes.append(f"pages that could not be read: {len(unread)} (such as {shown})")
        return pages

    def _pages(self) -> Iterator[PageObject]:
        count = len(self._reader.pages)
        if not count:
            raise DocumentUnreadable("it has no pages")
        if count > MOST_PAGES:
            self._notes.append(f"only the first {MOST_PAGES} of {count} pages")
        for number in range(min(count, MOST_PAGES)):
            yield self._reader.pages[number]

    def _page(self, page: PageObject) -> str:
        hidden = HiddenText(_box(page))
        text = page.extract_text(visitor_operand_before=hidden.see)
        self._hidden += hidden.count
        return text.replace("\x00", "")

    def _text(self, pages: list[list[str]]) -> PdfText:
        repeated = repeated_lines(pages)
        titles = self._sections()
        text = PdfText()
        for number, lines in enumerate(pages, 1):
            kept = without_repeated(lines, repeated)
            if any(line.strip() for line in kept):
                text.page(number, kept, titles.get(number, {}))
        if repeated:
            self._notes.append(f"headers and footers left out: {len(repeated)} kinds of lines")
        return text

    def _sections(self) -> dict[int, dict[str, int]]:
        try:
            return sections(self._reader)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  # the text is there without an outline
            self._notes.append("its outline could not be read")
            return {}

    def _title(self) -> str:
        try:
            metadata: Any = self._reader.metadata
            title = str(metadata.title or "") if metadata else ""
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  # the text is there without a title
            return ""
        return " ".join(title.split())[:_LONGEST_TITLE]


def _box(page: PageObject) -> Box:
    box = page.cropbox
    sides = [float(side) for side in (box.left, box.bottom, box.right, box.top)]
    return sides[0], sides[1], sides[2], sides[3]


def _no_text(pages: int) -> str:
    return f"its {pages} pages hold no text: they may be scanned, and text in pictures is not read"
