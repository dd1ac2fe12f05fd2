"""Turns of a model that points: whole units are shown, and a wrong reply is told what it was."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ask.bookshelf import (
    QUESTION,
    RESTARTS,
    WIDE,
    Heard,
    Play,
    Shelf,
    Writer,
    agent_of,
    evidence_of,
    model_of,
)
from ask.citations.answering import NO, YES, Answering
from support.local_engine import engine, smollm2
from tether import DispatchContext, Helpers
from tether.ask import Answer, AskAgent, AskModel, AskSettings
from tether.ask.citations.address import LEAST_CONTRADICTING
from tether.ask.citations.passage import Passage
from tether.ask.citations.review import VERIFIER_FAILED
from tether.ask.errors import VerifierFailed
from tether.ask.gate import CONTRADICTED, QUOTED_INSTEAD
from tether.ask.pointing.form import response_format
from tether.ask.refusal import DECLINE
from tether.ask.verification.port import Opinion, Verifier
from tether.ask.verification.scripted import ScriptedVerifier
from tether.batteries.models.local import LocalEngine, LocalModel
from tether.batteries.models.scripted import Say
from tether.batteries.storage.sqlite import SqliteStore
from tether.retrieval.ports import Judge

__all__ = ["engine", "smollm2"]  # fixtures

THIRTY = "Each restart takes thirty seconds."
SHRINK = "Can a volume shrink?"


def points(*units: object, answered: bool = True, **more: object) -> str:
    return json.dumps({"answered": answered, "units": units, **more})


def pointing(
    store: SqliteStore,
    *script: Play,
    shelf: Shelf | None = None,
    verifier: Verifier | None = None,
    settings: AskSettings | None = None,
    judge: Judge | None = None,
) -> tuple[AskAgent, Writer]:
    agent, writer, _ = agent_of(
        store,
        *script,
        shelf=shelf,
        style="points",
        settings=settings,
        verifier=verifier,
        judge=judge,
    )
    return agent, writer


def assert_whole_units(answer: Answer, shelf: Shelf) -> None:
    """Every statement in a document's words is a run of whole units of one document."""
    passages = {one.chunk.id: Passage(one) for one in evidence_of(shelf)}
    assert answer.statements
    for one, cited in zip(answer.statements, answer.citations, strict=True):
        chunk = passages[cited.chunk].evidence.chunk
        units = passages[cited.chunk].units
        starts = {chunk.start + unit.start for unit in units}
        ends = {chunk.start + unit.end for unit in units}
        assert cited.start in starts
        assert cited.end in ends
        assert shelf.text(cited.document or "") is not None
        assert one.words == "document"


async def test_the_units_at_the_numbers_are_the_answer(store: SqliteStore) -> None:
    heard, shelf = Heard(), Shelf()
    agent, writer = pointing(store, points("1.2", "1.1"), shelf=shelf)
    answer = await agent.ask(QUESTION, listener=heard)
    assert writer.passages[0][0] == f"Workers > Restarts\n1.1 {RESTARTS}\n1.2 {THIRTY}"
    assert (answer.verdict, answer.attempts, answer.notes) == ("answered", 1, ())
    assert answer.text == f"{RESTARTS} {THIRTY} [1]"
    assert_whole_units(answer, shelf)
    assert heard.provisional == []  # a reply of numbers is not shown as it comes
    (verdict,) = heard.of("verify")[0].detail["statements"]
    assert (verdict["standing"], verdict["probability"]) == ("verbatim", 1.0)


async def test_passages_follow_in_the_order_of_the_choice(store: SqliteStore) -> None:
    agent, writer = pointing(store, points("2.1", "1.1"))
    answer = await agent.ask(QUESTION)
    second = writer.passages[0][1].splitlines()[1].removeprefix("2.1 ")
    assert answer.text == f"{second} [1]\n\n{RESTARTS} [2]"


PAGE = """# Tools

To install a tool:

1. Download the archive.
2. Run the setup.
3. Restart the tool.

Run this to list the tools:

```sh
tools list
```

| Tool | Port |
|---|---|
| web | 80 |
| db | 5432 |
"""


