# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Gathers what training reads in one folder: quotes, public pairs, tokenizers, start weights.

PYTHONPATH=tools python3 -m verifier.prepare --truth FOLDER --claims train.jsonl.gz
    --encoder all-mpnet-base-v2 --into DATA [--whole]
"""

import argparse
import gzip
import json
import shutil
from pathlib import Path
from random import Random

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import load_file

from judge import weights
from judge.weights import Weights
from verifier.pairs import RULES

HERE = Path(__file__).parent
MODELS = HERE.parents[1] / "src" / "tether" / "retrieval" / "models"
SAMPLED_RULES, SAMPLED_PUBLIC, SEED = 12_000, 45_000, 5
"""What the shipped model was trained with: as much as could travel to the machine."""


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("truth", "claims", "encoder", "into"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--whole", action="store_true", help="all public pairs, as the trials had")
    options = parser.parse_args()
    into: Path = options.into
    for name in ("quotes", "large"):
        (into / name).mkdir(parents=True, exist_ok=True)
    copy_quotes(options.truth, into / "quotes")
    lines = gzip.decompress(options.claims.read_bytes()).decode().splitlines(keepends=True)
    content = "".join(lines if options.whole else sampled(lines))
    (into / "claims.jsonl.gz").write_bytes(gzip.compress(content.encode(), mtime=0))
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(options.encoder / name, into / "large" / name)
    weights.pack(into / "large" / "weights.npz", published(options.encoder / "model.safetensors"))
    shutil.copy(MODELS / "vocab.txt", into)
    weights.pack(into / "judge.npz", judge(MODELS / "judge.int8.onnx"))


def copy_quotes(truth: Path, into: Path) -> None:
    """Copy the tuning side of the truth set, and our own quotes beside it."""
    for path in truth.glob("*.tune.jsonl.gz"):
        shutil.copyfile(path, into / path.name)
    for path in HERE.glob("quotes/*.jsonl.gz"):
        shutil.copyfile(path, into / f"own-{path.name}")


def sampled(lines: list[str]) -> list[str]:
    """Return the sample of rule-made and of public pairs."""
    draw = Random(SEED)  # noqa: S311 - draws, not secrets
    rules = [line for line in lines if json.loads(line)["source"] == RULES]
    public = [line for line in lines if json.loads(line)["source"] != RULES]
    return draw.sample(rules, SAMPLED_RULES) + draw.sample(public, SAMPLED_PUBLIC)


def published(path: Path) -> Weights:
    """Return the weights of all-mpnet-base-v2 without the layer that pools."""
    raw: Weights = load_file(path)
    return {
        name: value
        for name, value in raw.items()
        if not name.startswith("pooler") and value.dtype == np.float32
    }


def judge(path: Path) -> Weights:
    """Return the weights of the shipped judge, out of its int8 ONNX file."""
    raw: Weights = {
        entry.name: numpy_helper.to_array(entry) for entry in onnx.load(path).graph.initializer
    }
    values = {
        name: value.astype(np.float32)
        for name, value in raw.items()
        if not name.startswith("constant") and not name.endswith(".scale")
    }
    for name in [name for name in values if raw[name].dtype == np.int8]:
        scale = raw[f"{name.removesuffix('.weight')}.scale"]
        values[name] = values[name] * scale if name == "word" else (values[name] * scale).T
    return values


if __name__ == "__main__":
    main()
