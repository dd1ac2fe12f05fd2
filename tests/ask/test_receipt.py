"""Receipts: an answer as a file that finds out when it was changed, and one that was not."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.volumes import PAGES, QUOTE, answered, library
from tether.ask.errors import ReceiptUnreadable
from tether.ask.receipt import MOST_BYTES, read_receipt, receipt_of, verify, write_receipt
from tether.core.errors import InputRefused
from tether.core.plain_data import canonical_json


@pytest.fixture(scope="module")
def form(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    reviews = [{"attempt": 1, "failures": ["citation"]}, {"attempt": 2, "failures": []}]
    now = datetime(2026, 3, 4, tzinfo=UTC)
    with library(tmp_path_factory.mktemp("receipt") / "index", PAGES) as found:
        return receipt_of(
            answered(), found, prompt="Say it.", reviews=reviews, verifier="small:1f", now=now
        )


def sealed(form: dict[str, Any]) -> dict[str, Any]:
    """Return a form with the checksum that anybody could compute."""
    rest = {name: value for name, value in form.items() if name != "checksum"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {**rest, "checksum": sha256(text.encode()).hexdigest()}


def test_a_receipt_has_everything_that_the_answer_rests_on(form: dict[str, Any]) -> None:
    assert form["tether_receipt"] == 1
    assert form["written_at"] == "2026-03-04T00:00:00+00:00"
    assert form["index"] == {"generation": 1, "corpus": "c1", "place": ""}
    assert form["model"] == "extractive"
    assert form["prompt"] == {"sha256": sha256(b"Say it.").hexdigest(), "characters": 7}
    assert form["ledger"] == {"window": 100, "free": 40}
    assert [review["failures"] for review in form["reviews"]] == [["citation"], []]
    first = form["citations"][0]
    assert first["quote_sha256"] == sha256(QUOTE.encode()).hexdigest()
    assert (first["lead_start"], first["lead_end"], first["lead_sha256"]) == (-1, -1, "")
    assert form["verifier"] == "small:1f"
    assert form["statements"][1] == {
        "text": "A pod is the smallest thing that runs.",
        "words": "model",
        "probability": 0.87,
        "source": 2,
        "quote": "A pod is the smallest thing that runs.",
    }
    assert first["chunk_sha256"] == sha256(b"## Size\n\n" + QUOTE.encode()).hexdigest()
    assert form == sealed(form)


def test_a_receipt_without_prompt_ledger_and_passages_says_so(tmp_path: Path) -> None:
    with library(tmp_path / "index", {"other.md": "# Other\n\nNothing of it.\n"}) as found:
        form = receipt_of(answered(), found)
    assert form["prompt"] == {"sha256": "", "characters": 0}
    assert {one["chunk_sha256"] for one in form["citations"]} == {""}
    assert datetime.fromisoformat(form["written_at"]).tzinfo is not None


def test_what_was_written_is_read_again(form: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("an older one")
    write_receipt(path, form)
    read = read_receipt(path)
    assert read.answer == answered()
    assert read.form == form
    assert [item.name for item in tmp_path.iterdir()] == ["out.json"]


def test_a_lead_in_has_a_place_and_a_hash(tmp_path: Path) -> None:
    first, second = answered().citations
    led = replace(first, lead="## Size", lead_start=9, lead_end=16)
    with library(tmp_path / "index", PAGES) as found:
        form = receipt_of(replace(answered(), citations=(led, second)), found)
    evidence = form["citations"][0]
    assert (evidence["lead_start"], evidence["lead_end"]) == (9, 16)
    assert evidence["lead_sha256"] == sha256(b"## Size").hexdigest()


def test_a_receipt_of_an_older_version_is_read(form: dict[str, Any], tmp_path: Path) -> None:
    old = json.loads(json.dumps(form))
    del old["answer"]["statements"], old["statements"], old["verifier"]
    for one in old["answer"]["citations"]:
        for name in ("lead", "lead_start", "lead_end", "reading"):
            del one[name]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(sealed(old)))
    read = read_receipt(path)
    assert read.answer.statements == ()
    assert [one.lead_start for one in read.answer.citations] == [-1, -1]
    assert read.answer.citations[0].quote == QUOTE
    with library(tmp_path / "index", PAGES) as found:
        assert verify(read, found).holds


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_receipt_is_for_its_owner_alone(form: dict[str, Any], tmp_path: Path, umask: int) -> None:
    path = tmp_path / "receipt.json"
    path.write_text("an older one that everybody reads")
    path.chmod(0o644)
    before = os.umask(umask)
    try:
        write_receipt(path, form)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_receipt(path).form == form
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_told(form: dict[str, Any], tmp_path: Path) -> None:
    for place in (tmp_path / "missing" / "out.json", tmp_path):
        with pytest.raises(InputRefused, match="cannot be written to"):
            write_receipt(place, form)
    assert not list(tmp_path.iterdir())


@given(at=st.integers(min_value=0), bit=st.integers(0, 7))
def test_no_changed_bit_passes(
    form: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, at: int, bit: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.json"
    data = bytearray(canonical_json(form).encode())
    data[at % len(data)] ^= 1 << bit
    path.write_bytes(data)
    with pytest.raises(ReceiptUnreadable):
        read_receipt(path)


def test_a_missing_file_and_a_huge_one_are_told(tmp_path: Path) -> None:
    with pytest.raises(ReceiptUnreadable, match="cannot be read: No such file"):
        read_receipt(tmp_path / "missing.json")
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ReceiptUnreadable, match="larger than any receipt"):
        read_receipt(huge)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a receipt"),
        ("[]", "must be a JSON object"),
        ("{}", "is not a receipt; `tether ask --receipt FILE` writes one"),
        ('{"tether_receipt": 2}', "has format 2; this version reads receipts of format 1"),
        ('{"a":' * 100_000, "is not a receipt"),
        ('{"tether_receipt": 1, "checksum": "00"}', "was changed since it was written"),
    ],
)
def test_what_is_no_receipt_is_told_apart(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(ReceiptUnreadable, match=said):
        read_receipt(path)


def _without_answer(form: dict[str, Any]) -> None:
    del form["answer"]


def _answer_is_text(form: dict[str, Any]) -> None:
    form["answer"] = "yes"


def _start_is_text(form: dict[str, Any]) -> None:
    form["answer"]["citations"][0]["start"] = "0"


def _number_is_a_truth(form: dict[str, Any]) -> None:
    form["answer"]["citations"][0]["number"] = True


def _text_is_missing(form: dict[str, Any]) -> None:
    del form["answer"]["text"]


def _text_is_a_list(form: dict[str, Any]) -> None:
    form["answer"]["text"] = ["a"]


def _statement_is_cited_elsewhere(form: dict[str, Any]) -> None:
    form["answer"]["statements"][0]["citation"] = 2


def _statement_is_certain_twice(form: dict[str, Any]) -> None:
    form["answer"]["statements"][0]["probability"] = 2


def _statement_is_likely(form: dict[str, Any]) -> None:
    form["answer"]["statements"][0]["probability"] = "likely"


def _statement_is_of_a_stranger(form: dict[str, Any]) -> None:
    form["answer"]["statements"][0]["words"] = ["model"]


def _statement_starts_nowhere(form: dict[str, Any]) -> None:
    form["answer"]["statements"][0]["start"] = None


def _lead_is_a_number(form: dict[str, Any]) -> None:
    form["answer"]["citations"][0]["lead"] = 1


def _error_is_empty(form: dict[str, Any]) -> None:
    form["answer"]["error"] = []


@pytest.mark.parametrize(
    "change",
    [
        _without_answer,
        _answer_is_text,
        _start_is_text,
        _number_is_a_truth,
        _text_is_missing,
        _text_is_a_list,
        _error_is_empty,
        _statement_is_cited_elsewhere,
        _statement_is_certain_twice,
        _statement_is_likely,
        _statement_is_of_a_stranger,
        _statement_starts_nowhere,
        _lead_is_a_number,
    ],
)
def test_a_forged_form_with_a_right_checksum_is_still_no_answer(
    change: Callable[[dict[str, Any]], None], form: dict[str, Any], tmp_path: Path
) -> None:
    forged = json.loads(json.dumps(form))
    change(forged)
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(sealed(forged)))
    with pytest.raises(ReceiptUnreadable, match="contains no readable answer"):
        read_receipt(path)
