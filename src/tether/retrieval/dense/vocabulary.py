"""Reading the vocabulary of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tether.core.errors import EmbeddingFailed, JudgeFailed


def read_vocabulary(path: Path, failure: type[EmbeddingFailed | JudgeFailed]) -> list[str]:
    """Return the tokens of a `vocab.txt`, one a line; raises `failure` where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        message = f"the vocabulary {path} cannot be read: {type(error).__name__}"
        raise failure(message, retryable=False) from error
