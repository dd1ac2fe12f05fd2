"""The corpus to measure on: a folder of documents, and a larger one made from it."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tether.retrieval.chunk import Chunk

CHANGED = 0.1
"""The share of longer words that a repetition has changed, so that no two chunks are the same."""

MADE_FROM = "made-from.txt"
SHORTEST = 12

_WORD = re.compile(r"\b[a-z]{5,}\b")


def repeat(folder: Path, into: Path, times: int) -> None:
    """Copy a folder of Markdown `times` times; all but the first copy have other words in places.

    Changed words are taken from the corpus itself, so their frequencies stay what they are.
    """
    dice = random.Random(7)
    pages = pages_of(folder)
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


def repeated(folder: Path, into: Path, times: int) -> Path:
    """Return a folder of so many copies, made now unless an earlier run left the very same."""
    stamp = f"{folder} {sum(page.stat().st_size for page in pages_of(folder))} bytes, {times} times"
    note = into / MADE_FROM
    if note.is_file() and note.read_text() == stamp:
        return into / "pages"
    shutil.rmtree(into, ignore_errors=True)
    repeat(folder, into / "pages", times)
    note.write_text(stamp)
    return into / "pages"


def pages_of(folder: Path) -> list[Path]:
    """Return the pages of a corpus in order; raises `FileNotFoundError` where there are none."""
    pages = sorted(path for path in folder.rglob("*.md") if path.is_file())
    if not pages:
        raise FileNotFoundError(f"{folder} holds no Markdown")
    return pages


def size_of(folder: Path) -> int:
    """Return the bytes of a corpus."""
    return sum(page.stat().st_size for page in pages_of(folder))


def unpacked(corpus: Path, into: Path) -> Path:
    """Return the folder of a corpus that may be a folder or an archive."""
    if corpus.is_dir():
        return corpus
    if not into.is_dir():
        shutil.unpack_archive(corpus, into, filter="data")
    return into


def sample(folder: Path, into: Path, most_bytes: int) -> Path:
    """Copy pages from all over a corpus until there are about so many bytes."""
    pages = pages_of(folder)
    random.Random(3).shuffle(pages)
    taken = 0
    for page in pages:
        if taken < most_bytes:
            copy = into / page.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, copy)
            taken += page.stat().st_size
    return into


def questions(chunks: Sequence[Chunk], count: int) -> list[str]:
    """Return questions of 4 to 12 words: a heading, and some words of the text below it."""
    dice = random.Random(11)
    usable = [chunk for chunk in chunks if len(chunk.plain.split()) >= SHORTEST]
    return [_question(dice.choice(usable), dice) for _ in range(count)]


def _question(chunk: Chunk, dice: random.Random) -> str:
    body = chunk.plain.split()
    start = dice.randrange(len(body) - 8)
    heading = (chunk.heading_path or (chunk.title,))[-1].split()[:6]
    return " ".join([*heading, *body[start : start + dice.randint(3, 6)]])


def recombined(chunks: Sequence[Chunk], size: int) -> Iterator[tuple[int, Chunk]]:
    """Yield so many rows: the chunks, then each again with its second half from another one.

    Cheaper than changing words, so that what is timed is not this; frequencies stay what they are.
    """
    count = len(chunks)
    for row in range(size):
        chunk = chunks[row % count]
        if row >= count:
            other = chunks[(row + (row // count) * 7_919) % count].plain
            half = chunk.plain[: len(chunk.plain) // 2]
            chunk = replace(chunk, plain=f"{half} {other[len(other) // 2 :]}")
        yield row, chunk
