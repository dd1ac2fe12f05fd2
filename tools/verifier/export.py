# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Averages trained verifiers, folds the calibration into the last layer, writes int8 ONNX.

PYTHONPATH=tools python3 -m verifier.export --weights a.npz b.npz --into verifier.int8.onnx
    [--temperature T --supports B]
"""

import argparse
from pathlib import Path

import numpy as np

from judge import weights
from judge.export import build
from judge.weights import Weights

ANSWERS = 3


def main() -> None:
    """Read weights, write the ONNX file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, nargs="+", required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--supports", type=float, default=0.0)
    options = parser.parse_args()
    members = [weights.unpack(path) for path in options.weights]
    soup = weights.average(members, [1 / len(members)] * len(members))
    values = calibrated(soup, temperature=options.temperature, supports=options.supports)
    content = build(values, outputs=ANSWERS).SerializeToString()
    options.into.parent.mkdir(parents=True, exist_ok=True)
    options.into.write_bytes(content)
    print(f"{options.into}: {len(content):,} bytes")


def calibrated(values: Weights, *, temperature: float, supports: float) -> Weights:
    """Return weights whose softmax is calibrated: logits divided, "supports" shifted."""
    shift = np.zeros(ANSWERS, np.float32)
    shift[0] = supports
    return {
        **values,
        "head2.weight": values["head2.weight"] / temperature,
        "head2.bias": values["head2.bias"] / temperature + shift,
    }


if __name__ == "__main__":
    main()
