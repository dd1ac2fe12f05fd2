"""Unicode normal forms in bounded time."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from tether.core.errors import LimitExceeded

NormalForm = Literal["NFC", "NFD", "NFKC", "NFKD"]

MOST_MARKS = 256
"""How many combining marks may stand on one character; UAX #15 needs 30 for any real text."""


def normal_form(form: NormalForm, text: str) -> str:
    """Return text in a normal form of UAX #15.

    Marks are sorted one by one, which takes quadratic time on one long run of them: a run of more
    than `MOST_MARKS` raises `LimitExceeded`.
    """
    if text.isascii():
        return text
    marks = "".join(character for character in set(text) if _only_combines(character))
    if marks and max(map(len, re.findall(f"[{re.escape(marks)}]+", text))) > MOST_MARKS:
        raise LimitExceeded(
            f"the text has more than {MOST_MARKS} combining marks in a row: remove them, or give "
            "the text in parts"
        )
    return unicodedata.normalize(form, text)


def _only_combines(character: str) -> bool:
    """Say whether a character is nothing but marks once it is taken apart."""
    return all(map(unicodedata.combining, unicodedata.normalize("NFKD", character)))
