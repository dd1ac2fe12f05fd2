"""How good retrieval is: measure the report sides and write the tables of `docs/measurements.md`.

    python -m bench.quality --data DATA [--work FOLDER] [--judge on|off]

DATA holds `scifact`, `ray-docs` and `squad2` in the layout of `tether eval`. Indexes are kept in
FOLDER, so that a second run embeds nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from bench.page import line, share, write_section

FAR = {"scifact": ["ray-docs"], "ray-docs": ["scifact"], "squad2": ["ray-docs", "scifact"]}
MEASURES = ("ndcg@10", "mrr@10", "hit@1")

Found = dict[str, Any]


def main() -> None:
    """Measure, print, and write the page."""
    options = _options()
    found = [_measured(name, far, options) for name, far in FAR.items()]
    text = "\n\n".join([_ranking([one for one in found if one["stages"]]), _refusals(found)])
    print(text)
    if options.write:
        write_section("quality", text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path(mkdtemp()))
    parser.add_argument("--judge", choices=["on", "off"], default="on")
    parser.add_argument("--write", action="store_true", help="write docs/measurements.md")
    return parser.parse_args()


def _measured(name: str, far: Sequence[str], options: argparse.Namespace) -> Found:
    """Rank with the judge where it is wanted; refuse without, which is a tenth of the time."""
    refused = _run(name, options, "off", *(f"--far={options.data / other}" for other in far))
    if options.judge == "on" and refused["stages"]:
        refused["stages"] = _run(name, options, "on", "--no-refusals")["stages"]
    return refused


def _run(name: str, options: argparse.Namespace, judge: str, *more: str) -> Found:
    command = [sys.executable, "-m", "tether.app", "eval", "retrieval", str(options.data / name)]
    command += ["--index", str(options.work / name), "--judge", judge, "--json", *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    found: Found = json.loads(done.stdout)
    return found


def _ranking(found: Sequence[Found]) -> str:
    """Return one row for each stage, with the measures of each dataset side by side."""
    heads = [f"{one['data']} {measure}" for one in found for measure in MEASURES]
    lines = [line(["stage", *heads]), line(["---"] * (len(heads) + 1))]
    for place, stage in enumerate(found[0]["stages"]):
        values = [one["stages"][place][measure] for one in found for measure in MEASURES]
        lines.append(line([stage["stage"], *(share(value) for value in values)]))
    counts = ", ".join(f"{one['stages'][0]['questions']} of {one['data']}" for one in found)
    return "\n".join([*lines, "", f"Questions: {counts}."])


def _refusals(found: Sequence[Found]) -> str:
    heads = ["index", "questions without an answer", "n", "AUROC", "of cosine alone"]
    heads += ["refused at 5 %", "by cosine", "refused by the stored floor", "false refusals by it"]
    lines = [line(heads), line(["---"] * len(heads))]
    for one in found:
        for refusal in one["refusals"]:
            shares = ("auroc", "auroc_of_cosine", "refused", "refused_by_cosine")
            stored = ("at_threshold", "false_refusals")
            cells = [one["data"], refusal["name"], str(refusal["questions"])]
            lines.append(line([*cells, *(share(refusal[key]) for key in (*shares, *stored))]))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
