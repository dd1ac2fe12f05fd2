"""`tether eval truth`: measure the gate on statements that are known to be true or false."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tether.app.display import aligned, one_line
from tether.app.options import COUNT, as_json
from tether.app.progress import progress_of_questions
from tether.app.settings.values import SHIPPED
from tether.app.verifier import verifier_of
from tether.ask.evaluation.truth import Tally, Weighed, tallies, tallies_by_kind, weigh_all
from tether.ask.evaluation.truth_set import load_truth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.ask.evaluation.truth_set import TruthSet
    from tether.ask.verification.port import Verifier

HEADER = ("", "count", "of", "share", "95 %")
OTHERS = 5


@click.command("truth")
@click.argument("data", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--verifier",
    default=SHIPPED,
    show_default=True,
    metavar="none|shipped|FILE",
    help="Nobody, the included verifier, or a model file.",
)
@click.option(
    "--others",
    type=click.IntRange(min=0),
    default=OTHERS,
    show_default=True,
    help="How many passages of other quotes are shown beside the right one.",
)
@click.option("--seed", default=0, show_default=True, help="Which passages these are.")
@click.option(
    "--every", type=COUNT, default=1, show_default=True, help="Use only every n-th quote."
)
@click.option(
    "--workers",
    type=COUNT,
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="How many quotes are worked on at the same time.",
)
@click.option(
    "--show",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Print N false statements that are shown, and N true ones that are not.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    help="Write every statement with its scores, one JSON object a line.",
)
@as_json
def truth(
    *,
    data: Path,
    verifier: str,
    others: int,
    seed: int,
    every: int,
    workers: int,
    show: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Judge the statements of DATA (a file of JSON lines, plain or .gz, or a folder of such files).

    Each statement is reviewed as the only one of an answer, with its own passage and passages of
    other quotes of its file. Counts the false statements that are shown and the true ones that are.
    """
    sets = load_truth(data, every=every)
    reader = _reader(verifier)
    weighed = _weighed(sets, reader, others=others, seed=seed, workers=workers)
    if out is not None:
        lines = (json.dumps(one.to_json(), ensure_ascii=False) + "\n" for one in weighed)
        out.write_text("".join(lines), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(_object(sets, reader, weighed) | {"others": others, "seed": seed}))
    else:
        click.echo(_text(weighed, show))


def _reader(name: str) -> Verifier | None:
    """Return the verifier of a name; raises `VerifierFailed`.

    It works in the thread that calls it, so that its CPU time can be told.
    """
    verifier = verifier_of(name, threads=1)
    if verifier is not None:
        verifier.fingerprint  # noqa: B018  # which fails for a file that cannot be read
    return verifier


def _weighed(
    sets: Sequence[TruthSet], verifier: Verifier | None, *, others: int, seed: int, workers: int
) -> list[Weighed]:
    total = sum(len(case.trials) for one in sets for case in one.cases)
    found: list[Weighed] = []
    with progress_of_questions("Judging") as progress:
        for one in weigh_all(sets, verifier, others=others, seed=seed, workers=workers):
            found.append(one)
            progress(len(found), total)
    return found


def _object(
    sets: Sequence[TruthSet], verifier: Verifier | None, weighed: Sequence[Weighed]
) -> dict[str, Any]:
    return {
        "data": [one.name for one in sets],
        "verifier": "" if verifier is None else verifier.fingerprint,
        "quotes": sum(len(one.cases) for one in sets),
        "tallies": [one.to_json() for one in tallies(weighed)],
        "kinds": [one.to_json() for one in tallies_by_kind(weighed)],
        "cost": costs(weighed),
    }


def costs(weighed: Sequence[Weighed]) -> dict[str, float]:
    """Return the mean CPU milliseconds and claims of a statement."""
    return {
        name: round(sum(getattr(one, name) for one in weighed) / len(weighed), 2)
        for name in ("review_ms", "verifier_ms", "claims")
    }


def _text(weighed: Sequence[Weighed], show: int) -> str:
    cost = costs(weighed)
    spent = (
        f"CPU a statement: {cost['review_ms']:.1f} ms for the review, {cost['verifier_ms']:.1f} ms"
        f" for the verifier, which reads {cost['claims']:.1f} pairs"
    )
    rows = [HEADER, *map(_row, tallies(weighed)), *map(_row, tallies_by_kind(weighed))]
    wrong = [
        *_examples(
            "shown, and false", [one for one in weighed if one.shown and not one.is_true], show
        ),
        *_examples(
            "not shown, and true", [one for one in weighed if one.is_true and not one.shown], show
        ),
    ]
    return "\n\n".join((aligned(rows), spent, *wrong))


def _row(one: Tally) -> tuple[str, ...]:
    between = f"{one.interval.low:.3f} to {one.interval.high:.3f}"
    return one.name, str(one.count), str(one.total), f"{one.interval.value:.3f}", between


def _examples(title: str, wrong: Sequence[Weighed], most: int) -> list[str]:
    """Return the statements that the gate is wrong about, the surest first."""
    surest = sorted(wrong, key=lambda one: -one.probability)[:most]
    return [f"{title}:\n\n" + "\n\n".join(map(_example, surest))] if surest else []


def _example(one: Weighed) -> str:
    verdict = f"{one.standing}, {one.probability:.3f}" + (f", {one.fault}" if one.fault else "")
    return "\n".join(
        (
            f"{one.id} ({one.kind}): {verdict}",
            f"  said: {one_line(one.text)}",
            f"  asked: {one_line(one.question)}",
            f"  read: {one_line(one.reading)}",
        )
    )
