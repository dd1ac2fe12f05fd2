"""Do the quotes address the question: fit the rule of `ask.citations.address`, and measure it.

    python -m bench.addressing --data DATA [--work FOLDER] [--questions N] [--fit] [--write]

DATA holds `scifact`, `ray-docs`, `squad2` and `train` in the layout of `tether eval`. Each question
is answered by quotation, from eight passages found by words alone (no vectors, so that
an index takes seconds): once with the page that answers it, and once with that page hidden, which
makes a near miss. With --fit the rule is fitted on the tuning sides and printed, to be copied into
the module. Without, the rule in the module is measured on the report sides. What was seen is kept
in FOLDER, so that another rule is measured at once.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from bench.page import line, share, write_section

from tether.ask.citations.address import (
    WITH_JUDGE,
    WITHOUT_JUDGE,
    Opinionated,
    Rule,
    Signs,
    signs_of,
)
from tether.ask.citations.review import ReviewRules
from tether.ask.evidence import Evidence
from tether.ask.quoting.quotation import quote
from tether.retrieval.chunk import Chunk
from tether.retrieval.evaluation.dataset import DatasetSource, load_questions
from tether.retrieval.evaluation.refusals import pages_hidden
from tether.retrieval.floor.logistic import fit_logistic
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts
from tether.retrieval.judge import OnnxJudge, Opinion
from tether.retrieval.measures import auroc
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import SearchSettings

PASSAGES = 8
FALSE_REFUSALS = 0.05
SQUAD_ARTICLES = ("Steam_engine", "Warsaw")
PROJECTS = frozenset(
    {
        "cloudflare+cloudflare-docs",
        "docker+docs",
        "prometheus+docs",
        "JetBrains+kotlin-web-site",
        "argoproj+argo-cd",
    }
)
"""What the judge was not trained on: its scores there are what they will be elsewhere."""

FEATURES = ("covered", "name_missing", "unsuited", "relevance", "answers")
Cited = tuple[str, str, str]
"""A quote, its heading, and the key of its document."""


@dataclass
class Measured:
    """One set: the signs of right answers (they quote a page that answers) and of near misses."""

    name: str
    right: list[Signs] = field(default_factory=list[Signs])
    near: list[Signs] = field(default_factory=list[Signs])
    misses: int = 0
    """Questions without their page, answered or not."""


def main() -> None:
    """Fit, or measure, print and write the page."""
    options = _options()
    if options.fit:
        _fit([_kept(options, name) for name in TUNED])
        return
    text = _table([_kept(options, name) for name in REPORTED])
    print(text)
    if options.write:
        write_section("addressing", text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.addressing", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path(mkdtemp()))
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--fit", action="store_true", help="fit the rule on the tuning sides")
    parser.add_argument("--write", action="store_true", help="write docs/measurements.md")
    return parser.parse_args()


def _kept(options: argparse.Namespace, name: str) -> Measured:
    """Return what was seen of a set, now or in an earlier run of as many questions."""
    path = options.work / f"signs-{name.replace(' ', '-')}-{options.questions}.json"
    if path.is_file():
        form = json.loads(path.read_text())
        kinds = {kind: [_signs(one) for one in form[kind]] for kind in ("right", "near")}
        return Measured(name, misses=form["misses"], **kinds)
    measured = (TUNED | REPORTED)[name](options, OnnxJudge())
    measured.name = name
    path.write_text(json.dumps(asdict(measured)))
    print(f"# {name}: {len(measured.right)} right, {len(measured.near)} of {measured.misses} near")
    return measured


def _signs(form: dict[str, Any]) -> Signs:
    words = {name: form[name] for name in FEATURES[:3]}
    return Signs(opinion=Opinion(*form["opinion"]), **words)


def _pages(options: argparse.Namespace, judge: Opinionated, name: str, side: str) -> Measured:
    """Measure questions with and without the pages that answer them."""
    retriever = _retriever(options, name)
    asked = _drawn(load_questions(options.data / name, side=side), options.questions)
    measured = Measured(name)
    for question, hidden in zip(asked, pages_hidden(retriever, asked), strict=True):
        cited = _answered(retriever, question.text)
        is_right = any(document in question.relevant for _, _, document in cited)
        if is_right:
            _take(measured.right, judge, question.text, cited)
        measured.misses += 1
        _take(measured.near, judge, question.text, _answered(retriever, question.text, hidden))
    return measured


def _squad(options: argparse.Namespace, judge: Opinionated) -> Measured:
    """Measure answerable questions, and such as were written to look so."""
    retriever = _retriever(options, "squad2")
    rows = [
        row
        for row in _rows(options.data / "squad2" / "qa.jsonl.gz")
        if row["context_ids"][0].startswith(SQUAD_ARTICLES)
    ]
    measured = Measured("squad2")
    for answerable in (True, False):
        kind = [row for row in rows if row["answerable"] == answerable]
        for row in _drawn(kind, options.questions):
            cited = _answered(retriever, row["question"])
            found = any(answer in quote for answer in row["answers"] for quote, _, _ in cited)
            measured.misses += not answerable
            if found or not answerable:
                _take(measured.right if found else measured.near, judge, row["question"], cited)
    return measured


def _pairs(options: argparse.Namespace, judge: Opinionated, name: str) -> Measured:
    """Measure questions with the passage that answers them among others, and without it."""
    rows = [
        row
        for row in _rows(options.data / "train" / f"{name}.pairs.jsonl.gz")
        if row["negatives"] and (name != "docfaq" or row["repo"] in PROJECTS)
    ]
    measured = Measured(name)
    for row in _drawn(rows, options.questions):
        title, others = row["positive_title"] or "", row["negatives"][: PASSAGES - 1]
        for passages in ([row["positive"], *others], others):
            chunks = [
                Chunk.whole(text, id=str(at), document=str(at), title=title)
                for at, text in enumerate(passages)
            ]
            cited = _quoted(row["question"], chunks)
            is_there = passages is not others
            measured.misses += not is_there
            if not is_there or any(document == "0" for _, _, document in cited):
                kind = measured.right if is_there else measured.near
                _take(kind, judge, row["question"], cited)
    return measured


Measure = Callable[[argparse.Namespace, Opinionated], Measured]
TUNED: dict[str, Measure] = {
    "squad2": _squad,
    "docfaq": lambda options, judge: _pairs(options, judge, "docfaq"),
    "ray-docs synthetic": lambda options, judge: _pages(options, judge, "ray-docs", "synthetic"),
    "scifact train": lambda options, judge: _pages(options, judge, "scifact", "train"),
    "stackoverflow-cli": lambda options, judge: _pairs(options, judge, "stackoverflow-cli"),
    "stackexchange": lambda options, judge: _pairs(options, judge, "stackexchange"),
    "perlfaq": lambda options, judge: _pairs(options, judge, "perlfaq"),
}
FITTED = 3
"""So many of these sets have near misses worth the name; the others only bound the threshold."""

REPORTED: dict[str, Measure] = {
    "scifact": lambda options, judge: _pages(options, judge, "scifact", ""),
    "ray-docs": lambda options, judge: _pages(options, judge, "ray-docs", ""),
}


def _retriever(options: argparse.Namespace, name: str) -> Retriever:
    index = Index.create(options.work / name, default_parts())
    index.apply(index.plan(DatasetSource(folder=options.data / name)), embedder=None)
    settings = SearchSettings(judged=0)
    return Retriever(
        index=index.snapshot(), embedder=None, judge=None, floor=None, settings=settings
    )


def _answered(
    retriever: Retriever, question: str, hidden: frozenset[int] = frozenset()
) -> list[Cited]:
    found = retriever.search(Query(question=question), limit=PASSAGES, hidden=hidden)
    return _quoted(question, [hit.chunk for hit in found.hits])


def _quoted(question: str, chunks: Sequence[Chunk]) -> list[Cited]:
    """Return the quotes of an answer from chunks, in the order of their rank."""
    evidence = [
        Evidence(number=at, chunk=chunk, version="") for at, chunk in enumerate(chunks, start=1)
    ]
    points = quote(evidence, question, ReviewRules(code=True)).points
    windows = [stated.window for _, stated in points]
    cited = [(window.reading, window.passage.evidence.chunk) for window in windows]
    return [(reading, chunk.heading, chunk.document) for reading, chunk in cited]


def _take(kind: list[Signs], judge: Opinionated, question: str, cited: Sequence[Cited]) -> None:
    quotes, headings = [it[0] for it in cited], [it[1] for it in cited]
    signs = signs_of(question, quotes, headings, judge)
    if signs is not None:
        kind.append(signs)


def _drawn(rows: Sequence[Any], count: int) -> list[Any]:
    return random.Random(1).sample(list(rows), min(count, len(rows)))


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _fit(sets: Sequence[Measured]) -> None:
    for name, features in (("WITH_JUDGE", FEATURES), ("WITHOUT_JUDGE", FEATURES[:3])):
        kinds = [
            (kind, kind is one.right) for one in sets[:FITTED] for kind in (one.right, one.near)
        ]
        rows = np.array([_row(signs, features) for kind, _ in kinds for signs in kind])
        labels = np.array([is_right for kind, is_right in kinds for _ in kind])
        weighing = np.array([100 / len(kind) for kind, _ in kinds for _ in kind])
        model = fit_logistic(rows, labels, importance=weighing)
        weights = np.array(model.weights) / np.array(model.scales)
        intercept = model.intercept - float(weights @ np.array(model.means))
        given = dict(zip(features, weights.round(3).tolist(), strict=True))
        rule = Rule(intercept=round(intercept, 3), threshold=0.0, **given)
        bounds = {one.name: _bound(rule, one.right) for one in sets}
        threshold = int(1000 * min(bounds.values())) / 1000
        print(f"{name} = {replace(rule, threshold=threshold)}  # the least of {bounds}")
        for one in sets:
            refused = [_refused(rule, kind, threshold) for kind in (one.right, one.near)]
            print(f"#   {one.name}: refused of right, of near: {refused}")


def _bound(rule: Rule, right: Sequence[Signs]) -> float:
    """Return the threshold at which 5 % of the right answers of a set are refused."""
    return round(float(np.quantile([rule.score(it) for it in right], FALSE_REFUSALS)), 4)


def _refused(rule: Rule, kind: Sequence[Signs], threshold: float) -> float:
    return round(float(np.mean([rule.score(it) < threshold for it in kind])), 3)


def _row(signs: Signs, features: Sequence[str]) -> list[float]:
    values = [signs.covered, float(signs.name_missing), float(signs.unsuited)]
    return [*values, *(signs.opinion or ())][: len(features)]


def _table(sets: Sequence[Measured]) -> str:
    heads = ["index", "signs", "near misses answered without the check", "with it"]
    heads += ["right answers refused by it", "AUROC", "near misses", "right answers"]
    lines = [line(heads), line(["---"] * len(heads))]
    for one in sets:
        for name, rule in (("words alone", WITHOUT_JUDGE), ("words and judge", WITH_JUDGE)):
            right, near = ([rule.score(it) for it in kind] for kind in (one.right, one.near))
            passed = sum(score >= rule.threshold for score in near)
            shares = [len(near) / one.misses, passed / one.misses]
            shares += [sum(score < rule.threshold for score in right) / len(right)]
            shares += [auroc(right, near)]
            cells = [one.name, name, *map(share, shares), str(one.misses), str(len(right))]
            lines.append(line(cells))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
