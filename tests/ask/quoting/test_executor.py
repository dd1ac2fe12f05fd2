"""The executor in a real turn: the answer it shows, stores, logs and signals."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from markdown_it import MarkdownIt

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
from tether.ask.quoting.executor import NOTHING_FOUND, Extractive
from tether.ask.quoting.inlines import shown
from tether.ask.quoting.links import markdown_link
from tether.core.errors import InputRefused

WHEN = "2026-01-01T12:00:00Z"
TEXT = "# Tides\n\nThe tide turns every six hours. Boats wait for it.\n\nThe moon pulls the sea."


def passage(
    content: Any = TEXT, source: str | None = "docs/tides.md", id: str = "r1"
) -> Retrievable:
    return Retrievable(
        id=id, content=content, source=source, trust_tier="first-party", created_at=WHEN
    )


async def answered(
    question: Message | str,
    *records: Retrievable,
    executor: Any = None,
) -> Ran:
    """Run a turn with these records and this question."""

    async def prepare(ctx: TurnContext, call_next: CallNext) -> None:
        asked = message("q", question, role="user") if isinstance(question, str) else question
        ctx.turn_messages.add(asked)
        ctx.turn_retrievables.update(records)
        await call_next()

    run = Ran(executor or Extractive(auto_ack=True), turn_input_pipeline=[prepare])
    await run.runner.run(TURN)
    return run


def said(run: Ran) -> str:
    return run.recorder.text


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
    assert TEXT[quote["start"] : quote["end"]] == quote["text"]
    assert shown(TEXT[quote["start"] : quote["end"]]) == quote["text"]
    assert quote["score"] > 0
    assert entry.payload["considered"] == 3


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
        ctx.turn_retrievables.add(passage())
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


async def test_passages_make_paragraphs_and_each_names_its_source() -> None:
    one = passage("The tide turns every six hours in the bay.", "docs/bay.md", "r1")
    two = passage("Near the river, the tide turns twice as fast as elsewhere.", "river.md", "r2")
    question = "How does the tide turn in the bay, and how by the river?"
    run = await answered(question, one, two)
    assert said(run) == (
        "The tide turns every six hours in the bay. ([bay](docs/bay.md))\n\n"
        "Near the river, the tide turns twice as fast as elsewhere. ([river](river.md))"
    )
    assert len(run.of("message")) == 2


async def test_a_list_ends_with_its_source() -> None:
    text = "# Boats\n\nThe boats of the bay are:\n\n- *Anna*\n- *Berta*\n"
    run = await answered("What are the boats of the bay?", passage(text))
    assert said(run) == "The boats of the bay are:\n\n- *Anna*\n- *Berta* ([Boats](docs/tides.md))"
    steps = "To leave the bay:\n\n1. Start the engine.\n2. Lift the anchor.\n"
    run = await answered("How do I leave the bay?", passage(steps))
    assert said(run).endswith("1. Start the engine.\n2. Lift the anchor. ([tides](docs/tides.md))")
    items = "# Ports\n\n- the port of Ulm\n- the port of Bonn\n"
    run = await answered("What ports are there?", passage(items, source=None))
    assert said(run) == "- the port of Ulm\n- the port of Bonn"
    many = "The boats are:\n\n" + "".join(f"- boat {n}\n" for n in range(7))
    run = await answered("What are the boats?", passage(many))
    assert said(run).endswith("- boat 4 ([tides](docs/tides.md))\n- …")


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


async def test_others_run_between_passages_and_an_abort_is_seen_there() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        asyncio.get_running_loop().call_soon(ctx.abort, "enough")
        await Extractive(auto_ack=True)(ctx, helpers)

    run = await answered(
        "How often does the tide turn?", passage(), passage(id="r2"), executor=execute
    )
    assert said(run) == ""


async def test_an_aborted_turn_answers_nothing() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.abort("enough")
        await Extractive(auto_ack=True)(ctx, helpers)

    run = await answered("How often does the tide turn?", passage(), executor=execute)
    assert said(run) == ""
