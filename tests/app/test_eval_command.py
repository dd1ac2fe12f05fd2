"""`tether eval retrieval`: every stage with every measure, and the refusals of a floor."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from app.pages import put
from app.shell import run
from retrieval.floor.railway import DEEDS, THINGS, page
from retrieval.index.made import room
from tether.retrieval.evaluation.stages import MEASURES

pytestmark = pytest.mark.usefixtures("cheap")

FEW = {f"{thing}.md": page(thing) for thing in THINGS[:7]}
STAGES = ["words", "grams", "dense", "fusion", "fusion + boost", "mix"]


def lines(rows: Sequence[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def labelled(folder: Path) -> Path:
    """Write a dataset of the handbook with a question for some of its pages."""
    corpus = [{"id": key, "title": "", "text": text} for key, text in FEW.items()]
    asked = [
        {"id": str(number), "text": f"How do operators {deed} the {thing}?"}
        for number, (thing, deed) in enumerate(zip(THINGS[:6], DEEDS * 2, strict=False))
    ]
    labels = [f"{number}\t{thing}.md\t1\n" for number, thing in enumerate(THINGS[:6])]
    folder.mkdir()
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(lines(corpus).encode()))
    put(folder, {"queries.jsonl": lines(asked), "qrels.tsv": "q\td\ts\n" + "".join(labels)})
    return folder


def marked(folder: Path) -> Path:
    """Write a dataset that has only questions marked as answerable or not."""
    corpus = [{"id": key, "title": "", "text": text} for key, text in FEW.items()]
    rows: list[dict[str, object]] = [
        {"id": thing, "question": f"How to {deed} the {thing}?", "answerable": True}
        for thing, deed in zip(THINGS[:5], DEEDS * 2, strict=False)
    ]
    others: list[dict[str, object]] = [
        {"id": f"no {thing}", "question": f"Who painted the {thing} in oil?", "answerable": False}
        for thing in THINGS[:3]
    ]
    return put(folder, {"corpus.jsonl": lines(corpus), "qa.jsonl": lines([*rows, *others])})


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    with room() as folder:
        labelled(folder / "railway")
        marked(folder / "marked")
        yield folder


def test_one_object_for_every_lane_and_stage(data: Path) -> None:
    words: list[str | Path] = [
        "eval",
        "retrieval",
        "--judge",
        "off",
        data / "railway",
        "--index",
        data / "index",
        "--no-refusals",
    ]
    ran = run(*words, "--json").succeeded()
    assert (ran.json["data"], ran.json["side"], ran.json["refusals"]) == ("railway", "", [])
    assert [one["stage"] for one in ran.json["stages"]] == STAGES
    for one in ran.json["stages"]:
        assert one["questions"] == 6
        assert set(one) == {"stage", "questions", *MEASURES}
        assert all(0 <= one[name] <= 1 for name in MEASURES)
    by_name = {one["stage"]: one for one in ran.json["stages"]}
    assert by_name["words"]["hit@1"] == 1.0
    table = run(*words, "--every", "2").succeeded().out.splitlines()
    assert table[0].split() == ["stage", *MEASURES]
    assert [line.split("  ")[0] for line in table[1:]] == STAGES
    assert ran.err == ""


def test_refusals_are_measured_with_a_floor_that_saw_no_label(data: Path, cheap: None) -> None:
    words: list[str | Path] = [
        "eval",
        "retrieval",
        "--judge",
        "off",
        data / "railway",
        "--index",
        data / "cheap index",
        "--every",
        "3",
    ]
    ran = run(*words, "--far", data / "marked").succeeded()
    ranking, refusals = ran.out.strip().split("\n\n")
    assert ranking.startswith("stage")
    rows = refusals.splitlines()
    assert [row.split("  ")[0] for row in rows] == [
        "not answerable",
        "own page hidden",
        "questions of marked",
    ]


def test_data_with_marked_questions_only_is_measured_by_its_marks(data: Path, cheap: None) -> None:
    folder = data / "marked index"
    words: list[str | Path] = [
        "eval",
        "retrieval",
        data / "marked",
        "--judge",
        "off",
        "--index",
        folder,
    ]
    ran = run(*words, "--far", data / "railway", "--json").succeeded()
    assert ran.json["stages"] == []
    far, unanswerable = ran.json["refusals"]
    assert (far["name"], far["questions"], far["answerable"]) == ("questions of railway", 6, 5)
    assert (unanswerable["name"], unanswerable["questions"]) == ("marked unanswerable", 3)
    assert 0 <= unanswerable["auroc"] <= 1
    ran = run(*words, "--no-refusals")
    assert ran.code == 1
    assert "no ranking to measure" in ran.err


def test_an_index_of_something_else_is_left_alone(data: Path, index: Path) -> None:
    ran = run(
        "eval", "retrieval", data / "railway", "--judge", "off", "--index", index, "--no-refusals"
    )
    assert ran.code == 1
    assert "name another folder" in ran.err
    assert run("index", "status", "--index", index, "--json").json["documents"] == 2


def test_without_a_folder_the_index_is_made_elsewhere_and_failures_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus: list[dict[str, object]] = [
        {"id": "a", "text": "A wagon rolls."},
        {"id": "bad", "text": "Bytes \u0000" * 400},
    ]
    put(
        tmp_path / "data",
        {
            "corpus.jsonl": lines(corpus),
            "queries.jsonl": lines([{"id": "1", "text": "wagon"}]),
            "qrels.tsv": "q\td\ts\n1\ta\t1\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    ran = run("eval", "retrieval", "data", "--judge", "off", "--no-refusals", "--json").succeeded()
    assert ran.json["stages"][0]["hit@1"] == 1.0
    assert ran.err.startswith("failed: bad: ")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "has no qrels.tsv"),
        ({"queries.jsonl": "", "qrels.tsv": ""}, "no question that its documents answer"),
        ({"qa.jsonl": '{"id": "1", "question": "Why?"}\n'}, "no question that its documents"),
    ],
    ids=["nothing", "no labels", "no answerable"],
)
def test_data_without_questions_is_refused(
    tmp_path: Path, files: dict[str, str], told: str
) -> None:
    ran = run("eval", "retrieval", put(tmp_path / "data", files), "--judge", "off")
    assert ran.code == 1
    assert told in ran.err
