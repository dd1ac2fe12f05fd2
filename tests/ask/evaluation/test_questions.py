"""Question sets: the keys of a file, and the messages about a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tether.ask.errors import InvalidSettings
from tether.ask.evaluation.questions import QuestionSet, load_questions

EVALS = Path(__file__).parents[3] / "evals"


def load(folder: Path, text: str) -> QuestionSet:
    path = folder / "set.toml"
    path.write_text(text, encoding="utf-8")
    return load_questions(path)


def problems(folder: Path, text: str) -> dict[str, str]:
    with pytest.raises(InvalidSettings) as refused:
        load(folder, text)
    return {problem.path: problem.message for problem in refused.value.problems}


def test_a_set_has_a_name_documents_beside_it_and_questions(tmp_path: Path) -> None:
    found = load(
        tmp_path,
        'name = "handbook"\ndocs = "pages"\n'
        '[[question]]\nid = "a"\nask = "Why?"\nsays = ["because"]\nany = true\n',
    )
    assert found.name == "handbook"
    assert found.docs == tmp_path / "pages"
    (question,) = found.questions
    assert (question.id, question.ask, question.says, question.any) == (
        "a",
        "Why?",
        ("because",),
        True,
    )
    assert (question.kind, question.expect) == ("answerable", "answered")


def test_a_set_without_a_name_is_named_after_its_file(tmp_path: Path) -> None:
    found = load(tmp_path, '[[question]]\nid = "a"\nask = "Why?"\n')
    assert (found.name, found.docs) == ("set", None)


def test_a_question_may_be_asked_again_without_its_pages(tmp_path: Path) -> None:
    text = '[[question]]\nid = "a"\nask = "Is it?"\nkind = "yes-no"\nanswer = "yes"\n'
    asked, again = load(
        tmp_path, text + 'pages = ["p.md"]\nhide = ["q.md"]\nalso_hidden = true\n'
    ).questions
    assert (asked.expect, asked.hide) == ("answered", ("q.md",))
    assert (again.id, again.kind, again.expect) == ("a-hidden", "yes-no-hidden", "abstained")
    assert again.hide == ("q.md", "p.md")


def test_every_fault_of_a_file_is_named_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        'questions = 3\n[[question]]\nask = ""\nsays = "x"\nany = "yes"\nexpect = "maybe"\n'
        'answer = "perhaps"\ncolour = "red"\n',
    )
    assert found["questions"] == "is not a key of a question set"
    assert found["question[0].id"] == "is required"
    assert found["question[0].ask"] in {"must be text", "is required"}
    assert found["question[0].says"] == "must be a list of texts"
    assert found["question[0].any"] == "must be true or false"
    assert found["question[0].expect"] == "must be one of answered, abstained, either"
    assert found["question[0].answer"] == "must be yes or no"
    assert found["question[0].colour"] == "is not a key of a question"


def test_an_id_is_given_once(tmp_path: Path) -> None:
    one = '[[question]]\nid = "a"\nask = "Why?"\n'
    assert problems(tmp_path, one + one) == {"question": "the id 'a' is given twice"}


@pytest.mark.parametrize("text", ["", "question = 3", "question = []", "[[question]]\n"])
def test_a_set_without_questions_is_refused(tmp_path: Path, text: str) -> None:
    assert problems(tmp_path, text)


def test_an_entry_that_is_no_table_is_refused(tmp_path: Path) -> None:
    assert "question[0].id" in problems(tmp_path, 'question = ["Why?"]\n')


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "set.toml").write_bytes(b"\xff")
    for path in (tmp_path / "missing.toml", tmp_path / "set.toml"):
        with pytest.raises(InvalidSettings, match=path.name):
            load_questions(path)
    with pytest.raises(InvalidSettings, match="cannot be read"):
        load(tmp_path, "name = ")


@pytest.mark.parametrize("path", sorted(EVALS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_recorded_sets_are_well_formed(path: Path) -> None:
    found = load_questions(path)
    assert found.questions
    pages = {page for question in found.questions for page in question.pages}
    if found.docs is not None:
        assert all((found.docs / page).is_file() for page in pages)


def test_the_bundled_set_has_every_kind_of_question() -> None:
    found = load_questions(EVALS / "larkspur.toml").questions
    assert len(found) >= 40
    assert {question.kind for question in found} == {
        "answerable",
        "multi-page",
        "follow-up",
        "out-of-corpus",
        "near-miss",
        "injected",
        "identifier",
    }


def test_json_lines_are_questions_too(tmp_path: Path) -> None:
    path = tmp_path / "manual.tune.jsonl"
    path.write_text(
        '{"id": "a", "class": "answerable", "question": "How many?", "pages": ["x.md"],'
        ' "must": ["6m|6 megabytes"], "history": [{"question": "Which?", "answer": "That."}]}\n'
        '{"id": "b", "class": "near", "question": "When?", "history": []}\n',
        encoding="utf-8",
    )
    found = load_questions(path)
    first, second = found.questions
    assert (found.name, found.docs) == ("manual", None)
    assert (first.expect, first.says, first.after) == ("answered", ("6m|6 megabytes",), ("Which?",))
    assert (second.kind, second.expect, second.after) == ("near", "abstained", ())


@pytest.mark.parametrize("text", ["no JSON\n", '{"id": "a"}\n', "[1]\n"])
def test_lines_that_are_not_questions_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidSettings, match="cannot be read"):
        load_questions(path)
