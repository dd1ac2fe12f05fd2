"""Bytes into text: which encoding a file is in, and whether it is text at all."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from tether.core.errors import DocumentUnreadable

MOST_CONTROLS = 0.02
FEW_CONTROLS = 4
_SAMPLE = 64 * 1024
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
# The marks of UTF-32 begin with those of UTF-16, so they are tried first.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """The text of a file without its byte order mark, and what had to be guessed."""

    text: str
    notes: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """Return the text of a file: by its byte order mark, else UTF-8, else Windows-1252 with a note.

    Newlines stay as they are. An encoding that the file itself names (a cookie, a meta tag) is not
    obeyed: some of those names run code or expand. Raises `DocumentUnreadable` for binary data and
    for bytes that break the encoding which their mark promises.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return Decoded(text=_text(_marked(data[len(mark) :], encoding)))
    try:
        return Decoded(text=_text(data.decode("utf-8")))
    except UnicodeDecodeError:
        text = _text(data.decode("cp1252", errors="replace"))
    return Decoded(text=text, notes=("not UTF-8: read as Windows-1252",))


def _marked(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        reason = f"the byte order mark says {encoding}, but the bytes are not: {error.reason}"
        raise DocumentUnreadable(f"{reason}. Save the file as UTF-8") from None


def _text(text: str) -> str:
    """Return the text; refuse what only looks like text because every byte means something."""
    if "\x00" in text:
        raise DocumentUnreadable("binary: the file holds NUL bytes, so it is not text")
    sample = text[:_SAMPLE]
    if len(_CONTROLS.findall(sample)) > max(FEW_CONTROLS, MOST_CONTROLS * len(sample)):
        raise DocumentUnreadable("binary: the file is full of control characters")
    return text
