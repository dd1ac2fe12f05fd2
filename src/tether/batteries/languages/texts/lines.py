"""Lines of text, as every editor sees them."""

from __future__ import annotations

import re

_LINE_END = re.compile("\r\n|\n|\r")


def lines_of(text: str) -> list[str]:
    """Split text into lines; a line end at the end of the text starts no further line.

    Only LF, CRLF and CR end a line. `str.splitlines` also splits at U+2028, form feeds and others,
    which sit inside a line for whoever reads the same text in another program.
    """
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    return lines
