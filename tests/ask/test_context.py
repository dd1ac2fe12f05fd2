"""Text that accompanies a question: what a model sees of it, and what a search takes from it."""

from __future__ import annotations

import pytest

from ask.bookshelf import WIDE, narrow
from retrieval.index.made import built
from tether.ask.context import CUT, fitted, is_about_context
from tether.batteries.budget.profiles import ModelProfile
from tether.core.tokens import count_tokens
from tether.retrieval.errors import IndexDamaged
from tether.retrieval.index.guards import GuardedLexical
from tether.retrieval.lexical.clues import MOST_CLUES, clues


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does this mean?", True),
        ("How do I fix it?", True),
        ("What is wrong here?", True),
        ("Explain the error", True),
        ("Why?", True),
        ("How long are messages kept?", False),
        ("When is a pod restarted?", False),
    ],
)
def test_a_question_is_about_the_text_or_only_beside_it(question: str, expected: bool) -> None:
    assert is_about_context(question) is expected


def test_a_text_that_does_not_fit_keeps_its_beginning_and_more_of_its_end() -> None:
    text = "first line\n" + "again and again\n" * 2_000 + "the error at the end\n"
    profile = narrow(1_000)
    shown = fitted(text, profile)
    assert count_tokens(shown, profile.encoding) <= 200
    assert shown.startswith("first line")
    assert shown.endswith("the error at the end\n")
    before, _, after = shown.partition(CUT.partition("{")[0])
    assert len(before) < len(after)
    assert fitted("a short text", WIDE) == "a short text"
    assert fitted("", profile) == ""
    tiny = ModelProfile(name="tiny", window=1, max_output=1, encoding="cl100k_base")
    assert len(fitted("word " * 100, tiny)) < 100, "a window without room still ends"


PAGES = {
    **{f"{number}.md": f"# Page {number}\n\nQueues and workers.\n" for number in range(40)},
    "codes.md": "# Codes\n\nE_DISK_FULL and E_LATE are codes of queues.\n",
    "boats.md": "# Boats\n\nA ferry is a boat. E_LATE is one of its states.\n",
}


def test_clues_are_the_words_that_some_documents_have_and_few(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with built(tmp_path_factory.mktemp("index"), PAGES).snapshot() as snapshot:
        text = "queues the 2026 zzzz E_LATE e_late ferry ferry E_DISK_FULL workers of"
        found = clues(snapshot, text)
        assert found[0] == "ferry", "of two that one page has, the more frequent comes first"
        assert found[1] == "E_DISK_FULL"
        assert [word.casefold() for word in found].count("e_late") == 1
        assert not {"queues", "the", "2026", "zzzz", "workers", "of"} & set(found)
        assert len(clues(snapshot, " ".join(PAGES["boats.md"].split() * 3))) <= MOST_CLUES
        assert clues(snapshot, "") == ()


def test_a_damaged_index_gives_no_clues(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> None:
        raise IndexDamaged("gone", file="x")

    monkeypatch.setattr(GuardedLexical, "holders", damaged)
    with built(tmp_path_factory.mktemp("index"), PAGES).snapshot() as snapshot:
        assert clues(snapshot, "ferry") == ()
