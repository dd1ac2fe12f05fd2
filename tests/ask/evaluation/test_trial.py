"""A trial: conversations, hidden pages, the measures; and the model without its leash."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tether.ask.answer import Answer, Statement
from tether.ask.evaluation.grades import Result, Summary, summarise
from tether.ask.evaluation.questions import RecordedQuestion
from tether.ask.evaluation.trial import HidingLibrary, Naked, ask_all
from tether.ask.library import IndexLibrary
from tether.ask.model import AskModel
from tether.batteries.budget.profiles import ModelProfile
from tether.core.ids import new_id
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.sources.folder import FolderSource
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.reports import Helpers

PAGES = {
    "ferry.md": "# Ferry\n\nThe ferry to the island leaves at nine.\n",
    "train.md": "# Train\n\nThe train to the coast leaves at ten.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexLibrary]:
    folder = tmp_path_factory.mktemp("pages")
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    index = Index.create(tmp_path_factory.mktemp("index"), default_parts())
    index.apply(index.plan(FolderSource(folder)), embedder=None)
    with index.snapshot() as snapshot:
        yield IndexLibrary(snapshot, Retriever(index=snapshot))


def hiding(library: IndexLibrary, *pages: str) -> HidingLibrary:
    return HidingLibrary(library.snapshot, library.retriever, pages)


def test_hidden_pages_are_not_found_and_the_others_are(library: IndexLibrary) -> None:
    query = Query(question="When does the ferry leave?")
    assert hiding(library).search(query, 5).hits[0].chunk.title == "Ferry"
    found = hiding(library, "ferry.md").search(query, 5).hits
    assert {hit.chunk.title for hit in found} == {"Train"}
    assert hiding(library, "ferry.md").text("ferry.md") == library.text("ferry.md")


def test_a_hidden_page_is_not_a_neighbour_either(tmp_path: Path) -> None:
    (tmp_path / "ferry.md").write_text("# Ferry\n\nThe ferry leaves at nine: [coast](coast.md).\n")
    (tmp_path / "coast.md").write_text("# Coast\n\nSand.\n")
    index = Index.create(tmp_path / ".index", default_parts())
    index.apply(index.plan(FolderSource(tmp_path)))
    with index.snapshot() as snapshot:
        linked = IndexLibrary(snapshot, Retriever(index=snapshot))
        found = linked.search(Query(question="When does the ferry leave?"), 1)
        assert [it.document for it in linked.neighbours(found, 5)] == ["coast.md"]
        assert hiding(linked, "coast.md").neighbours(found, 5) == []


OWN = Statement(start=0, end=1, words="model", probability=0.9, citation=0)


@dataclass
class Parrot:
    """Answers with its question, and notes the conversations."""

    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def ask(self, question: str, *, conversation: str = "") -> Answer:
        self.asked.append((question, conversation))
        return Answer(
            id="t",
            conversation=conversation or "new",
            question=question,
            text=question,
            verdict="answered",
            attempts=2,
            statements=(OWN, replace(OWN, words="document"), OWN),
            ledger={"window": 100, "system": 5, "evidence": 20, "question": 4, "free": 71},
            error=("E_X", "odd") if question == "fail" else None,
        )

    def rendered(self, answer: Answer) -> str:
        return answer.text


async def test_earlier_questions_are_asked_first_in_the_same_conversation(
    library: IndexLibrary,
) -> None:
    parrot, hidden = Parrot(), list[tuple[str, ...]]()
    ticks, worked = iter(range(100)), iter(range(0, 100, 3))

    def libraries(hide: tuple[str, ...]) -> HidingLibrary:
        hidden.append(hide)
        return hiding(library, *hide)

    questions = [
        RecordedQuestion(id="a", ask="third", after=("first", "second"), hide=("ferry.md",)),
        RecordedQuestion(id="b", ask="fail"),
    ]
    found = [
        result
        async for result in ask_all(
            questions,
            libraries,
            lambda _: parrot,
            clock=lambda: float(next(ticks)),
            cpu=lambda: float(next(worked)),
        )
    ]
    assert parrot.asked == [("first", ""), ("second", "new"), ("third", "new"), ("fail", "")]
    assert hidden == [("ferry.md",), ()]
    assert [result.milliseconds for result in found] == [1000.0, 1000.0]
    assert [result.cpu_ms for result in found] == [3000.0, 3000.0]
    assert (found[0].own, found[0].quoted) == (2, 1)
    assert (found[0].prompt_tokens, found[0].answer_tokens, found[0].attempts) == (29, 1, 2)
    assert [result.problem for result in found] == ["", "E_X: odd"]


async def result_of(library: IndexLibrary, **changes: object) -> Result:
    (question,) = (RecordedQuestion(id="a", ask="x"),)
    results = [
        one async for one in ask_all([question], lambda _: hiding(library), lambda _: Parrot())
    ]
    return replace(results[0], **changes)  # type: ignore[arg-type]


async def test_results_are_counted_by_kind_and_together(library: IndexLibrary) -> None:
    one = await result_of(library, kind="near", milliseconds=10.0, cpu_ms=4.0)
    other = replace(one, kind="far", verdict="abstained", milliseconds=30.0, attempts=0)
    near, far, both = summarise([one, other])
    assert (near.kind, far.kind, both.kind) == ("near", "far", "all")
    assert (near.asked, near.answered, near.retries, near.median_ms, near.p95_ms) == (
        1,
        1,
        1,
        10.0,
        10.0,
    )
    assert (both.asked, both.answered, both.retries, both.median_ms) == (2, 1, 1, 20.0)
    assert both.tokens == 2 * (29 + 1)
    assert (both.own, both.quoted, both.cpu_ms, both.wrong) == (4, 2, 8.0, 0)
    missed = replace(one, grade=replace(one.grade, clean=False))
    refused = replace(missed, verdict="abstained")
    assert Summary.of("all", [one, missed, refused]).wrong == 1
    assert (missed.to_json()["wrong"], refused.to_json()["wrong"]) == (True, False)
    lacking = replace(one, grade=replace(one.grade, page=True, says=False))
    counted = Summary.of("all", [one, missed, lacking])
    assert (counted.right, counted.partly, counted.wrong) == (1, 1, 1)
    elsewhere = replace(lacking, grade=replace(lacking.grade, page=False))
    assert (elsewhere.grade.partly, elsewhere.wrong) == (False, True)
    assert Summary.of("all", [one, other]).to_json()["asked"] == 2
    assert one.to_json()["right"] is True
    assert summarise([]) == []


def model(*said: str) -> AskModel:
    """Return a model that says one text in each turn and, as a model of an agent, never acks."""
    texts = iter(said)

    async def script(ctx: DispatchContext, helpers: Helpers) -> None:
        helpers.report_message(new_id(), next(texts), is_complete=True)

    return AskModel(
        name="scripted", executor=script, profile=ModelProfile(name="scripted", window=8_000)
    )


async def test_a_naked_model_is_shown_passages_and_believed(library: IndexLibrary) -> None:
    naked = Naked(model("The ferry [leaves](ferry.md) at nine.", "Sorry."), library, 2)
    answer = await naked.ask("When does the ferry leave?")
    assert answer.verdict == "answered"
    assert naked.rendered(answer) == "The ferry [leaves](ferry.md) at nine."
    assert {item.document for item in answer.consulted} == {"ferry.md", "train.md"}
    again = await naked.ask("And the train?", conversation=answer.conversation)
    assert (again.conversation, again.text) == (answer.conversation, "Sorry.")


@pytest.mark.parametrize(
    "text",
    [
        "The passages do not mention this.",
        "I'm sorry, but that is not in them.",
        "There is no information about prices in the passages.",
        "This is not covered.",
    ],
)
async def test_a_naked_refusal_is_read_from_its_words(library: IndexLibrary, text: str) -> None:
    assert (await Naked(model(text), library).ask("What does it cost?")).verdict == "abstained"


async def test_a_naked_model_that_fails_has_failed(library: IndexLibrary) -> None:
    broken = model()
    answer = await Naked(broken, library).ask("When?")
    assert (answer.verdict, answer.text) == ("failed", "")
    assert answer.error is not None
    assert answer.error[0].startswith("E_")
