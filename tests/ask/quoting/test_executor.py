"""The executor in a real turn: the answer it shows, stores, logs and signals."""

from __future__ import annotations

import asyncio

import pytest
from markdown_it import MarkdownIt

from ask.quoting.answers import TEXT, WHEN, answered, passage, said
from support.turns import TURN, Ran, message
from tether import (
    BytesReader,
    CallNext,
    DispatchContext,
    Helpers,
    Media,
    Message,
    Retrievable,
    SpooledArtifact,
    TextSpool,
    Tokenizable,
    TurnContext,
)
from tether.ask.citations.passage import LONGEST_PASSAGE
from tether.ask.quoting.executor import NOTHING_FOUND, Extractive, say_nothing
from tether.ask.quoting.links import markdown_link
from tether.ask.quoting.selection import MOST_PASSAGES
from tether.core.errors import InputRefused
from tether.text.units.inlines import readable


async def test_a_quote_is_shown_stored_and_acked() -> None:
    run = await answered("How often does the tide turn?", passage())
    assert said(run) == ("The tide turns every six hours. ([Tides](docs/tides.md))")
    stored = [item for item in run.turn.turn_messages if item.role == "assistant"]
    assert [str(item.content) for item in stored] == [said(run)]
    assert run.of("message")[-1].is_complete
    assert run.of("message")[-1].id == stored[0].id
    assert run.of("dispatch_end")[0].status == "ack"
    assert not run.errors


async def test_the_log_names_what_was_quoted_from_where() -> None:
    run = await answered("How often does the tide turn?", passage())
    (entry,) = [event for event in run.of("log") if event.kind == "extraction"]
    (quote,) = entry.payload["quotes"]
    assert quote["retrievable"] == "r1"
    assert quote["trust_tier"] == "first-party"
    assert quote["text"] == "The tide turns every six hours."
    assert TEXT[quote["start"] : quote["end"]] == "The [tide](t.md) turns\nevery *six* hours."
    assert readable(TEXT[quote["start"] : quote["end"]]) == quote["text"]
    assert 0 < quote["score"] < 1


async def test_without_auto_ack_the_dispatch_goes_on() -> None:
    calls: list[int] = []
    quiet = Extractive()

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await quiet(ctx, helpers)
        calls.append(ctx.iteration)
        assert not ctx.is_signalled
        ctx.ack()

    run = await answered("How often does the tide turn?", passage(), executor=execute)
    assert calls == [0]
    assert said(run).startswith("The tide turns")


async def test_a_dispatch_that_is_signalled_is_not_acked_again() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.ack()
        await Extractive(auto_ack=True)(ctx, helpers)

    run = await answered("How often does the tide turn?", passage(), executor=execute)
    assert not run.errors


@pytest.mark.parametrize("records", [(), (passage("# Cooking\n\nSalt the water first."),)])
async def test_what_is_not_answered_is_said_and_stored(records: tuple[Retrievable, ...]) -> None:
    run = await answered("How often does the tide turn?", *records)
    assert said(run) == NOTHING_FOUND
    assert [str(m.content) for m in run.turn.turn_messages if m.role == "assistant"] == [
        NOTHING_FOUND
    ]
    (entry,) = [event for event in run.of("log") if event.kind == "extraction"]
    assert entry.payload["quotes"] == []


async def test_the_sentence_for_nothing_can_be_replaced() -> None:
    executor = Extractive(auto_ack=True).executor(nothing_found="Dazu steht hier nichts.")
    assert said(await answered("Why?", executor=executor)) == "Dazu steht hier nichts."
    with pytest.raises(InputRefused, match="nothing_found"):
        Extractive(nothing_found=" ")


async def test_the_last_user_message_is_the_question() -> None:
    async def prepare(ctx: TurnContext, call_next: CallNext) -> None:
        ctx.turn_messages.add(message("a", "How often does the tide turn?", role="user"))
        ctx.turn_messages.add(message("b", "What pulls the sea?", role="user"))
        ctx.turn_messages.add(message("c", "How often does the tide turn?"))
        ctx.turn_retrievables.add(passage("The moon pulls the sea."))
        await call_next()

    run = Ran(Extractive(auto_ack=True), turn_input_pipeline=[prepare])
    await run.runner.run(TURN)
    assert said(run).startswith("The moon pulls the sea.")