@pytest.mark.parametrize(
    ("number", "asked", "shown"),
    [
        (
            "1.1",
            "How do I install a tool?",
            "To install a tool:\n\n1. Download the archive.\n2. Run the setup.\n3. Restart",
        ),
        ("1.3", "Which step runs the setup?", "To install a tool: Run the setup. [1]"),
        (
            "1.5",
            "How do I list the tools?",
            "Run this to list the tools:\n\n```sh\ntools list\n```\n\n[1]",
        ),
        ("1.7", "Which port does the tool web have?", "Tool: web; Port: 80 [1]"),
    ],
)
async def test_lists_rows_and_code_come_with_what_leads_to_them(
    store: SqliteStore, number: str, asked: str, shown: str
) -> None:
    shelf = Shelf({"tools.md": PAGE})
    agent, _ = pointing(store, points(number), shelf=shelf)
    answer = await agent.ask(asked)
    assert answer.text.startswith(shown)
    assert_whole_units(answer, shelf)


async def test_a_line_that_is_likelier_than_the_chosen_one_comes_along(store: SqliteStore) -> None:
    shelf = Shelf({"tools.md": PAGE})
    agent, _ = pointing(store, points("1.5"), shelf=shelf)
    answer = await agent.ask("How do I install a tool?")
    assert "tools list" in answer.text
    assert "To install a tool:" in answer.text
    assert_whole_units(answer, shelf)


async def test_steps_that_begin_in_the_middle_are_not_counted_from_one(store: SqliteStore) -> None:
    agent, _ = pointing(store, points("1.3", "1.4"), shelf=Shelf({"tools.md": PAGE}))
    answer = await agent.ask("How do I install a tool?")
    assert answer.text == "To install a tool:\n\n- Run the setup.\n- Restart the tool. [1]"


async def test_rows_of_a_table_are_a_list(store: SqliteStore) -> None:
    agent, _ = pointing(store, points("1.7", "1.8"), shelf=Shelf({"tools.md": PAGE}))
    answer = await agent.ask("Which port does a tool have?")
    assert answer.text == "- Tool: web; Port: 80\n- Tool: db; Port: 5432 [1]"


async def test_code_that_is_forbidden_cannot_be_chosen(store: SqliteStore) -> None:
    agent, writer = pointing(
        store,
        points("1.6"),
        points("1.1"),
        shelf=Shelf({"tools.md": PAGE}),
        settings=AskSettings(address_check=False, code="forbid"),
    )
    answer = await agent.ask("How do I list the tools?")
    assert "These cannot be chosen: 1.6." in writer.shown[1][0]
    assert "tools list" not in answer.text


@pytest.mark.parametrize("said", [points(answered=False), points("1.1", answered=False), DECLINE])
async def test_not_answered_here_abstains_at_once(store: SqliteStore, said: str) -> None:
    agent, writer = pointing(store, said)
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, answer.reason) == ("abstained", "not-supported")
    assert writer.times == 1


@pytest.mark.parametrize(
    ("logit", "is_quoted"), [(LEAST_CONTRADICTING, True), (LEAST_CONTRADICTING - 0.01, False)]
)
async def test_a_decline_is_contradicted_by_quotation_where_the_judge_is_sure(
    store: SqliteStore, logit: float, is_quoted: bool
) -> None:
    agent, writer = pointing(
        store, points(answered=False), judge=Answering(logit), settings=AskSettings()
    )
    answer = await agent.ask(QUESTION)
    assert writer.times == 1
    assert (answer.verdict == "answered") is is_quoted
    assert answer.notes == ((CONTRADICTED,) if is_quoted else ())
    if is_quoted:
        assert RESTARTS in answer.text
        assert_whole_units(answer, Shelf())


async def test_quotation_reads_what_the_prompt_had_no_room_for(store: SqliteStore) -> None:
    settings = AskSettings(evidence_tokens=60)
    agent, writer = pointing(
        store, points(answered=False), judge=Answering(YES + 3), settings=settings
    )
    answer = await agent.ask("When does a queue drop its tasks, and when does a worker restart?")
    (shown,) = writer.passages
    assert answer.verdict == "answered"
    cited = {agent.library.chunks([(it.document, it.chunk)])[0].text for it in answer.citations}
    assert len(cited) > len(shown) == 1
    assert {it.chunk for it in answer.citations} <= {it.chunk for it in answer.consulted}


