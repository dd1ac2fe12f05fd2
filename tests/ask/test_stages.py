"""Small parts of the stages that a whole turn shows only now and then."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

import pytest

import tether.ask
from ask.bookshelf import (
    PAGES,
    QUESTION,
    RESTARTS,
    RETENTION,
    WHEN,
    Heard,
    Shelf,
    Writer,
    agent_of,
    evidence_of,
    helper_of,
    model_of,
    parts_of,
    quoting,
)
from ask.citations.answering import NO, YES, Answering
from tether import Message, SystemClock
from tether.ask import AskAgent, AskSettings, Style, Working
from tether.ask.evidence import Citable
from tether.ask.history import answer_of, spoken
from tether.ask.prompt import passage_text, system_prompt
from tether.ask.refusal import DECLINE
from tether.ask.reporter import Reporter
from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.models.progress import WorkProgress
from tether.batteries.storage.errors import StoreFailed
from tether.batteries.storage.records import Exchange
from tether.batteries.storage.sqlite import SqliteStore
from tether.batteries.testing import FakeClock


def exchange(answer: str, details: dict[str, object]) -> Exchange:
    return Exchange(
        turn="t",
        conversation="c",
        question=Message(id="q", role="user", content="Why?", created_at=WHEN),
        answer=Message(id="a", role="assistant", content=answer, created_at=WHEN),
        details=details,
    )


def test_evidence_is_numbered_on_and_each_passage_is_there_once() -> None:
    shelf = Shelf()
    citable = Citable(shelf)
    first = citable.add(shelf.all_chunks[:2], "first-party")
    again = citable.add(shelf.all_chunks[1:3], "third-party-public")
    assert [it.number for it in first] == [1, 2]
    assert [it.number for it in again] == [2, 3]
    assert [it.tier for it in again] == ["first-party", "third-party-public"]
    assert citable.passages == (*first, again[1])
    assert [it.version for it in citable.passages] == [
        shelf.version(it.chunk.document) for it in citable.passages
    ]


def test_a_passage_comes_with_its_document_so_far_as_that_is_read() -> None:
    long = "# Long\n\n" + "A line is here.\n" * 7_000 + "\n## End\n\nThe end is here.\n"
    shelf = Shelf({"long.md": long, "queues.md": PAGES["queues.md"]})
    first, *_, last = (it for it in shelf.all_chunks if it.document == "long.md")
    queue = shelf.chunk_with(RETENTION)
    changed = replace(queue, id="changed", text=queue.text.upper())
    gone = replace(queue, id="gone", document="gone.md")
    found = Citable(shelf).add([queue, first, last, changed, gone], "first-party")
    assert [len(it.page) for it in found] == [len(PAGES["queues.md"]), first.end + 2_000, 0, 0, 0]
    assert all(long.startswith(it.page) for it in found[1:])


def test_a_number_is_never_given_twice() -> None:
    shelf = Shelf()
    citable = Citable(shelf)
    *_, gone = citable.add(shelf.all_chunks[:3], "first-party")
    citable.drop({gone.chunk.id, "memory-1"})
    assert [it.number for it in citable.passages] == [1, 2]
    (new,) = citable.add([gone.chunk], "first-party")
    assert new.number == 4


def test_only_text_is_reported_as_text() -> None:
    heard = Heard()
    reporter = Reporter(SystemClock(), heard)
    reporter.provisional("")
    reporter.provisional("A worker")
    assert [(it.attempt, it.delta) for it in heard.provisional] == [(1, "A worker")]


def test_a_reporter_counts_attempts_and_retracts_the_last_or_the_next() -> None:
    heard = Heard()
    reporter = Reporter(SystemClock(), heard)
    reporter.retract_next("it was said on the way")
    assert reporter.attempt() == 1
    reporter.retract("code")
    reporter.provisional("Again.")
    assert heard.retracted == [(1, "it was said on the way"), (1, "code")]
    assert (heard.provisional, heard.kinds) == ([(2, "Again.")], ["generate"])


def test_a_reporter_says_how_fast_an_attempt_was_read_and_written() -> None:
    heard = Heard()
    reporter = Reporter(SystemClock(), heard)
    for work in (
        WorkProgress("m", "loading", 90_000_000, 98_000_000),
        WorkProgress("m", "reading", 64, 321),
        WorkProgress("m", "reading", 321, 321, 22.0),
        WorkProgress("m", "writing", 40, 40, 8.5),
    ):
        reporter.work(work)
    reporter.attempt()
    reporter.attempt()
    assert [it.label for it in heard.events if isinstance(it, Working)] == [
        "loading the model: 90 of 98 MB",
        "reading the prompt: 64 of 321 tokens",
        "reading the prompt: 321 of 321 tokens, 22.0 tokens/s",
        "writing: 40 of 40 tokens, 8.5 tokens/s",
    ]
    first, second = heard.of("generate")
    assert first.detail == {
        "attempt": 1,
        "reading": {"tokens": 321, "per_second": 22.0},
        "writing": {"tokens": 40, "per_second": 8.5},
    }
    assert second.detail == {"attempt": 2}
    assert Working("writing", 9).label == "writing: 9 tokens"


def test_a_step_says_how_long_it_took_since_the_last_one() -> None:
    heard, clock = Heard(), FakeClock()
    reporter = Reporter(clock, heard)
    clock.advance(0.5)
    reporter.step("search", "done", "3 passages", hits=3)
    clock.advance(0.25)
    reporter.step("floor", "skipped", "no floor was fitted")
    assert [step.elapsed_ms for step in heard.steps] == [500.0, 250.0]
    assert heard.steps[0].detail == {"hits": 3}


def test_an_exchange_of_another_form_is_shown_as_it_was_said() -> None:
    said = exchange("It holds [1].", {"made": "elsewhere"})
    assert answer_of(said) is None
    assert spoken(said) is said.answer


async def test_an_answer_is_spoken_without_its_marks(store: SqliteStore) -> None:
    agent, _, shelf = agent_of(store, Shelf().cited(RESTARTS))
    answer = await agent.ask(QUESTION)
    (citation,) = answer.citations
    mark = answer.text[citation.mark_start : citation.mark_end]
    assert mark == "[1]"
    text = str(spoken(await store.exchange(answer.id)).content)
    assert mark not in text
    moved = replace(citation, mark_start=0, mark_end=3)
    only_marks = replace(answer, text="[1]", citations=(moved,))
    bare = exchange("[1]", only_marks.to_json())
    assert spoken(bare) is bare.answer
    assert shelf.searched


@pytest.mark.parametrize("style", get_args(Style))
def test_a_passage_follows_its_link_except_for_quotations(style: Style) -> None:
    (item,) = [it for it in evidence_of(Shelf()) if RESTARTS in it.chunk.text]
    text = passage_text(item, style)
    assert RESTARTS in text
    assert text.startswith("[Workers](workers.md#restarts): ") is (style in ("links", "tools"))
    assert (f"{item.number}.1 {RESTARTS}" in text) is (style == "points")


@pytest.mark.parametrize("style", get_args(Style))
def test_a_model_is_shown_no_link_targets_and_a_quotation_is_verbatim(style: Style) -> None:
    page = "# Workers {#workers}\n\nA [worker](https://x.test/w) restarts.\n\n[ref]: x.html\n"
    (item,) = evidence_of(Shelf({"workers.md": page}))
    text = passage_text(item, style)
    if style == "quotes":
        assert text == item.chunk.text
        assert "https://x.test/w" in text
    else:
        assert text.endswith("A worker restarts.")
        assert not {"#workers", "x.test", "x.html", "ref"} & set(re.findall(r"#?[\w.]+", text))


def test_titles_and_addresses_cannot_break_out_of_the_link() -> None:
    item = evidence_of(Shelf())[0]
    chunk = replace(
        item.chunk, title="a]\n[b\\", url="notes (old)/a <b>.md", anchor="", header="| x | y |"
    )
    text = passage_text(replace(item, chunk=chunk), "links")
    assert text.startswith("[a b](<notes (old)/a \\<b\\>.md>): | x | y |\n")
    nameless = replace(item, chunk=replace(chunk, title="[]", header=""))
    assert passage_text(nameless, "links").startswith("[Source](")


@pytest.mark.parametrize("style", get_args(Style))
def test_every_style_has_a_prompt_and_code_is_forbidden_in_words_too(style: Style) -> None:
    strict, free = system_prompt(style, code=False), system_prompt(style, code=True)
    assert strict.startswith(free)
    assert (strict == free) is (style in ("quotes", "points"))
    assert (DECLINE in free) is (style in ("links", "tools"))


async def test_helper_jobs_without_a_result_are_reported_and_change_nothing(
    store: SqliteStore,
) -> None:
    shelf, heard = Shelf(), Heard()
    model = replace(model_of(Writer([shelf.cited(RESTARTS)])), helper=helper_of(["", ""]))
    settings = AskSettings(hypothesis=True, variants=2, address_check=False)
    agent = AskAgent(library=shelf, model=model, store=store, settings=settings)
    answer = await agent.ask(QUESTION, listener=heard)
    assert [heard.of(kind)[0].state for kind in ("hypothesis", "variants")] == ["failed", "failed"]
    assert (shelf.searched[0].hypothetical, shelf.searched[0].variants) == ("", ())
    assert answer.verdict == "answered"


async def test_a_rewrite_of_the_helper_that_fails_falls_back_to_the_rules(
    store: SqliteStore,
) -> None:
    shelf, heard = Shelf(), Heard()
    good = shelf.cited(RESTARTS)
    model = replace(model_of(Writer([good, good])), helper=helper_of([""]))
    settings = AskSettings(address_check=False)
    agent = AskAgent(library=shelf, model=model, store=store, settings=settings)
    first = await agent.ask(QUESTION)
    await agent.ask("Why does it?", conversation=first.conversation, listener=heard)
    (step,) = heard.of("rewrite")
    assert step.state == "failed"
    assert step.detail["problem"] == step.label


@pytest.mark.parametrize("logit", [YES, NO])
async def test_the_quotes_have_to_address_the_question(store: SqliteStore, logit: float) -> None:
    shelf, heard, judge = Shelf(), Heard(), Answering(logit)
    said = shelf.cited(RESTARTS)
    agent, _, _ = agent_of(
        store, said, said, said, shelf=shelf, settings=AskSettings(), judge=judge
    )
    answer = await agent.ask(QUESTION, listener=heard)
    kinds = {it["kind"] for step in heard.of("verify") for it in step.detail["failures"]}
    assert kinds == (set() if logit == YES else {"address"})
    assert answer.verdict == ("answered" if logit == YES else "abstained")
    assert all(any(RESTARTS in unit for unit in units) for _, units, _ in judge.given)


async def test_a_judge_is_not_asked_about_quotes_where_they_are_not_checked(
    store: SqliteStore,
) -> None:
    shelf, judge = Shelf(), Answering(NO)
    agent, _, _ = agent_of(store, shelf.cited(RESTARTS), shelf=shelf, judge=judge)
    assert (await agent.ask(QUESTION)).verdict == "answered"
    assert judge.given == []


async def test_a_memory_that_cannot_be_written_leaves_the_answer_that_is_stored(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(text: str, *, owner: str = "", tier: str = "first-party") -> None:
        raise StoreFailed("the disk is full")

    monkeypatch.setattr(store, "propose_instruction", full)
    heard = Heard()
    agent, _, _ = agent_of(store, Shelf().cited(RESTARTS))
    answer = await agent.ask(f"Always answer in German. I use Debian. {QUESTION}", listener=heard)
    assert answer.verdict == "answered"
    reported = [(it.state, it.label) for it in heard.of("remember")]
    assert sorted(reported)[1] == ("failed", "the disk is full")
    assert len(await store.memories()) == 1  # what else there was to learn was learnt
    assert (await store.exchange(answer.id)).turn == answer.id


def test_names_are_loaded_when_they_are_used_and_others_are_not_there() -> None:
    for name in tether.ask.__all__:
        assert getattr(tether.ask, name) is not None
    assert set(tether.ask.__all__) <= set(dir(tether.ask))
    with pytest.raises(AttributeError, match="no attribute 'AskAgnet'"):
        tether.ask.AskAgnet  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("code", [True, False])
def test_a_profile_that_may_write_code_may(code: bool) -> None:
    profile = ModelProfile(name="p", window=9_000, code=code)
    model = model_of(Writer([]), "links", profile)
    assert parts_of(model=model).allows_code is code
    assert parts_of(model=model, settings=AskSettings(code="allow")).allows_code
    assert not parts_of(model=model, settings=AskSettings(code="forbid")).allows_code
    assert parts_of(model=quoting()).allows_code  # a quotation is verbatim
    assert parts_of(model=model_of(Writer([]), "points", profile)).allows_code  # so is a point


def test_only_a_model_that_writes_is_asked_again() -> None:
    settings = AskSettings(retries=3)
    assert parts_of(settings=settings).retries == 3
    assert parts_of(model=quoting(), settings=settings).retries == 0
