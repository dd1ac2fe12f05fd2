"""The function that all text passes on its way into the system."""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"
_UNWANTED = re.compile("[\x00\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Return `text` without NUL and surrogates; the same object if it has neither.

    A high surrogate followed by a low one becomes the character they encode (some servers send JSON
    like this). A lone one becomes U+FFFD, because UTF-8 cannot carry it and a store, a hash or a
    socket would fail on it much later. NUL is dropped: databases refuse it.
    """
    if text.isascii():
        return text.replace("\x00", "") if "\x00" in text else text
    if _UNWANTED.search(text) is None:
        return text
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return paired.replace("\x00", "")
