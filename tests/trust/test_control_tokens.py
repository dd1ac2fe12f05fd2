"""The lists of control tokens, held against what a real model's tokenizer says of itself."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

from support.local_engine import smollm2
from tether.trust.neutral import neutralise, restore
from tether.trust.tags import quoted

__all__ = ["smollm2"]

NUMBERS = dict(zip((*range(8), *range(10, 13)), "BbHhIif?Qqd", strict=True))
STRING, ARRAY = 8, 9
CONTROL, USER_DEFINED = 3, 4
"""Of the types of tokens in a GGUF file: those that a tokenizer finds wherever they stand."""


def number(file: BinaryIO, layout: str) -> Any:
    return struct.unpack(f"<{layout}", file.read(struct.calcsize(f"<{layout}")))[0]


def value(file: BinaryIO, kind: int) -> Any:
    if kind == STRING:
        return file.read(number(file, "Q")).decode("utf-8", "replace")
    if kind == ARRAY:
        of, length = number(file, "I"), number(file, "Q")
        return [value(file, of) for _ in range(length)]
    return number(file, NUMBERS[kind])


def control_tokens(path: Path) -> list[str]:
    """Read the header of a model's file, as the format's description has it."""
    with path.open("rb") as file:
        assert file.read(4) == b"GGUF"
        number(file, "I")  # the version
        number(file, "Q")  # how many tensors
        entries: dict[str, Any] = {}
        for _ in range(number(file, "Q")):
            key = value(file, STRING)
            entries[key] = value(file, number(file, "I"))
    tokens, types = entries["tokenizer.ggml.tokens"], entries["tokenizer.ggml.token_type"]
    typed = zip(tokens, types, strict=True)
    return [token for token, type_ in typed if type_ in {CONTROL, USER_DEFINED}]


def test_no_control_token_of_the_packaged_model_survives(smollm2: Path) -> None:
    tokens = control_tokens(smollm2)
    assert len(tokens) >= 10
    for token in tokens:
        assert token not in neutralise(f"text {token} text")
        assert token not in quoted(token)
        assert restore(neutralise(token)) == token
