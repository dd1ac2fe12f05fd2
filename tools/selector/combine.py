r"""Fits how the logits of judge and features make one, and says what a threshold would refuse.

The three numbers are `JUDGE_WEIGHT`, `FEATURE_WEIGHT` and `CONSTANT` of
`tether/ask/quoting/selection.py`; the threshold is `LEAST_ANSWER` of
`tether/ask/citations/address.py`.

PYTHONPATH=tools:src python3 -m selector.combine --sets SETS --logits student-fold1.json ...
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from selector.fit import regressed
from selector.records import ANSWERABLE, CLASSES, ENDING, Question, Unit, read
from tether.ask.citations.address import MOST_READ
from tether.ask.quoting.selection import MOST_OF_A_PASSAGE

THRESHOLDS = (-3.0, -2.5, -2.25, -2.0, -1.75, -1.5, -1.25, -1.0, -0.5, 0.0)
NOT_FOUND = "not found"
"""Answerable questions for which no wanted unit was found: whatever is shown is wrong."""

Logits = dict[str, dict[str, float]]
"""By question and by the place of a unit."""


class Asked(NamedTuple):
    """A question with the units that the product would have the judge read."""

    set: str
    kind: str
    units: list[Unit]
    logits: list[float]


def main() -> None:
    """Read sets and logits, print the numbers and the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--logits", type=Path, nargs="+", required=True)
    options = parser.parse_args()
    logits: Logits = {}
    for path in options.logits:
        logits |= json.loads(path.read_text())
    asked = list(_asked(options.sets, logits))
    numbers = fitted(asked)
    print("JUDGE_WEIGHT, FEATURE_WEIGHT, CONSTANT =", ", ".join(f"{one:.2f}" for one in numbers))
    for name in (*sorted({one.set for one in asked}), None):
        some = [one for one in asked if name in (None, one.set)]
        print(f"\n{name or 'all'}: {_chosen(some, numbers)}\n{_refused(some)}")


def _asked(folder: Path, logits: Logits) -> Iterator[Asked]:
    """Yield the questions that have logits."""
    for name in sorted({id.partition("/")[0] for id in logits}):
        for question in read(folder / f"{name}{ENDING}"):
            known = {int(at): one for at, one in logits.get(f"{name}/{question.id}", {}).items()}
            places = _read_places(question, known)
            if places:
                is_lost = question.kind == ANSWERABLE and not question.has_wanted
                kind = NOT_FOUND if is_lost else question.kind
                units = [question.units[at] for at in places]
                yield Asked(name, kind, units, [known[at] for at in places])


def _read_places(question: Question, known: dict[int, float]) -> list[int]:
    """Return the best units by features, few of a passage, as the product takes them."""
    taken: list[int] = []
    seen = Counter[int]()
    for at in question.ranked():
        unit = question.units[at]
        if at in known and unit.coverage > 0 and seen[unit.passage] < MOST_OF_A_PASSAGE:
            seen[unit.passage] += 1
            taken.append(at)
    return taken[:MOST_READ]


def fitted(asked: Sequence[Asked]) -> tuple[float, float, float]:
    """Return the weights of judge and features, and the constant."""
    used = [one for one in asked if one.kind != NOT_FOUND]
    judge = [logit for one in used for logit in one.logits]
    features = [unit.logit for one in used for unit in one.units]
    labels = np.array([unit.is_wanted for one in used for unit in one.units], float)
    weights: Any = regressed(np.c_[judge, features], labels)
    return float(weights[0]), float(weights[1]), float(weights[2])


def _chosen(asked: Sequence[Asked], numbers: tuple[float, float, float]) -> str:
    """Return how often a wanted unit is read, is the best, and is one of the best three."""
    counts = Counter[str]()
    for one in asked:
        if one.kind == ANSWERABLE:
            both = numbers[0] * np.array(one.logits)
            both += numbers[1] * np.array([unit.logit for unit in one.units])
            wanted = [one.units[at].is_wanted for at in np.argsort(-both, kind="stable")]
            counts["asked"] += 1
            counts["read"] += any(wanted)
            counts["first"] += wanted[0]
            counts["three"] += any(wanted[:3])
    return str(dict(counts))


def _refused(asked: Sequence[Asked]) -> str:
    """Return a table: by threshold, the share of each class whose best logit is below it."""
    best: dict[str, list[float]] = {kind: [] for kind in (ANSWERABLE, NOT_FOUND, *CLASSES[1:])}
    for one in asked:
        best[one.kind].append(max(one.logits))
    kinds = [kind for kind, found in best.items() if found]
    lines = ["| below | " + " | ".join(f"{kind} ({len(best[kind])})" for kind in kinds) + " |"]
    lines.append("|---" * (1 + len(kinds)) + "|")
    for least in THRESHOLDS:
        shares = (np.mean(np.array(best[kind]) < least) for kind in kinds)
        lines.append(f"| {least:.2f} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
