"""Questions from a file: what a line may be, and what is said of one that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tether.core.errors import InputRefused
from tether.retrieval.floor.questions import GivenQuestion, read_questions


def test_a_line_is_a_question_with_the_documents_that_answer_it(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(
        '{"question": "Wie groß?", "documents": ["a.md", "b.md", "a.md"]}\n\n'
        '{"question": "Nowhere?"}\n{"question": "None?", "documents": []}\n',
        encoding="utf-8",
    )
    assert read_questions(path) == [
        GivenQuestion(text="Wie groß?", documents=frozenset({"a.md", "b.md"})),
        GivenQuestion(text="Nowhere?"),
        GivenQuestion(text="None?"),
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 2 is not JSON"),
        ("[]", "line 2 must be an object"),
        ('{"documents": []}', "line 2 must be an object"),
        ('{"question": 7}', "line 2 must be an object"),
        ('{"question": "  "}', "line 2 must be an object"),
        ('{"question": "Why?", "documents": "a.md"}', 'list of "documents"'),
        ('{"question": "Why?", "documents": [["a.md"]]}', 'list of "documents"'),
    ],
)
def test_the_first_line_that_is_wrong_is_named(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(f'{{"question": "Why?"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InputRefused, match=told):
        read_questions(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match=r"gone\.jsonl cannot be read"):
        read_questions(tmp_path / "gone.jsonl")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputRefused, match=r"bytes\.jsonl cannot be read"):
        read_questions(tmp_path / "bytes.jsonl")
