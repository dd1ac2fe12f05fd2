"""The corpus to measure on: a folder of documents, and a larger one made from it."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from tether.retrieval.chunk import Chunk

CHANGED = 0.1
"""The share of longer words that a repetition has changed, so that no two chunks are the same."""

_WORD = re.compile(r"\b[a-z]{5,}\b")


def repeat(folder: Path, into: Path, times: int) -> None:
    """Copy a folder of Markdown `times` times; all but the first copy have other words in places.

    Changed words are taken from the corpus itself, so their frequencies stay what they are.
    """
    dice = random.Random(7)
    pages = sorted(path for path in folder.rglob("*.md") if path.is_file())
    texts = [page.read_text(encoding="utf-8", errors="replace") for page in pages]
    words = [word for text in texts for word in _WORD.findall(text)]
    for turn in range(times):
        for page, text in zip(pages, texts, strict=True):
            copy = into / f"copy-{turn}" / page.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text if turn == 0 else _changed(text, words, dice), encoding="utf-8")


def _changed(text: str, words: Sequence[str], dice: random.Random) -> str:
    def other(match: re.Match[str]) -> str:
        return dice.choice(words) if dice.random() < CHANGED else match[0]

    return _WORD.sub(other, text)


def unpacked(corpus: Path, into: Path) -> Path:
    """Return the folder of a corpus that may be a folder or an archive."""
    if corpus.is_dir():
        return corpus
    shutil.unpack_archive(corpus, into, filter="data")
    return into


def questions(chunks: Sequence[Chunk], count: int) -> list[str]:
    """Return questions of 4 to 12 words: a heading, and some words of the text below it."""
    dice = random.Random(11)
    found: list[str] = []
    while len(found) < count:
        chunk = dice.choice(chunks)
        body = chunk.plain.split()
        if len(body) >= 12:
            start = dice.randrange(len(body) - 8)
            heading = chunk.heading_path[-1].split()[:6]
            found.append(" ".join([*heading, *body[start : start + dice.randint(3, 6)]]))
    return found
