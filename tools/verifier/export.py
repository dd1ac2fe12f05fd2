# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Folds the calibration into the last layer of a trained verifier and writes it as ONNX.

PYTHONPATH=tools python3 -m verifier.export --weights verifier.npz --into verifier.onnx
    --temperature 2.0 --shift .65 [--attention 8 --feed-forward 4]
"""

import argparse
from pathlib import Path

import numpy as np

from judge import weights
from judge.weights import Weights
from verifier.graph import VerifierGraph


def main() -> None:
    """Read packed weights, write the ONNX file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--temperature", type=float, required=True)
    parser.add_argument("--shift", type=float, required=True)
    parser.add_argument("--attention", type=int, choices=(4, 8), default=8, help="bits")
    parser.add_argument("--feed-forward", type=int, choices=(4, 8), default=4, help="bits")
    options = parser.parse_args()
    trained = weights.unpack(options.weights)
    values = calibrated(trained, temperature=options.temperature, shift=options.shift)
    bits = {"attention": options.attention, "feed_forward": options.feed_forward}
    content = VerifierGraph(values, **bits).model().SerializeToString()
    options.into.write_bytes(content)
    print(f"{options.into}: {len(content):,} bytes")


def calibrated(values: Weights, *, temperature: float, shift: float) -> Weights:
    """Return weights whose softmax is calibrated: logits divided, that of "supports" shifted."""
    moved = np.array([shift, 0, 0], np.float32)
    return {
        **values,
        "second.weight": values["second.weight"] / temperature,
        "second.bias": values["second.bias"] / temperature + moved,
    }


if __name__ == "__main__":
    main()
