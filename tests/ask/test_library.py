"""A real index as a library: chunks and documents that are there or gone, and their titles."""

from __future__ import annotations

from pathlib import Path

from ask.bookshelf import quoting
from ask.volumes import OTHER, PAGE, PAGES, QUOTE, answered, library
from tether.ask import AskAgent
from tether.batteries.storage.sqlite import SqliteStore
from tether.retrieval import Query


def test_documents_are_found_by_their_places_as_long_as_they_are_there(tmp_path: Path) -> None:
    with library(tmp_path, PAGES) as shelf:
        assert not shelf.is_empty
        hits = shelf.search(Query(question="Can a volume shrink?"), 3).hits
        best = hits[0].chunk
        assert (best.document, QUOTE in best.text) == ("volumes.md", True)
        places = [("gone.md", "gone-1"), (best.document, best.id), ("pods.md", "nothing")]
        assert shelf.chunks(places) == [best]
        assert (shelf.text("volumes.md"), shelf.text("gone.md")) == (PAGE, None)
        assert shelf.version("volumes.md") != shelf.version("pods.md") != ""
        assert shelf.version("gone.md") == ""


def test_documents_are_listed_by_title_key_or_address_page_by_page(tmp_path: Path) -> None:
    with library(tmp_path, PAGES) as shelf:
        every = shelf.titles("", 0, 10)
        assert [(key, title) for key, title, _ in every] == [
            ("pods.md", "Pods"),
            ("volumes.md", "Volumes"),
        ]
        assert shelf.titles("", 0, 1) + shelf.titles("", 1, 1) == every
        assert shelf.titles("VOLUME", 0, 10) == every[1:]
        assert shelf.titles("nothing", 0, 10) == shelf.titles("", 2, 10) == []


async def test_an_answer_from_a_real_index_quotes_it_to_the_letter(
    store: SqliteStore, tmp_path: Path
) -> None:
    with library(tmp_path, {"pods.md": OTHER, "volumes.md": PAGE}) as shelf:
        agent = AskAgent(library=shelf, model=quoting(), store=store)
        answer = await agent.ask("Can a volume shrink?")
        assert answer.verdict == "answered"
        assert (answer.generation, answer.corpus) == (shelf.generation, shelf.corpus)
        for citation in answer.citations:
            text = shelf.text(citation.document)
            assert text is not None
            assert text[citation.start : citation.end] == citation.quote
            assert citation.version == shelf.version(citation.document)


def test_a_source_is_named_once_and_links_to_its_place() -> None:
    answer = answered()
    assert [(it.number, it.link) for it in answer.sources] == [
        (1, "volumes.md#size"),
        (2, "pods.md"),
    ]
