# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Runs a plan of training runs; each writes scores of the quotes it did not see, and weights.

PYTHONPATH=tools python3 -m verifier.train --data DATA --plan tools/verifier/plan.json --into OUT
    [--only NAME ...] [--device cpu --limit 8]
"""

import argparse
import json
import time
from pathlib import Path

import torch

from verifier.bench import Bench
from verifier.recipe import Run
from verifier.training import train


def main() -> None:
    """Run the plan, or the named runs of it."""
    options = _options()
    torch.backends.cuda.matmul.allow_tf32 = True
    options.into.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.data, options.device)
    counts = {name: len(part) for name, part in bench.files.items()}
    print(counts, len(bench.public), len(bench.rules), flush=True)
    runs = [Run(**entry) for entry in json.loads(options.plan.read_text())]
    for run in runs:
        if not options.only or run.name in options.only:
            started = time.monotonic()
            train(run, bench, options.into, options.limit)
            print(f"{run.name}: {time.monotonic() - started:.0f} s", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "plan", "into"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--device", default="cuda")
    parser.add_argument(
        "--limit", type=int, default=0, help="so many quotes and pairs: a quick try"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
