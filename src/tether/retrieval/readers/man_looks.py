"""Whether a file is a manual page: `.1` is also the ending of a release or of an old log."""

from __future__ import annotations

import re
import zlib

FIRST_BYTES = 16_384
"""How much of a file is looked at."""

SECTIONS = frozenset(f".{number}" for number in range(1, 10))
_PACKED = b"\x1f\x8b"
_TITLE = re.compile(rb"^[.'][ \t]*(?:TH|Dt|so|SH|Sh)[ \t]", re.MULTILINE)
_NAME = re.compile(r".+(?P<section>\.[1-9])(?:(?!z$)[a-z][a-z0-9]{0,5})?(?:\.gz)?", re.DOTALL)
_OTHER = re.compile(r"\.(?:so|log)(?:\.\d+)+$")


def man_section(name: str) -> str:
    """Return the section of a manual page as its ending: `.3` for `open.3pm.gz`; else ""."""
    lowered = name.lower()
    found = _NAME.fullmatch(lowered)
    return found["section"] if found and not _OTHER.search(lowered) else ""


def looks_like_man(data: bytes) -> bool:
    """Return whether the first bytes of a file have the title or a section of a manual page.

    One that is compressed and damaged counts as one, so that its reader says what is wrong.
    """
    if is_compressed(data):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data[:FIRST_BYTES], FIRST_BYTES)
        except zlib.error:
            return True
    return b"\0" not in data and _TITLE.search(data[:FIRST_BYTES]) is not None


def is_compressed(data: bytes) -> bool:
    """Return whether bytes begin as those of gzip do."""
    return data.startswith(_PACKED)
