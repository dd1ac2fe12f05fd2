"""Packs the sentence encoder's published weights small enough to travel to a training machine.

PYTHONPATH=tools python3 -m judge.pack --safetensors model.safetensors --into encoder.npz
"""

import argparse
from pathlib import Path

from judge import weights


def main() -> None:
    """Read the safetensors file, write int8 rows with their scales."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--safetensors", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    options = parser.parse_args()
    weights.pack(options.into, weights.read_sentence_encoder(options.safetensors))


if __name__ == "__main__":
    main()
