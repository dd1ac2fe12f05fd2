"""Keeping the PDF parser quiet: what is wrong with a file is in its state, not in the log."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager

_SILENT = logging.CRITICAL + 1


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
