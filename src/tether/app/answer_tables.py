"""Graded answers as a table of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.app.tables import aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.ask.evaluation.grading import Grade
    from tether.ask.evaluation.results import Result, Summary

HEADER = ("kind", "n", "answered", "verdict", "right", "links", "quotes", "retries", "ms", "p95")
EXCERPT = 120


def answer_table(summaries: Sequence[Summary]) -> str:
    """Return the counts of each kind of question; `links` and `quotes` are to equal `n`."""
    rows: list[list[str]] = [[*HEADER]]
    for one in summaries:
        counts = (one.asked, one.answered, one.verdicts, one.right, one.links, one.quotes)
        times = (f"{one.median_ms:.0f}", f"{one.p95_ms:.0f}")
        rows.append([one.kind, *map(str, counts), str(one.retries), *times])
    return aligned(rows)


def wrong_lines(results: Sequence[Result]) -> list[str]:
    """Return a line for every answer that is not as it was expected, with why."""
    return [
        f"{result.id} ({result.kind}): {', '.join(_reasons(result.grade))}: {_excerpt(result)}"
        for result in results
        if not (result.grade.right and result.grade.links and result.grade.quotes)
    ]


def _reasons(grade: Grade) -> list[str]:
    looked_at = {
        "other verdict": grade.verdict,
        "other page": grade.page,
        "text missing": grade.says,
        "wrong yes or no": grade.yes_no,
        "forbidden text": grade.clean,
        "link outside": grade.links,
        "quote not found": grade.quotes,
    }
    return [reason for reason, holds in looked_at.items() if holds is False]


def _excerpt(result: Result) -> str:
    text = " ".join((result.problem or f"{result.verdict}: {result.text}").split())
    return text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…"
