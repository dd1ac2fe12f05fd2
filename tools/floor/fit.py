"""Fits the prior of the floor, and measures it on each corpus with a prior of the others.

PYTHONPATH=tools python3 -m floor.fit FEATURES [--target .02] [--into prior.json]
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from floor.cases import Case, load_cases
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.errors import CalibrationImpossible
from tether.retrieval.floor.calibrate import fit_floor
from tether.retrieval.floor.calibration import Calibration, FloorModel, Parts, Rate
from tether.retrieval.floor.floor import DENSE, LEXICAL
from tether.retrieval.floor.logistic import LogisticModel, fit_logistic
from tether.retrieval.floor.prior import shifted
from tether.retrieval.floor.questions import Answered

SUBJECTS = {
    "docker": "computing",
    "powershell": "computing",
    "ray": "computing",
    "sql": "computing",
    "covid": "medicine",
    "scifact": "medicine",
}
"""The subject of a corpus; all others are about everything. Far questions are of another subject,
those of the same one are neighbours."""

NONE = Rate(share=0.0, low=0.0, high=1.0, count=0)
PARTS = Parts(embedder=MiniLm().fingerprint, judge="", chunker="", search="")


class Measured(NamedTuple):
    """The shares of questions that a floor refuses in one corpus; `far` by corpus of origin."""

    name: str
    answerable: float
    hidden: float
    near: float | None
    far: Mapping[str, float]

    @property
    def foreign(self) -> float:
        """The mean share over the corpora of other subjects."""
        shares = [share for name, share in self.far.items() if not is_neighbour(self.name, name)]
        return float(np.mean(shares))

    @property
    def neighbouring(self) -> float | None:
        """The mean share over the other corpora of the same subject."""
        shares = [share for name, share in self.far.items() if is_neighbour(self.name, name)]
        return float(np.mean(shares)) if shares else None


def is_neighbour(one: str, other: str) -> bool:
    """Return whether two corpora are about the same subject."""
    return one in SUBJECTS and SUBJECTS[one] == SUBJECTS.get(other)


def main() -> None:
    """Print the tables, and write the prior."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("features", type=Path)
    parser.add_argument("--target", type=float, default=0.02)
    parser.add_argument("--into", type=Path)
    options = parser.parse_args()
    models = []
    for names, search in ((LEXICAL + DENSE, "features"), (LEXICAL, "words")):
        cases = load_cases(options.features, search)
        after = {case.name: _without(case, cases, names, options.target) for case in cases}
        before = {case.name: _made_alone(case) for case in cases}
        print(f"\n## {', '.join(names)}\n")
        print("\n".join([*summary(before, after), "", *pairs(after)]))
        fitted = fit_prior(cases, names, options.target)
        models.append(rated(fitted, cases, after))
    if options.into:
        prior = Calibration(
            parts=PARTS, target=options.target, questions="corpus", models=tuple(models)
        )
        options.into.write_text(f"{prior.to_json()}\n")


def _without(case: Case, cases: Sequence[Case], names: tuple[str, ...], target: float) -> Measured:
    """Measure a prior of the other corpora, whose questions alone it knows."""
    others = [other.without(case.name) for other in cases if other.name != case.name]
    model = shifted(fit_prior(others, names, target), case.made_far)
    return measured(case, model)


def _made_alone(case: Case) -> Measured | None:
    """Measure a floor fitted to questions made from the documents; None if too few can be made."""
    try:
        fitted = fit_floor([*case.made, *case.made_far], PARTS, source="corpus")
    except CalibrationImpossible:
        return None
    return measured(case, fitted.models[0])


def fit_prior(cases: Sequence[Case], names: tuple[str, ...], target: float) -> FloorModel:
    """Fit one model on all corpora, which weigh the same, relative to their made far questions.

    The threshold refuses `target` of the answerable questions, in the mean of the corpora.
    """
    rows, labels, weights = [], [], []
    centres = {case.name: _rows(case.made_far, names).mean(axis=0) for case in cases}
    for case in cases:
        for asked, label in ((case.answerable, True), (_foreign(case), False)):
            found = _rows(asked, names)
            rows.append(found - centres[case.name])
            labels += [label] * len(found)
            weights += [100 / len(found)] * len(found)
    fitted = fit_logistic(np.vstack(rows), np.array(labels), importance=np.array(weights))
    centre = np.mean(list(centres.values()), axis=0)
    model = FloorModel(
        features=names,
        model=_centred(fitted, centre),
        threshold=0.0,
        false_refusals=NONE,
        far_refusals=NONE,
        near_refusals=NONE,
    )
    return replace(model, threshold=_threshold(model, cases, target))


