"""Labelled data: the layout, packed or plain, and what is said of a file that is wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tether.core.errors import InputRefused
from tether.retrieval.errors import SourceUnavailable
from tether.retrieval.evaluation.dataset import (
    DatasetSource,
    LabelledQuestion,
    load_answerability,
    load_questions,
)

CORPUS = (
    '{"id": "a", "title": "First", "text": "# One\\n\\nText.", "url": "https://docs.test/a"}\n'
    '{"id": "guide/b.rst#7", "text": "Two\\n===\\n"}\n\n'
    '{"id": 3, "title": null, "text": "Grüße \\ud800", "url": null}\n'
    '{"id": "d", "text": "plain", "url": "https://docs.test/d.txt#top"}\n'
)
QUERIES = '{"id": "1", "text": "What?"}\n{"id": "2", "text": "Why?"}\n{"id": "3", "text": "No?"}\n'
QRELS = "query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t2\n2\ta\t0\n3\ta\t-1\n"


def put(folder: Path, name: str, text: str, *, packed: bool = False) -> None:
    data = text.encode()
    if packed:
        (folder / f"{name}.gz").write_bytes(gzip.compress(data))
    else:
        (folder / name).write_bytes(data)


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
def test_a_dataset_is_read_from_either_form(tmp_path: Path, packed: bool) -> None:
    put(tmp_path, "corpus.jsonl", CORPUS, packed=packed)
    put(tmp_path, "queries.jsonl", QUERIES, packed=packed)
    put(tmp_path, "qrels.tsv", QRELS, packed=packed)
    assert load_questions(tmp_path) == (
        LabelledQuestion(id="1", text="What?", relevant={"a": 1, "b": 2}),
    )
    source = DatasetSource(folder=tmp_path)
    items = list(source.scan())
    assert source.name == str(tmp_path)
    assert [item.key for item in items] == ["a", "guide/b.rst#7", "3", "d"]
    assert [item.name for item in items] == [
        "a.md", "guide/b.rst", "3.md", "https://docs.test/d.txt",
    ]  # fmt: skip
    assert [item.url for item in items] == [
        "https://docs.test/a", "", "", "https://docs.test/d.txt#top",
    ]  # fmt: skip
    assert [item.title for item in items] == ["First", "", "", ""]
    assert items[0].load() == b"# One\n\nText."
    assert items[2].load() == "Grüße ?".encode()


def test_a_side_has_files_of_its_own(tmp_path: Path) -> None:
    put(tmp_path, "queries_train.jsonl", '{"id": "9", "text": "Where?"}\n')
    put(tmp_path, "qrels_train.tsv", "query-id\tcorpus-id\tscore\r\n9\ta\t1\r\n")
    assert [question.id for question in load_questions(tmp_path, side="train")] == ["9"]
    with pytest.raises(SourceUnavailable, match=r"no qrels\.tsv\.gz and no qrels\.tsv"):
        load_questions(tmp_path)


def test_marked_questions_are_split_by_their_mark(tmp_path: Path) -> None:
    assert load_answerability(tmp_path) == ([], [])
    put(
        tmp_path,
        "qa.jsonl",
        '{"id": "1", "question": "Yes?", "answerable": true}\n'
        '{"id": "2", "question": "No?", "answerable": false}\n'
        '{"id": "3", "question": "Unmarked?"}\n',
        packed=True,
    )
    assert load_answerability(tmp_path) == (["Yes?"], ["No?", "Unmarked?"])
    assert load_questions(tmp_path) == ()
    with pytest.raises(SourceUnavailable, match="qrels_train"):
        load_questions(tmp_path, side="train")


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match=r"has no corpus\.jsonl\.gz") as caught:
        list(DatasetSource(folder=tmp_path).scan())
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", r"corpus\.jsonl, line 2 is not JSON"),
        ("[1]", r"corpus\.jsonl, line 2 is not an object with an id"),
        ('{"text": "x"}', r"corpus\.jsonl, line 2 is not an object with an id"),
        ('{"id": "x"}', "a text as 'text'"),
        ('{"id": "x", "text": 7}', "a text as 'text'"),
    ],
)
def test_a_line_that_is_wrong_is_named(tmp_path: Path, line: str, told: str) -> None:
    put(tmp_path, "corpus.jsonl", f'{{"id": "1", "text": "good"}}\n{line}\n')
    with pytest.raises(InputRefused, match=told):
        list(DatasetSource(folder=tmp_path).scan())


@pytest.mark.parametrize("line", ["1\ta", "1\ta\thigh", "1\ta\t1.5", "1 a 1", "1\ta\t²", ""])
def test_a_label_that_is_wrong_is_named(tmp_path: Path, line: str) -> None:
    put(tmp_path, "queries.jsonl", QUERIES)
    put(tmp_path, "qrels.tsv", f"query-id\tcorpus-id\tscore\n1\ta\t1\n{line}\n")
    with pytest.raises(InputRefused, match=r"qrels\.tsv, line 3 is not a question, a document"):
        load_questions(tmp_path)


def test_an_empty_file_of_labels_labels_nothing(tmp_path: Path) -> None:
    put(tmp_path, "queries.jsonl", QUERIES)
    put(tmp_path, "qrels.tsv", "")
    assert load_questions(tmp_path) == ()


PACKED = gzip.compress(CORPUS.encode() * 50)


@pytest.mark.parametrize(
    "data",
    [b"not packed", PACKED[: len(PACKED) // 2], PACKED[:30] + b"\xff" * 30 + PACKED[60:]],
    ids=["plain", "cut off", "damaged"],
)
def test_a_packed_file_that_is_damaged_is_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "corpus.jsonl.gz").write_bytes(data)
    with pytest.raises(InputRefused, match=r"corpus\.jsonl\.gz cannot be read"):
        list(DatasetSource(folder=tmp_path).scan())


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(b'{"id": "1", "text": "\xff"}\n')
    with pytest.raises(InputRefused, match=r"corpus\.jsonl cannot be read"):
        list(DatasetSource(folder=tmp_path).scan())
