"""An answer of the past against the documents of today."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ask.volumes import PAGE, PAGES, QUOTE, answered, library
from retrieval.index.made import Texts
from tether.ask.receipt import Receipt, Verification, verify

REST = {"pods.md": PAGES["pods.md"]}


def checked(folder: Path, *steps: Texts) -> Verification:
    with library(folder / "index", *steps) as found:
        return verify(Receipt(answer=answered(), form={}), found)


@pytest.mark.parametrize(
    ("page", "standing", "holds"),
    [
        (PAGE, "still-true", True),
        (PAGE + "\nAnd more.\n", "still-true", True),
        ("---\ntitle: Volumes\n---\n" + PAGE, "moved", True),
        (PAGE.replace("never", "seldom"), "source-changed", False),
        (None, "source-gone", False),
    ],
)
def test_each_quote_stands_moved_changed_or_is_gone(
    page: str | None, standing: str, holds: bool, tmp_path: Path
) -> None:
    now = REST if page is None else {**REST, "volumes.md": page}
    found = checked(tmp_path, PAGES, now)
    assert [one.standing for one in found.checked] == [standing, "still-true"]
    assert found.holds is holds
    start = found.checked[0].start
    assert start == (page.index(QUOTE) if page is not None and holds else -1)


def test_the_same_corpus_is_named(tmp_path: Path) -> None:
    with library(tmp_path / "index", PAGES) as found:
        same = replace(answered(), corpus=found.corpus)
        assert verify(Receipt(answer=same, form={}), found).same_corpus
        assert not verify(Receipt(answer=answered(), form={}), found).same_corpus


def test_forged_places_and_empty_quotes_support_nothing(tmp_path: Path) -> None:
    first = answered().citations[0]
    forged = (
        replace(first, quote=""),
        replace(first, start=-5),
        replace(first, start=10**30),
        replace(first, document="../volumes.md"),
    )
    receipt = Receipt(answer=replace(answered(), citations=forged), form={})
    with library(tmp_path / "index", PAGES) as found:
        standings = [one.standing for one in verify(receipt, found).checked]
    assert standings == ["source-changed", "moved", "moved", "source-gone"]


TABLE = "# Limits\n\n| name | most |\n|---|---|\n| tasks | 5 |\n| queues | 9 |\n"
OTHER_TABLE = TABLE.replace("most", "least")
ROW, HEADER = "| tasks | 5 |", "| name | most |"


@pytest.mark.parametrize(
    ("page", "standing", "left"),
    [
        (TABLE, "still-true", "row, header"),
        (f"{TABLE}\nMore.\n", "still-true", "row, header"),
        (f"New.\n\n{TABLE}", "moved", "row, header"),
        (TABLE.replace("| tasks | 5 |\n", ""), "source-changed", "nothing"),
        (OTHER_TABLE, "source-changed", "row"),
        (f"{TABLE.replace('5', '6')}\n| tasks | 5 |\n", "moved", "row, header"),
        (f"{OTHER_TABLE}\n{TABLE}", "moved", "row, header"),
        (f"{OTHER_TABLE}\n{TABLE.partition(ROW)[0]}", "source-changed", "row"),
    ],
)
def test_a_quote_counts_with_the_lead_in_above_it(
    page: str, standing: str, left: str, tmp_path: Path
) -> None:
    cited = replace(
        answered().citations[0],
        document="limits.md",
        quote=ROW,
        start=TABLE.index(ROW),
        end=TABLE.index(ROW) + len(ROW),
        lead=HEADER,
        lead_start=TABLE.index(HEADER),
        lead_end=TABLE.index(HEADER) + len(HEADER),
    )
    receipt = Receipt(answer=replace(answered(), citations=(cited,)), form={})
    with library(tmp_path / "index", {"limits.md": page}) as found:
        verified = verify(receipt, found)
    (one,) = verified.checked
    assert one.standing == standing
    header = page.index(HEADER) if "header" in left else -1
    assert one.lead_start == header
    assert one.start == (page.index(ROW, max(header, 0)) if "row" in left else -1)
    assert verified.holds is (standing in ("still-true", "moved"))


def test_an_answer_without_sources_has_nothing_to_lose(tmp_path: Path) -> None:
    refused = replace(answered(), citations=(), verdict="abstained", reason="below-floor")
    with library(tmp_path / "index", PAGES) as found:
        assert verify(Receipt(answer=refused, form={}), found).holds