def _foreign(case: Case) -> list[Answered]:
    """Return the questions that are to be refused; neighbours pass or not, as it happens."""
    far = [asked for name, asked in case.far.items() if not is_neighbour(case.name, name)]
    return [*case.made_far, *(one for asked in far for one in asked)]


def _centred(fitted: LogisticModel, centre: np.ndarray) -> LogisticModel:
    """Return the model with its means at the far questions; the intercept takes the rest."""
    weights, scales = np.array(fitted.weights), np.array(fitted.scales)
    intercept = fitted.intercept - float(weights @ (np.array(fitted.means) / scales))
    return replace(fitted, means=tuple(centre.tolist()), intercept=intercept)


def _threshold(model: FloorModel, cases: Sequence[Case], target: float) -> float:
    scores, shares = [], []
    for case in cases:
        found = probabilities(shifted(model, case.made_far), case.answerable)
        scores += found
        shares += [1 / len(found) / len(cases)] * len(found)
    order = np.argsort(scores)
    passed = np.cumsum(np.array(shares)[order]) > target
    return float(np.array(scores)[order][int(np.argmax(passed))])


def _rows(asked: Iterable[Answered], names: Sequence[str]) -> np.ndarray:
    return np.array([[one.features[name] for name in names] for one in asked if one.features])


def probabilities(model: FloorModel, asked: Sequence[Answered]) -> list[float]:
    """Return the probability of each question, -1 for one that finds nothing."""
    found = iter(model.model.probabilities(_rows(asked, model.features)).tolist())
    return [next(found) if one.features else -1.0 for one in asked]


def measured(case: Case, model: FloorModel) -> Measured:
    """Return what a model refuses in a corpus."""

    def share(asked: Sequence[Answered]) -> float:
        return float(np.mean(np.array(probabilities(model, asked)) < model.threshold))

    return Measured(
        name=case.name,
        answerable=share(case.answerable),
        hidden=share(case.hidden),
        near=share(case.near) if case.near else None,
        far={name: share(asked) for name, asked in case.far.items()},
    )


def rated(model: FloorModel, cases: Sequence[Case], found: Mapping[str, Measured]) -> FloorModel:
    """Return the model with the rates of the priors that did not know the corpus."""
    near = {case.name: one for case in cases if (one := found[case.name].near) is not None}
    return replace(
        model,
        false_refusals=_rate(
            [one.answerable for one in found.values()], sum(len(case.answerable) for case in cases)
        ),
        far_refusals=_rate(
            [one.foreign for one in found.values()],
            sum(
                len(asked)
                for case in cases
                for name, asked in case.far.items()
                if not is_neighbour(case.name, name)
            ),
        ),
        near_refusals=_rate(
            list(near.values()), sum(len(case.near) for case in cases if case.name in near)
        ),
    )


def _rate(shares: Sequence[float], count: int) -> Rate:
    return Rate(
        share=round(float(np.mean(shares)), 4),
        low=round(min(shares), 4),
        high=round(max(shares), 4),
        count=count,
        collections=len(shares),
    )


def summary(before: Mapping[str, Measured | None], after: Mapping[str, Measured]) -> Iterator[str]:
    """Yield the table of both rates, before and after."""
    head = "false, was | false | far, was | far | neighbours, was | neighbours | page hidden | near"
    yield f"| corpus | {head} |"
    yield f"|---|{'---|' * 8}"
    for name, new in after.items():
        old = before[name]
        cells = [
            *(_cell(old and old.answerable), _cell(new.answerable)),
            *(_cell(old and old.foreign), _cell(new.foreign)),
            *(_cell(old and old.neighbouring), _cell(new.neighbouring)),
            *(_cell(new.hidden), _cell(new.near)),
        ]
        yield f"| {name} | {' | '.join(cells)} |"


def _cell(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


def pairs(found: Mapping[str, Measured]) -> Iterator[str]:
    """Yield the table of every pair: the share of a corpus's questions refused in another."""
    yield f"| asked of | {' | '.join(found)} |"
    yield f"|---|{'---|' * len(found)}"
    for name, one in found.items():
        cells = [
            f"({one.answerable:.0%})" if other == name else f"{one.far[other]:.0%}"
            for other in found
        ]
        yield f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
