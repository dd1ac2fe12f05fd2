"""Reads a safetensors file: a JSON header that says where each tensor lies, then the tensors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

DTYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}


def tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Return every tensor of the file by its name; raises `KeyError` for a type not used here."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header: dict[str, dict[str, Any]] = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {name: _tensor(data, 8 + size, entry) for name, entry in header.items()}


def _tensor(data: bytes, base: int, entry: dict[str, Any]) -> NDArray[Any]:
    start, end = entry["data_offsets"]
    flat = np.frombuffer(data[base + start : base + end], DTYPES[entry["dtype"]])
    return flat.reshape(entry["shape"])
