# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""What the runs of a plan share: pairs, tokenizers and the weights that they start from."""

from collections.abc import Sequence
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import BertWordPieceTokenizer, Tokenizer

from verifier.batches import Pieces
from verifier.pairs import RULES, Quote, read_public, read_quotes
from verifier.recipe import Encoder, Run


class Bench:
    """The folder that `verifier.prepare` writes."""

    def __init__(self, data: Path, device: str) -> None:
        self.device = device
        self.data = data
        self.files = {path.name: read_quotes(path) for path in sorted(data.glob("quotes/*.jsonl*"))}
        claims = read_public(data / "claims.jsonl.gz")
        self.rules = [one for one in claims if one.kind == RULES]
        self.public = [one for one in claims if one.kind != RULES]

    def quotes(self, run: Run) -> tuple[list[Quote], list[Quote]]:
        """Return the quotes that a run learns from, and those it is measured on."""
        used = [
            one
            for name, part in self.files.items()
            if not run.files or _is_any(name, run.files)
            for one in part
            if not _is_any(one.corpus, run.hold)
        ]
        held = [
            one for part in self.files.values() for one in part if _is_any(one.corpus, run.hold)
        ]
        return used, held

    def pieces(self, encoder: Encoder) -> Pieces:
        """Return what cuts pairs for an encoder."""
        return self._large_pieces if encoder == "large" else self._small_pieces

    @cached_property
    def _large_pieces(self) -> Pieces:
        return Pieces(Tokenizer.from_file(str(self.data / "large" / "tokenizer.json")), pad=1)

    @cached_property
    def _small_pieces(self) -> Pieces:
        words: Any = BertWordPieceTokenizer(str(self.data / "vocab.txt"), lowercase=True)
        return Pieces(words)


def _is_any(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)
