"""Answers as JSON claims: the schema, the way back to Markdown, and a whole turn of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ask.bookshelf import QUESTION, RESTARTS, RETENTION, WHEN, Shelf, Writer
from support.local_engine import engine, smollm2
from tether import DispatchContext, Helpers, Message, NoopStorage, Retrievable
from tether.ask import Evidence
from tether.ask.citations.review import ReviewRules, review
from tether.ask.claims import (
    LONGEST_REPLY,
    LONGEST_STATEMENT,
    MOST_CLAIMS,
    NOT_COVERED,
    ClaimsInput,
    ClaimsOutput,
    claims_schema,
    claims_to_markdown,
    response_format,
)
from tether.ask.evidence import Citable
from tether.ask.gate import Buffer
from tether.ask.refusal import is_decline
from tether.batteries.models.local import LocalEngine, LocalModel
from tether.retrieval import Chunk
from tether.runtime.dispatch import DispatchRunner, RawDispatch
from tether.runtime.loop import Executor
from tether.runtime.storage import bind_storage

__all__ = ["engine", "smollm2"]


def chunk(number: int, *, title: str = "Page", url: str = "") -> Chunk:
    text = f"Passage {number}."
    return Chunk(
        id=f"page-{number}",
        document=f"page{number}.md",
        number=number,
        title=title,
        heading_path=(title,),
        anchor="",
        url=url or f"https://docs.test/{number}",
        start=0,
        end=len(text),
        text=text,
        plain=text,
        tokens=3,
    )


def evidence(count: int = 2, **place: str) -> list[Evidence]:
    numbers = range(1, count + 1)
    return [Evidence(number=it, chunk=chunk(it, **place), version="v") for it in numbers]


def reply(*claims: tuple[str, str], covered: bool = True) -> str:
    listed = [{"statement": statement, "source": source} for statement, source in claims]
    return json.dumps({"covered": covered, "claims": listed})


def links(markdown: str) -> list[str]:
    """Return where a second reader of Markdown finds links and images, in order."""
    blocks = MarkdownIt("commonmark").parse(markdown)
    inlines = [token for block in blocks for token in block.children or ()]
    return [
        str(token.attrGet("href") or token.attrGet("src"))
        for token in inlines
        if token.type in ("link_open", "image")
    ]


def test_a_broken_reply_that_is_not_covered_is_refused_wherever_it_says_so() -> None:
    claim = '{"statement": "It is.", "source": "1"}'
    for text in (
        f'{{"covered": false, "claims": [{claim}',
        f'{{"claims": [{claim}], "covered": false, "ans',
    ):
        assert claims_to_markdown(text, evidence(1)) == NOT_COVERED


def test_the_schema_allows_only_the_sources_at_hand() -> None:
    schema = claims_schema(evidence(3))
    assert schema["required"] == ["claims", "covered"]
    claim = schema["properties"]["claims"]["items"]
    assert claim["properties"]["source"] == {"type": "string", "enum": ["1", "2", "3"]}
    assert schema["additionalProperties"] is claim["additionalProperties"] is False
    assert "enum" not in json.dumps(claims_schema([]))
    form = response_format(evidence(3))
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"] == schema


def test_claims_become_paragraphs_with_links() -> None:
    found = claims_to_markdown(reply(("A runs.", "1"), ("B stops.", "2")), evidence())
    assert found == ("A runs. [Page](https://docs.test/1)\n\nB stops. [Page](https://docs.test/2)")


def test_numbers_fences_and_repetitions_are_forgiven() -> None:
    listed = [{"statement": "A  runs.", "source": 1}, {"statement": "A\nruns.", "source": "1"}]
    text = f"```json\n{json.dumps({'claims': listed})}\n```"
    assert claims_to_markdown(text, evidence()) == "A runs. [Page](https://docs.test/1)"


@pytest.mark.parametrize(
    "text",
    [
        reply(("A runs.", "1"), covered=False),
        reply(),
        reply(("", "1"), (" \u200b ", "2")),
        '{"covered": true, "claims": null}',
        '{"covered": true, "claims": ["A runs.", 3, null]}',
        '{"covered": true, "claims": [{"statement": 3, "source": "1"}, {}]}',
        '{"covered": false, "claims": [{"stat',
    ],
)
def test_where_nothing_is_claimed_the_agent_knows_that_it_is_to_abstain(text: str) -> None:
    found = claims_to_markdown(text, evidence())
    assert found == NOT_COVERED
    assert is_decline(found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A worker restarts.",
        '{"answer": "A runs."}',
        '["claims"]',
        '"claims"',
        'The "claims" are these.',
        '{"covered": true, "claims": [{"statement": "A ru',
        '"claims": [' + "[" * 100_000,
        reply(("x" * LONGEST_REPLY, "1")),
    ],
)
def test_what_is_no_such_json_is_left_to_the_gate(text: str) -> None:
    assert claims_to_markdown(text, evidence()) is None


def test_the_whole_claims_of_a_reply_that_broke_off_are_kept() -> None:
    whole = reply(*((f"Claim {number} holds.", "1") for number in range(20)))
    first = claims_to_markdown(whole[: whole.index("Claim 2 ")], evidence())
    assert first is not None
    assert first.split("\n\n") == [
        f"Claim {number} holds. [Page](https://docs.test/1)" for number in (0, 1)
    ]
    most = claims_to_markdown(whole[:-3], evidence())
    assert most is not None
    assert most.count("[Page]") == MOST_CLAIMS


def test_a_source_that_is_not_there_gives_no_link() -> None:
    found = claims_to_markdown(reply(("A runs.", "9"), ("B stops.", "")), evidence())
    assert found == "A runs.\n\nB stops."


HOSTILE = [
    "See [here](https://evil.test)",
    "![x](https://evil.test/x.png)",
    "[a]: https://evil.test",
    "<https://evil.test>",
    "<img src=https://evil.test>",
    "# Heading",
    "- item",
    "1. item",
    "> quote",
    "``` code",
    "~~~",
    "---",
    "`open [Page](https://evil.test)",
    "`a` `[Page](https://evil.test)",
    "\\[x](https://evil.test)",
    "\\\\[x](https://evil.test)",
    "ends with a backslash \\",
    "ends with a tick `",
    "[open",
    "![open",
    "x](https://evil.test)",
    "[1] and [2][3]",
]


@pytest.mark.parametrize("statement", HOSTILE)
def test_nothing_in_a_statement_links_or_makes_a_block(statement: str) -> None:
    found = claims_to_markdown(reply((statement, "1"), ("B stops.", "2")), evidence())
    assert found is not None
    assert links(found) == ["https://docs.test/1", "https://docs.test/2"]
    kinds = [token.type for token in MarkdownIt().parse(found)]
    assert kinds == ["paragraph_open", "inline", "paragraph_close"] * 2


@given(st.text(alphabet="[]()<>!`\\*_#-1. ax/:\n", min_size=1, max_size=60))
def test_no_statement_links_anywhere_else(statement: str) -> None:
    found = claims_to_markdown(reply((statement, "1")), evidence())
    assert found is not None
    assert links(found) == ([] if found == NOT_COVERED else ["https://docs.test/1"])


@given(st.text(max_size=80))
def test_a_title_never_breaks_its_link(title: str) -> None:
    (one,) = evidence(1, title=title)
    found = claims_to_markdown(reply(("A runs.", "1")), [one])
    assert found is not None
    assert links(found) == ["https://docs.test/1"]


def test_an_address_with_blanks_and_brackets_is_still_one_link() -> None:
    (one,) = evidence(1, url="guide/my page (new).md")
    found = claims_to_markdown(reply(("A runs.", "1")), [one])
    assert found == "A runs. [Page](<guide/my page (new).md>)"


def test_a_statement_is_cut_where_it_is_too_long() -> None:
    found = claims_to_markdown(reply(("word " * 1000, "1")), evidence())
    assert found is not None
    assert LONGEST_STATEMENT - 10 < len(found) < LONGEST_STATEMENT + 60


def test_the_gate_accepts_claims_that_keep_to_their_passage() -> None:
    shelf = Shelf()
    chunks = [shelf.chunk_with(RESTARTS), shelf.chunk_with(RETENTION)]
    known = [Evidence(number=at, chunk=it, version="v") for at, it in enumerate(chunks, start=1)]
    found = claims_to_markdown(reply((RESTARTS, "1")), known)
    assert found is not None
    verdict = review(found, known, QUESTION, ReviewRules())
    assert verdict.passed
    assert [citation.quote for citation in verdict.draft.citations] == [RESTARTS]


def citable() -> Citable:
    shelf = Shelf()
    found = Citable(shelf)
    found.add([shelf.chunk_with(RESTARTS), shelf.chunk_with(RETENTION)], "first-party")
    return found


async def dispatched(
    executor: Executor,
    shown: Sequence[int] = (0, 1),
    *,
    key: str = "local_model",
    stash: dict[str, Any] | None = None,
) -> tuple[list[str], list[dict[str, Any]]]:
    """Run a dispatch as an agent does; return the messages, and the stash after each iteration."""
    after: list[dict[str, Any]] = []
    known, buffer = citable(), Buffer()

    async def end(ctx: DispatchContext, call_next: Any) -> None:
        after.append(ctx.stash.all())
        if len(after) == 2:
            ctx.ack()
        await call_next()

    records = [
        Retrievable(
            id=item.chunk.id,
            content=item.chunk.text,
            trust_tier="first-party",
            source=item.link,
            created_at=WHEN,
        )
        for item in (known.passages[at] for at in shown)
    ]
    other = Retrievable(id="memo", content="A memo.", trust_tier="first-party", created_at=WHEN)
    storage, _ = bind_storage(NoopStorage(), buffer.callbacks())
    await DispatchRunner.dispatch(
        executor=executor,
        raw=RawDispatch(
            system_prompt="Answer in JSON.",
            storage=storage,
            messages=[Message.user(QUESTION)],
            retrievables=[*records, other],
            stash={} if stash is None else stash,
        ),
        input_pipeline=[ClaimsInput(known, key)],
        output_pipeline=[ClaimsOutput(known, buffer, key), end],
    )
    return [str(message.content) for message in buffer.messages.values()], after


async def test_the_option_is_there_for_the_model_and_gone_after_it() -> None:
    seen: list[Any] = []
    writer = Writer([reply((RESTARTS, "1")), "Just prose."])
    known = citable().passages

    async def executor(ctx: DispatchContext, helpers: Helpers) -> None:
        seen.append(ctx.stash.get("local_model"))
        await writer(ctx, helpers)

    said, after = await dispatched(executor, shown=[1], stash={"local_model": {"seed": 7}})
    assert seen == [{"seed": 7, "response_format": response_format(known[1:])}] * 2
    assert after == [{"local_model": {"seed": 7}}] * 2
    assert [passage.split(": ")[0] for passage in writer.passages[0]] == ["Source 2", "A memo."]
    assert writer.passages[1] == writer.passages[0]
    assert said == [f"{RESTARTS} [{known[0].title}]({known[0].link})", "Just prose."]


async def test_an_executor_that_looks_nowhere_is_only_asked_in_words() -> None:
    writer = Writer([reply((RETENTION, "2")), reply()])
    (first, second), after = await dispatched(writer, key="")
    assert after == [{}, {}]
    assert first.startswith(RETENTION)
    assert second == NOT_COVERED


async def test_a_real_model_keeps_to_the_form(engine: LocalEngine) -> None:
    model = LocalModel(engine, temperature=0, max_tokens=60)
    said: list[str] = []

    async def executor(ctx: DispatchContext, helpers: Helpers) -> None:
        await model(ctx, helpers)
        said.extend(str(it.content) for it in ctx.turn_messages if it.role == "assistant")
        ctx.ack()

    await dispatched(executor, key=LocalModel.STASH_KEY)
    (text,) = said
    known = citable().passages
    assert '"claims"' in text
    found = claims_to_markdown(text, known)
    assert found is None or found == NOT_COVERED or set(links(found)) <= {it.link for it in known}