async def test_a_message_without_text_asks_nothing() -> None:
    picture = Media(
        kind="image",
        mime_type="image/png",
        filename="tide.png",
        reader=BytesReader(b"png"),
        trust_tier="first-party",
        modality_hazard="inert",
    )
    asked = Message(id="q", role="user", attachments=[picture], created_at=WHEN)
    assert said(await answered(asked, passage())) == NOTHING_FOUND


async def test_passages_may_be_artifacts_and_texts_may_be_made_per_context() -> None:
    artifact = passage(SpooledArtifact(TextSpool(TEXT)))
    assert said(await answered("How often does the tide turn?", artifact)).startswith("The tide")
    made = passage(Tokenizable(lambda ctx: TEXT))
    asked = Message(
        id="q",
        role="user",
        content=Tokenizable(lambda ctx: "How often does the tide turn?"),
        created_at=WHEN,
    )
    assert said(await answered(asked, made)).startswith("The tide turns every six hours.")


async def test_without_a_source_the_quote_stands_alone() -> None:
    run = await answered("How often does the tide turn?", passage(source=None))
    assert said(run) == "The tide turns every six hours."


async def test_each_source_is_named_after_its_last_quote() -> None:
    one = passage("The tide turns in the bay.\n\nThe tide turns at noon.", "docs/bay.md", "r1")
    two = passage("The tide turns by the river.", "river.md", "r2")
    run = await answered("When does the tide turn?", one, two)
    assert said(run) == (
        "The tide turns in the bay.\n\nThe tide turns at noon. ([bay](docs/bay.md))\n\n"
        "The tide turns by the river. ([river](river.md))"
    )
    assert [event.is_complete for event in run.of("message")] == [False, False, True]


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        (
            "# Boats\n\nThe boats of the bay are:\n\n- *Anna*\n- *Berta*\n",
            "What are the boats of the bay?",
            "The boats of the bay are:\n\n- Anna\n- Berta ([Boats](docs/tides.md))",
        ),
        (
            "To leave the bay:\n\n1. Start it up.\n2. Lift the anchor.\n",
            "How do I leave the bay?",
            "To leave the bay:\n\n1. Start it up.\n2. Lift the anchor. ([tides](docs/tides.md))",
        ),
        (
            "To leave the bay, run this:\n\n```sh\nboat --leave\n```\n",
            "How do I leave the bay?",
            "To leave the bay, run this:\n\n```sh\nboat --leave\n```\n\n([tides](docs/tides.md))",
        ),
        (
            "| boat | speed |\n|---|---|\n| Anna | 9 |\n",
            "What is the speed of the boat Anna?",
            "boat: Anna; speed: 9 ([tides](docs/tides.md))",
        ),
        (
            "tide\n: A rise of the sea.\n",
            "What is a tide?",
            "tide: A rise of the sea. ([tides](docs/tides.md))",
        ),
    ],
)
async def test_a_unit_is_shown_as_the_document_has_it(
    text: str, question: str, expected: str
) -> None:
    assert said(await answered(question, passage(text))) == expected


async def test_an_address_is_shown_as_code_and_code_as_it_is() -> None:
    text = "The tide is at http://a.example/x, as here:\n\n```\nget http://a.example/x\n```\n"
    run = await answered("Where is the tide?", passage(text, source=None))
    assert said(run) == (
        "The tide is at `http://a.example/x`, as here:\n\n```\nget http://a.example/x\n```"
    )


async def test_the_link_can_be_written_otherwise() -> None:
    executor = Extractive(auto_ack=True, link=lambda record, title: f"[{record.id}: {title}]")
    run = await answered("How often does the tide turn?", passage(), executor=executor)
    assert said(run) == "The tide turns every six hours. [r1: Tides]"


