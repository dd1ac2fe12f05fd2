"""Whole pages: a title that is asked for counts, release notes come last unless asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.searched import Lexical, chunk
from tether.retrieval.chunk import Chunk
from tether.retrieval.errors import IndexDamaged
from tether.retrieval.hit import Findings
from tether.retrieval.lexical.lanes import WordLane
from tether.retrieval.query import Query
from tether.retrieval.search.memory_index import MemoryIndex
from tether.retrieval.search.page_votes import is_news, named_shares, unwanted_news
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import SearchSettings


def page(number: int, title: str, text: str, document: str = "") -> Chunk:
    return replace(
        chunk(number, number),
        number=1,
        title=title,
        heading_path=(title,),
        document=document or f"guide/{number}.md",
        text=text,
        plain=text,
        end=len(text),
        language="en",
    )


def found(question: str, *pages: Chunk, settings: SearchSettings | None = None) -> Findings:
    retriever = Retriever(index=MemoryIndex(pages), settings=settings or SearchSettings())
    return retriever.search(Query(question=question))


def titles(question: str, *pages: Chunk) -> list[str]:
    return [hit.chunk.title for hit in found(question, *pages).hits]


def shares(question: str, *names: str) -> list[float]:
    pages = [page(number, name, "text") for number, name in enumerate(names)]
    words = MemoryIndex(pages).words
    return list(named_shares(words, Query(question=question), pages))


def test_the_share_of_the_question_that_a_title_is() -> None:
    assert shares("What is MongoDB?", "MongoDB", "MongoDB backups") == [1.0, 0.0]
    assert shares("what are backups of mongodb", "MongoDB", "Backups") == [0.5, 0.5]
    assert shares("anything", "The") == [0.0]


def test_the_best_form_of_the_question_counts() -> None:
    pages = [page(0, "Backups", "text")]
    query = Query(question="how long is it kept", rewrite="backups")
    assert named_shares(MemoryIndex(pages).words, query, pages).tolist() == [1.0]


def test_a_title_does_not_count_if_the_words_are_damaged() -> None:
    class Damaged(Lexical):
        def terms(self, text: str, *, language: str = "") -> tuple[str, ...]:
            raise IndexDamaged("the words are gone", file="words")

    pages = [page(0, "Backups", "text")]
    assert named_shares(Damaged({}), Query(question="backups"), pages).tolist() == [0.0]


def test_the_page_with_exactly_this_title_comes_first() -> None:
    mentions = page(0, "Connectors", "MongoDB MongoDB MongoDB, MongoDB and MongoDB.")
    about = page(1, "MongoDB", "A database that keeps its records as documents, for any program.")
    other = page(2, "Queues", "Messages wait here.")
    assert titles("What is MongoDB?", mentions, about, other)[0] == "MongoDB"
    plain = SearchSettings(title=0)
    first = found("What is MongoDB?", mentions, about, other, settings=plain).hits[0]
    assert first.chunk.title == "Connectors"


@pytest.mark.parametrize(
    ("title", "document"),
    [
        ("Release notes", "a.md"),
        ("Docker Engine 28 release notes", "a.md"),
        ("What's new", "a.md"),
        ("What\u2019s new in 4.2", "a.md"),
        ("Version history", "a.md"),
        ("Engine 28", "manuals/release-notes/28.md"),
        ("3.1", "docs/releases/3.1.rst"),
        ("Project", "CHANGELOG.md"),
        ("Project", "HISTORY.rst"),
        ("A faster scheduler", "content/en/blog/_posts/2026/scheduler.md"),
        ("A faster scheduler", "Blog/2026/scheduler.md"),
    ],
)
def test_release_notes_are_known_by_title_and_key(title: str, document: str) -> None:
    assert is_news(page(0, title, "text", document))


@pytest.mark.parametrize(
    ("title", "document"),
    [
        ("Release lifecycle", "release-lifecycle.md"),
        ("about_History", "7.5/about_History.md"),
        ("Manage releases", "helm/manage-releases.md"),
        ("Newsletters", "newsletters.md"),
        ("Log changes", "logs/change.md"),
        ("Write a blog", "guides/blog.md"),
        ("Send posts", "guides/posts/send.md"),
    ],
)
def test_guides_with_similar_names_are_not_news(title: str, document: str) -> None:
    assert not is_news(page(0, title, "text", document))


def test_a_part_of_a_page_may_be_news() -> None:
    part = replace(page(0, "Library", "text"), heading_path=("Library", "Changelog"))
    assert is_news(part)


@pytest.mark.parametrize(
    "question",
    [
        "what changed in the last release",
        "what's new",
        "since which version can I pause a volume",
        "is it in 2.1",
        "was the option removed",
    ],
)
def test_who_asks_for_news_gets_them(question: str) -> None:
    notes = [page(0, "Release notes", "text")]
    assert unwanted_news(Query(question=question), notes).tolist() == [0.0]
    follow_up = Query(question="and there?", rewrite=question)
    assert unwanted_news(follow_up, notes).tolist() == [0.0]


@pytest.mark.parametrize("question", ["how do I change the port", "how do I pause a new volume"])
def test_who_does_not_ask_for_news_gets_them_last(question: str) -> None:
    notes = [page(0, "Release notes", "text"), page(1, "Volumes", "text")]
    assert unwanted_news(Query(question=question), notes).tolist() == [1.0, 0.0]


def test_a_guide_comes_before_release_notes_unless_they_are_asked_for() -> None:
    notes = page(0, "Release notes", "Pausing volumes: pausing a volume works. Volumes pause.")
    guide = page(
        1, "Working with data", "To stop for a while, use the command that pauses a volume."
    )
    other = page(2, "Networks", "Names of hosts.")
    assert titles("how does pausing a volume work", notes, guide, other)[0] == guide.title
    hits = found("how does pausing a volume work", notes, guide, other).hits
    assert [hit.news for hit in hits] == [False, True]
    assert titles("which version brought pausing a volume", notes, guide, other)[0] == notes.title


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is MongoDB?", "what is mongodb?"),
        ("Get-ChildItem", "get-childitem"),
        ("THE MAXSIZE OF maxSize", "the maxsize of maxsize"),
        ("Can IT run?", "can it run?"),
    ],
)
def test_letter_case_has_no_effect(one: str, other: str) -> None:
    pages = [
        page(0, "MongoDB", "MongoDB keeps documents; get-childitem lists them."),
        page(1, "Files", "Get-ChildItem lists files of a maxSize, Mongo or DB. It can run."),
        page(2, "Sizes", "The maxsize, MAX_SIZE and max size of mongodb. IT can run."),
    ]
    hits, same = found(one, *pages).hits, found(other, *pages).hits
    assert [(hit.chunk.id, hit.score) for hit in hits] == [(it.chunk.id, it.score) for it in same]
    assert hits


def test_small_letters_find_what_capitals_divide() -> None:
    lane = WordLane()
    arrays = lane.build(size=1, fresh=[(0, page(0, "x", "Use Get-ChildItem with MongoDB."))])
    for question in ("get-childitem", "childitem", "child", "mongodb", "mongo"):
        assert len(lane.open(arrays).search(question)) == 1