WRONG: dict[str, tuple[Play, str, str]] = {
    "prose": ("A worker restarts after lunch.", "form", "Answer with the JSON object"),
    "broken": ('{"answered": true, "units": ["1.', "form", "Answer with the JSON object"),
    "unknown": (points("1.1", "9.9"), "form", "These cannot be chosen: 9.9."),
    "stray": (points(1.1), "form", "These cannot be chosen: 1.1."),
    "empty": (points(), "empty", "Choose the numbers of the lines"),
    "cut": ([Say(points("1.1"), finish_reason="length")], "cut", "Your reply broke off."),
    "cut decline": (
        [Say(points(answered=False), finish_reason="length")],
        "cut",
        "Your reply broke off.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_reply_is_taken_back_and_the_next_prompt_says_why(
    store: SqliteStore, name: str
) -> None:
    said, kind, directive = WRONG[name]
    heard = Heard()
    agent, writer = pointing(store, said, points("1.1"))
    answer = await agent.ask(QUESTION, listener=heard)
    first, second = heard.of("verify")
    assert [failure["kind"] for failure in first.detail["failures"]] == [kind]
    assert second.state == "done"
    assert directive in writer.shown[1][0]
    assert len(writer.shown[1]) == 1  # the attempt is gone
    assert (answer.text, answer.attempts, answer.notes) == (f"{RESTARTS} [1]", 2, ())


async def test_the_same_wrong_reply_is_not_asked_for_twice(store: SqliteStore) -> None:
    said = points("9.9")
    agent, writer = pointing(store, said, said, said)
    answer = await agent.ask(QUESTION)
    assert writer.times == 2
    assert answer.verdict == "answered"
    assert QUOTED_INSTEAD in answer.notes
    assert_whole_units(answer, Shelf())


@pytest.mark.parametrize(
    ("said", "note"),
    [
        (points("1.1", "9.9"), "1 choices of the model that cannot be quoted were left out"),
        ([Say('{"answered": true, "units": ["1.1", "1', finish_reason="length")], "was cut off"),
    ],
)
async def test_the_whole_numbers_of_the_last_attempt_are_kept_with_a_note(
    store: SqliteStore, said: Play, note: str
) -> None:
    settings = AskSettings(address_check=False, retries=0)
    agent, _ = pointing(store, said, settings=settings)
    answer = await agent.ask(QUESTION)
    assert answer.text == f"{RESTARTS} [1]"
    assert any(note in one for one in answer.notes)


async def test_no_more_than_the_allowed_number_of_points_is_read(store: SqliteStore) -> None:
    page = "# Tools\n\n" + "\n\n".join(f"Tool number {n} runs alone." for n in range(9)) + "\n"
    agent, _ = pointing(
        store, points(*(f"1.{n}" for n in range(1, 9))), shelf=Shelf({"tools.md": page})
    )
    answer = await agent.ask("Which tool runs alone?")
    assert len(answer.statements) == 4


async def test_units_that_do_not_address_the_question_are_named(store: SqliteStore) -> None:
    judge, heard = Answering(NO), Heard()
    agent, writer = pointing(
        store, points("1.1"), points(answered=False), settings=AskSettings(), judge=judge
    )
    answer = await agent.ask(QUESTION, listener=heard)
    assert judge.given[0][:2] == (QUESTION, [f"Workers > Restarts: {RESTARTS}"])
    assert heard.of("verify")[0].detail["failures"][0]["kind"] == "address"
    assert "These lines do not answer the question: 1.1." in writer.shown[1][0]
    assert answer.verdict == "abstained"


async def test_units_that_address_the_question_are_shown(store: SqliteStore) -> None:
    judge = Answering(YES)
    agent, writer = pointing(store, points("1.1"), settings=AskSettings(), judge=judge)
    answer = await agent.ask(QUESTION)
    assert (answer.text, writer.times) == (f"{RESTARTS} [1]", 1)
    assert len(judge.given) == 1


async def answer_to_shrink(
    store: SqliteStore, lead: str, verifier: Verifier | None, question: str = SHRINK
) -> Answer:
    agent, writer = pointing(store, points("1.2", yes_or_no=lead), verifier=verifier)
    answer = await agent.ask(question)
    assert writer.times == 1
    return answer


NEVER = "Volumes keep their data when a pod is deleted. A volume can grow, and it never shrinks."


async def test_a_no_is_shown_where_the_verifier_finds_it_in_the_units(store: SqliteStore) -> None:
    verifier = ScriptedVerifier()
    answer = await answer_to_shrink(store, "no", verifier)
    (claim,) = verifier.claims
    assert claim.statement == f"{SHRINK} No."
    assert "A volume can grow, and it never shrinks." in claim.premise
    assert answer.text.startswith("No. [1] ")
    assert [one.words for one in answer.statements] == ["model", "document"]
    assert answer.statements[0].probability == 0.9


@pytest.mark.parametrize(
    ("lead", "verifier", "question"),
    [
        ("no", None, SHRINK),
        ("", ScriptedVerifier(), SHRINK),
        ("no", ScriptedVerifier(supports=()), SHRINK),
        ("no", ScriptedVerifier(contradicts=["No."]), SHRINK),
        ("yes", ScriptedVerifier(), SHRINK),  # "never shrinks": seen without a verifier
        ("no", ScriptedVerifier(), "When does a volume shrink?"),
        ("no", ScriptedVerifier(), "Can a volume shrink or grow?"),
    ],
)
async def test_else_the_units_are_shown_without_it(
    store: SqliteStore, lead: str, verifier: Verifier | None, question: str
) -> None:
    answer = await answer_to_shrink(store, lead, verifier, question)
    assert answer.verdict == "answered"
    assert [one.words for one in answer.statements] == ["document"]
    assert not answer.text.startswith(("Yes", "No"))


class Failing(ScriptedVerifier):
    """A verifier that cannot read."""

    def verify(self, claims: Any) -> list[Opinion]:
        raise VerifierFailed("the file is gone", retryable=False)


async def test_a_verifier_that_fails_costs_the_no_and_is_said(store: SqliteStore) -> None:
    answer = await answer_to_shrink(store, "no", Failing())
    assert [one.words for one in answer.statements] == ["document"]
    assert answer.notes == (f"{VERIFIER_FAILED}: the file is gone",)


async def test_a_second_opinion_may_doubt_the_no(store: SqliteStore) -> None:
    async def helper(ctx: DispatchContext, helpers: Helpers) -> None:
        await Writer(["no"])(ctx, helpers)
        ctx.ack()

    model = replace(model_of(Writer([points("1.2", yes_or_no="no")]), "points"), helper=helper)
    doubting = AskAgent(
        library=Shelf(),
        model=model,
        store=store,
        settings=AskSettings(address_check=False, second_opinion=True, rewrite=False),
        verifier=ScriptedVerifier(),
    )
    answer = await doubting.ask(SHRINK)
    assert [one.words for one in answer.statements] == ["document"]


@dataclass
class Held(Writer):
    """A model that looks for options in the stash, as a real one does, and keeps them."""

    STASH_KEY = "held"
    options: list[Any] = field(default_factory=list[Any])

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        self.options.append(ctx.stash.get("held.response_format"))
        await super().__call__(ctx, helpers)


@pytest.mark.parametrize(("question", "is_polar"), [(QUESTION, False), (SHRINK, True)])
async def test_a_model_is_held_to_the_numbers_that_it_is_shown(
    store: SqliteStore, question: str, is_polar: bool
) -> None:
    held = Held([points("9.9"), points("1.1")])
    settings = AskSettings(address_check=False)
    agent = AskAgent(
        library=Shelf(), model=model_of(held, "points"), store=store, settings=settings
    )
    await agent.ask(question)
    numbers = [
        line.split(" ")[0]
        for text in held.passages[0]
        for line in text.splitlines()
        if line[:1].isdigit()
    ]
    assert held.options == [response_format(numbers, yes_or_no=is_polar)] * 2


@pytest.mark.parametrize("question", [QUESTION, SHRINK])
async def test_a_real_small_model_can_only_show_whole_units(
    store: SqliteStore, engine: LocalEngine, question: str
) -> None:
    shelf = Shelf()
    executor = LocalModel(engine, temperature=0, max_tokens=60, trailing_role="user")
    profile = replace(WIDE, window=1_800, max_input=1_800, max_output=60)
    model = AskModel(name="SmolLM2", executor=executor, profile=profile, style="points")
    settings = AskSettings(address_check=False, rewrite=False, retries=0, passages=1)
    agent = AskAgent(library=shelf, model=model, store=store, settings=settings)
    heard = Heard()
    answer = await agent.ask(question, listener=heard)
    assert answer.attempts
    kinds = {it["kind"] for step in heard.of("verify") for it in step.detail["failures"]}
    assert "form" not in kinds  # it is held to the schema
    if answer.verdict == "answered":
        assert_whole_units(answer, shelf)
    else:
        assert (answer.verdict, answer.reason) == ("abstained", "not-supported")
