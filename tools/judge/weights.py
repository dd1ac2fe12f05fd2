# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Weights as plain named arrays: read from their published files, packed small, averaged.

Names: `word`, `position`, `type`, `norm`; for each layer `N.qkv`, `N.out`, `N.up` and `N.down`
(each [outputs, inputs], with a bias), `N.norm1` and `N.norm2`; the head is `head1` and `head2`.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Weights = dict[str, Array]

LAYERS = 6
WIDTH = 384
HEAD_INPUTS = 5 * WIDTH + 2


def read_sentence_encoder(path: Path) -> Weights:
    """The weights of all-MiniLM-L6-v2 from its safetensors file; no head."""
    raw = _safetensors(path)
    weights = {
        "word": raw["embeddings.word_embeddings.weight"],
        "position": raw["embeddings.position_embeddings.weight"],
        "type": raw["embeddings.token_type_embeddings.weight"],
        "norm.weight": raw["embeddings.LayerNorm.weight"],
        "norm.bias": raw["embeddings.LayerNorm.bias"],
    }
    for number in range(LAYERS):
        weights |= _layer(raw, number)
    return {name: np.asarray(value, np.float32) for name, value in weights.items()}


def _safetensors(path: Path) -> Weights:
    """The tensors of a safetensors file: a JSON header that names byte ranges, then the bytes."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8:start])
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(
            content[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]],
            np.float32 if entry["dtype"] == "F32" else np.int64,
        ).reshape(entry["shape"])
        for name, entry in header.items()
    }


def _layer(raw: Weights, number: int) -> Weights:
    """One layer, its query, key and value matrices stacked."""
    prefix = f"encoder.layer.{number}."
    names = {
        "out": "attention.output.dense",
        "norm1": "attention.output.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm2": "output.LayerNorm",
    }
    parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
    weights = {
        f"{number}.qkv.{kind}": np.concatenate([raw[f"{part}.{kind}"] for part in parts])
        for kind in ("weight", "bias")
    }
    for ours, theirs in names.items():
        for kind in ("weight", "bias"):
            weights[f"{number}.{ours}.{kind}"] = raw[f"{prefix}{theirs}.{kind}"]
    return weights


def read_first_judge(path: Path) -> Weights:
    """The weights of the first judge, out of its int8 ONNX file (so they carry its rounding)."""
    import onnx  # noqa: PLC0415 - only needed to start from that file
    from onnx import numpy_helper  # noqa: PLC0415

    raw: Weights = {
        entry.name: numpy_helper.to_array(entry) for entry in onnx.load(path).graph.initializer
    }

    def table(name: str) -> Array:
        shifted = raw[f"{name}_quantized"].astype(np.float32) - raw[f"{name}_zero_point"]
        return np.asarray(shifted * raw[f"{name}_scale"], np.float32)

    weights = {
        "word": table("m.b.we.weight"),
        "position": raw["m.b.pe.weight"],
        "type": table("m.b.te.weight"),
        "norm.weight": raw["m.b.ln.weight"],
        "norm.bias": raw["m.b.ln.bias"],
    }
    matrices = sorted(
        name.removesuffix("_quantized")
        for name in raw
        if name.startswith("onnx::MatMul") and name.endswith("_quantized")
    )
    kinds = (("qkv", "qkv"), ("out", "o"), ("up", "f1"), ("down", "f2"))
    for number in range(LAYERS):
        for place, (ours, theirs) in enumerate(kinds):
            weights[f"{number}.{ours}.weight"] = table(matrices[4 * number + place]).T
            weights[f"{number}.{ours}.bias"] = raw[f"m.b.layers.{number}.{theirs}.bias"]
        for part in (1, 2):
            for kind in ("weight", "bias"):
                weights[f"{number}.norm{part}.{kind}"] = raw[f"m.b.layers.{number}.ln{part}.{kind}"]
    for ours, theirs in (("head1", "m.l1"), ("head2", "m.l2")):
        weights[f"{ours}.weight"] = table(f"{theirs}.weight").T
        weights[f"{ours}.bias"] = raw[f"{theirs}.bias"]
    return {name: np.ascontiguousarray(value, np.float32) for name, value in weights.items()}


def with_new_head(weights: Weights, seed: int) -> Weights:
    """The same weights with a small random head where they have none."""
    if "head1.weight" in weights:
        return dict(weights)
    draw = np.random.default_rng(seed)
    return {
        **weights,
        "head1.weight": draw.normal(0, 0.02, (WIDTH, HEAD_INPUTS)).astype(np.float32),
        "head1.bias": np.zeros(WIDTH, np.float32),
        "head2.weight": draw.normal(0, 0.02, (2, WIDTH)).astype(np.float32),
        "head2.bias": np.zeros(2, np.float32),
    }


def average(members: Sequence[Weights], shares: Sequence[float]) -> Weights:
    """The weighted mean of models that started from the same weights."""
    return {
        name: np.sum(
            [share * member[name] for member, share in zip(members, shares, strict=True)], 0
        )
        for name in members[0]
    }


def pack(path: Path, weights: Weights) -> None:
    """Write matrices as int8 with a scale a row: small enough to travel, and exact to export."""
    packed: Weights = {}
    for name, value in weights.items():
        if value.ndim == 2 and len(value) > 2:
            scale = np.abs(value).max(1, keepdims=True) / 127
            packed[f"{name}|scale"] = scale.astype(np.float32)
            packed[f"{name}|rounded"] = np.rint(value / np.maximum(scale, 1e-12)).astype(np.int8)
        else:
            packed[name] = value.astype(np.float16)
    np.savez_compressed(path, allow_pickle=False, **packed)


def unpack(path: Path) -> Weights:
    """Read what `pack` wrote, or full weights written by `numpy.savez`."""
    with np.load(path) as file:
        raw: Weights = dict(file)
    weights = {
        name: np.asarray(value, np.float32) for name, value in raw.items() if "|" not in name
    }
    for name in [name for name in raw if name.endswith("|rounded")]:
        plain = name.removesuffix("|rounded")
        weights[plain] = raw[name].astype(np.float32) * raw[f"{plain}|scale"]
    return weights
