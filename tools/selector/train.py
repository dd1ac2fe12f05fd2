# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Runs a plan: teachers, then the judge as their student; figures and logits on held sets.

PYTHONPATH=tools python3 -m selector.train --sets SETS --data DATA \
    --plan tools/selector/plan.json --into OUT [--only NAME ...] [--device cpu --limit 8]
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from selector.groups import Group, read_groups
from selector.losses import StudentLoss, TeacherLoss
from selector.measure import Scores, mean, report, report_passages, scored
from selector.models import Student, Teacher
from selector.recipe import Run, read_plan
from selector.records import ANSWERABLE
from selector.training import train

SIGN_OF_LIFE = 50
"""A run that holds nothing out is measured on so many questions that it has seen."""


def main() -> None:
    """Run the plan, or the named runs of it."""
    options = _options()
    options.into.mkdir(parents=True, exist_ok=True)
    groups = read_groups(options.sets, options.data / "vocab.txt")
    print(len(groups), "questions", sum(len(group.units) for group in groups), "units", flush=True)
    for run in read_plan(options.plan):
        if not options.only or run.name in options.only:
            started = time.monotonic()
            _Runner(run, groups, options).run()
            print(f"{run.name}: {time.monotonic() - started:.0f} s", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("sets", "data", "plan", "into"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=int, help="so many questions: a quick try")
    return parser.parse_args()


class _Runner:
    """One run: which questions it learns from, and which it is measured on."""

    def __init__(self, run: Run, groups: Sequence[Group], options: argparse.Namespace) -> None:
        self._run, self._data, self._into = run, options.data, options.into
        self._device: str = options.device
        unseen = {*run.hold, *run.without}
        seen = [group for group in groups if group.set not in unseen]
        usable = [group for group in seen if group.kind != ANSWERABLE or group.has_wanted]
        self._learned = usable[: options.limit]
        held = [group for group in groups if group.set in run.hold]
        self._held = held[: options.limit] or self._learned[:SIGN_OF_LIFE]

    def run(self) -> None:
        """Train the teachers and the student; print figures, write logits and weights."""
        print(f"{self._run.name}: {len(self._learned)} questions learned", flush=True)
        student = self._student(self._soft())
        scores = scored(student, self._held)
        self._report("student", scores)
        if self._run.write:
            student.write(self._into / f"{self._run.name}.npz")

    def _soft(self) -> Scores:
        """Return the mean logits of the teachers on what they learned from."""
        learned: list[Scores] = []
        held: list[Scores] = []
        for seed in self._run.teachers:
            teacher = Teacher(self._data / "large", self._device, seed)
            loss = TeacherLoss(model=teacher, recipe=self._run.teacher)
            train(teacher, self._run.teacher, self._learned, loss, seed=seed)
            learned.append(scored(teacher, self._learned, None))
            held.append(scored(teacher, self._held))
        self._report("teachers", mean(held))
        return mean(learned)

    def _student(self, soft: Scores) -> Student:
        student, old = (Student(self._data / "judge.npz", self._device) for _ in range(2))
        recipe = self._run.student
        loss = StudentLoss(
            model=student, recipe=recipe, weighed=self._run.weighed, soft=soft, old=old
        )
        train(student, recipe, self._learned, loss, seed=self._run.seed)
        for name, model in (("old judge", old), ("student", student)):
            report_passages(f"{self._run.name} {name}", model, self._held)
        return student

    def _report(self, who: str, scores: Scores) -> None:
        """Print the figures of each held set, and write the logits by the places of units."""
        name = f"{self._run.name} {who}"
        for held in sorted({group.set for group in self._held}):
            report(f"{name} {held}", [one for one in self._held if one.set == held], scores)
        report(f"{name} all", self._held, scores)
        logits = {
            group.id: {
                unit.at: round(logit, 3)
                for unit, logit in zip(group.units, scores[group.id], strict=False)
            }
            for group in self._held
        }
        (self._into / f"{who}-{self._run.name}.json").write_text(json.dumps(logits))


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = True
    main()