@pytest.mark.parametrize(
    ("source", "title", "expected"),
    [
        ("https://a.example/x#y", "T", "([T](https://a.example/x#y))"),
        ("docs/a b.md", "T", "([T](<docs/a b.md>))"),
        ("https://a.example/x_(y)", "T", "([T](<https://a.example/x_(y)>))"),
        ("a<b>.md", "T", r"([T](<a\<b\>.md>))"),
        ("C:\\docs\\a.md", "T", r"([T](<C:\\docs\\a.md>))"),
        ("a.md", "x [y](http://evil.example)", r"([x \[y\](http://evil.example)](a.md))"),
        ("a.md", "`a[0]` [b]", r"([`a[0]` \[b\]](a.md))"),
        ("a.md", r"a \[b]", r"([a \[b\]](a.md))"),
        ("javascript:alert(1)", "T", ""),
        ("data:text/html,x", "T", ""),
        ("a\nb.md", "T", ""),
        ("a\u202eb.md", "T", ""),
        (" ", "T", ""),
        (" docs/a.md ", "T", "([T](docs/a.md))"),
        (" javascript:alert(1)", "T", ""),
        ("javascript :alert(1)", "T", ""),
        ("j:alert(1)", "T", ""),
        ("//evil.example/x", "T", ""),
        ("\\\\evil\\x", "T", ""),
        ("file:///etc/passwd", "T", ""),
        ("http://a.example/\u00adb", "T", ""),
        ("\U000e0041x.md", "T", ""),
    ],
)
def test_links_are_valid_whatever_they_hold(source: str, title: str, expected: str) -> None:
    record = Retrievable(
        id="r", content="x", source=source, trust_tier="first-party", created_at=WHEN
    )
    assert markdown_link(record, title) == expected
    parsed = MarkdownIt().parse(expected)
    hrefs = [c.attrs["href"] for t in parsed for c in t.children or () if c.type == "link_open"]
    assert len(hrefs) == bool(expected)


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("https://a.example/docs/getting-started.html#x", "Getting started"),
        ("https://a.example/docs/index.html?x=1", "docs"),
        ("https://a.example/", "a.example"),
        ("docs/first%20steps.md", "First steps"),
        ("C:\\docs\\read_me_first.txt", "Read me first"),
        ("index.md", "Source"),
        ("a.b.c/v1.2", "v1.2"),
        (f"{'long-' * 30}name.md", "Long" + " long" * 15 + "…"),
        (f"{'x' * 100}.md", "x" * 80 + "…"),
    ],
)
async def test_without_a_heading_the_address_gives_the_title(source: str, title: str) -> None:
    run = await answered("What is a tide?", passage("A tide is a rise of the sea.", source))
    assert f"([{title}](" in said(run)


async def test_others_run_during_the_work_and_an_abort_ends_it() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        asyncio.get_running_loop().call_soon(ctx.abort, "enough")
        await Extractive(auto_ack=True)(ctx, helpers)

    run = await answered(
        "How often does the tide turn?", passage(), passage(id="r2"), executor=execute
    )
    assert said(run) == ""
    assert [event for event in run.of("log") if event.kind == "extraction"] == []


async def test_an_aborted_turn_answers_nothing() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.abort("enough")
        await Extractive(auto_ack=True)(ctx, helpers)

    run = await answered("How often does the tide turn?", passage(), executor=execute)
    assert said(run) == ""


async def test_only_so_many_passages_and_characters_are_read() -> None:
    others = [passage("A boat is here.", id=f"o{n}") for n in range(MOST_PASSAGES)]
    run = await answered("How often does the tide turn?", *others, passage())
    assert said(run) == NOTHING_FOUND
    run = await answered("How often does the tide turn?", passage("x" * LONGEST_PASSAGE + TEXT))
    assert said(run) == NOTHING_FOUND


async def test_an_agent_that_quotes_needs_no_word_of_its_executor() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await say_nothing(ctx, helpers)
        assert not ctx.is_signalled
        ctx.ack()

    run = await answered("How often does the tide turn?", passage(), executor=execute)
    assert said(run) == ""
    assert [one.role for one in run.turn.turn_messages] == ["user"]
