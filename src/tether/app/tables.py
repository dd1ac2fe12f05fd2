"""Measures as tables of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.retrieval.evaluation.evaluate import MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.evaluation.evaluate import StageResult
    from tether.retrieval.evaluation.refusals import RefusalResult


def tables(ranked: Sequence[StageResult], refused: Sequence[RefusalResult]) -> str:
    """Return the measures of every stage, and below them what is refused."""
    names = list(MEASURES)
    rows = [["stage", *names]]
    rows += [[one.stage, *(f"{one.measures[name]:.3f}" for name in names)] for one in ranked]
    text = [aligned(rows)] if ranked else []
    if refused:
        rows = [["not answerable", "n", "AUROC", "cosine", "at 5 %", "cosine", "stored", "false"]]
        rows += [_refusal_row(one) for one in refused]
        text.append(aligned(rows))
    return "\n\n".join(text)


def _refusal_row(one: RefusalResult) -> list[str]:
    shares = (one.auroc, one.auroc_of_cosine, one.refused, one.refused_by_cosine)
    stored = (one.at_threshold, one.false_refusals)
    return [one.name, str(one.questions), *(f"{share:.3f}" for share in (*shares, *stored))]


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as lines, the first column to the left and the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
