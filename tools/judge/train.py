# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Trains judges by a plan, measures each, averages them and writes their weights.

PYTHONPATH=tools python3 -m judge.train --pools FOLDER --encoder encoder.npz --first FIRST.onnx
    --vocabulary vocab.txt --plan tools/judge/plan.json --into FOLDER
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import torch

from judge import weights
from judge.recipe import Recipe
from judge.scoring import on_device, report
from judge.training import train
from judge.weights import Weights
from judge.workbench import Workbench, open_workbench


def main() -> None:
    """Run the plan: recipes, then soups (named averages), each measured on what is held."""
    options = _options()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    models = {
        "encoder": weights.unpack(options.encoder),
        "first": weights.read_first_judge(options.first),
    }
    encoder = on_device(models["encoder"], device)
    bench = open_workbench(options.pools, options.vocabulary, encoder, device)
    plan: dict[str, Any] = json.loads(options.plan.read_text())
    for name in plan["measure"]:
        report(name, on_device(models[name], device), bench, plan["uses"])
    _follow(plan, models, bench, device)
    options.into.mkdir(parents=True, exist_ok=True)
    for name in plan["write"]:
        weights.pack(options.into / f"{name}.npz", models[name])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("pools", "encoder", "first", "vocabulary", "plan", "into"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


def _follow(
    plan: dict[str, Any], models: dict[str, Weights], bench: Workbench, device: str
) -> None:
    """Add the plan's runs and soups to the models."""
    for entry in plan["recipes"]:
        recipe = Recipe(**entry)
        began = time.monotonic()
        models[recipe.name] = train(recipe, models[recipe.start], bench, device)
        print(f"{recipe.name} trained in {time.monotonic() - began:.0f} s", flush=True)
        report(recipe.name, on_device(models[recipe.name], device), bench, plan["uses"])
    for name, shares in plan["soups"].items():
        models[name] = weights.average([models[part] for part in shares], list(shares.values()))
        report(name, on_device(models[name], device), bench, plan["uses"])


if __name__ == "__main__":
    main()
