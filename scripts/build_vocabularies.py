"""Rebuild the merge lists in `src/tether/core/vocabularies` from the published ranks.

Usage:

    python scripts/build_vocabularies.py SOURCE [--into FOLDER]

SOURCE is a folder that holds, for each of `r50k_base`, `cl100k_base` and `o200k_base`, either the
published `NAME.tiktoken` file or the `NAME.js` file of the npm package `js-tiktoken`:

    npm pack js-tiktoken && tar -xzf js-tiktoken-*.tgz
    python scripts/build_vocabularies.py package/dist/ranks

The other encodings need no file of their own: `gpt2` has the ranks of `r50k_base`, `p50k_base` and
`p50k_edit` add runs of spaces to them, and `o200k_harmony` has the ranks of `o200k_base`.

A file holds, compressed with zlib, the 256 single bytes in rank order, and then for each later
rank the two earlier ranks it is merged from: the low, middle and high bytes of all left ranks,
then of all right ranks. That is smaller than the tokens themselves under any compressor of the
standard library, and quick to read. Ranks have to run from 0 without gaps.

`tests/core/test_bpe.py` proves the result against the checksums that tiktoken publishes.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import zlib
from itertools import pairwise
from pathlib import Path

VOCABULARIES = ("r50k_base", "cl100k_base", "o200k_base")
DESTINATION = Path(__file__).parent.parent / "src" / "tether" / "core" / "vocabularies"


def read_tiktoken(text: str) -> dict[bytes, int]:
    """Parse a `.tiktoken` file: one token in Base64 and its rank on each line."""
    entries = (line.split() for line in text.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in entries}


def read_javascript(text: str) -> dict[bytes, int]:
    """Parse a rank file of js-tiktoken: lines of `! FIRST_RANK TOKEN TOKEN ...` inside JSON."""
    content = json.loads(text[text.index("{") : text.rindex("}") + 1])
    ranks: dict[bytes, int] = {}
    for line in content["bpe_ranks"].splitlines():
        _, first_rank, *tokens = line.split()
        for rank, token in enumerate(tokens, int(first_rank)):
            ranks[base64.b64decode(token)] = rank
    return ranks


def read_ranks(source: Path, vocabulary: str) -> dict[bytes, int]:
    """Return the ranks of one vocabulary from whichever kind of file the folder holds."""
    published = source / f"{vocabulary}.tiktoken"
    if published.exists():
        return read_tiktoken(published.read_text("ascii"))
    return read_javascript((source / f"{vocabulary}.js").read_text("utf-8"))


def merged_from(token: bytes, ranks: dict[bytes, int]) -> tuple[int, int]:
    """Return the ranks of the two tokens whose merge makes `token`.

    Raises `ValueError` where merging the token's bytes takes a rank that is not below its own, or
    ranks that do not ascend: the encoder merges rank by rank and relies on neither happening.
    """
    parts = [token[at : at + 1] for at in range(len(token))]
    latest, unknown = -1, len(ranks)
    while len(parts) > 2:
        candidates = [ranks.get(left + right, unknown) for left, right in pairwise(parts)]
        lowest = min(candidates)
        if not latest <= lowest < ranks[token]:
            raise ValueError(f"token {token!r} is not a merge of earlier tokens")
        at = candidates.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        latest = lowest
    return ranks[parts[0]], ranks[parts[1]]


def to_planes(numbers: list[int]) -> bytes:
    """Return the low bytes of all numbers, then their middle bytes, then their high bytes."""
    return b"".join(bytes(number >> shift & 0xFF for number in numbers) for shift in (0, 8, 16))


def to_merges(ranks: dict[bytes, int]) -> bytes:
    """Return the content of a vocabulary file, before compression.

    Raises `ValueError` for ranks that the format cannot hold.
    """
    tokens = sorted(ranks, key=ranks.__getitem__)
    if [ranks[token] for token in tokens] != list(range(len(tokens))):
        raise ValueError("the ranks do not run from 0 without gaps")
    if any(len(token) != 1 for token in tokens[:256]):
        raise ValueError("the first 256 ranks are not the single bytes")
    pairs = [merged_from(token, ranks) for token in tokens[256:]]
    lefts, rights = [left for left, _ in pairs], [right for _, right in pairs]
    return b"".join(tokens[:256]) + to_planes(lefts) + to_planes(rights)


def main(arguments: list[str]) -> None:
    """Write every vocabulary file and say how large each one is."""
    parser = argparse.ArgumentParser(description="Rebuild the vocabularies of tether.core.bpe.")
    parser.add_argument("source", type=Path, help="folder with NAME.tiktoken or NAME.js files")
    parser.add_argument("--into", type=Path, default=DESTINATION, help="where to write")
    options = parser.parse_args(arguments)
    for vocabulary in VOCABULARIES:
        compressed = zlib.compress(to_merges(read_ranks(options.source, vocabulary)), 9)
        path = options.into / f"{vocabulary}.merges"
        path.write_bytes(compressed)
        sys.stdout.write(f"{path.name}: {len(compressed)} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
