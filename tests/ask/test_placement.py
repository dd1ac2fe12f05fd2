"""Where passages are in the requests of an agent, on every wire, and what their wrapping costs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from ask.bookshelf import QUESTION, RESTARTS, WIDE, Shelf, evidence_of
from support import anthropic_events, chat_replies, responses_events
from support.faulty_endpoint import FaultyEndpoint
from support.local_engine import engine, smollm2
from tether.ask import AskAgent, AskModel, AskSettings, Style
from tether.ask.model import RENDERING
from tether.ask.prompt import passage_text, text_of
from tether.batteries.budget.meter import PromptMeter
from tether.batteries.models import (
    AnthropicMessages,
    ChatCompletions,
    LocalEngine,
    LocalModel,
    Responses,
)
from tether.batteries.models.errors import LocalModelFailed
from tether.batteries.models.local.llama import Listener, LlamaServer
from tether.batteries.storage.records import MemoryRecord
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.memory import Memory
from tether.core.retrievable import Retrievable
from tether.core.tiers import TRUST_TIERS, TrustTier
from tether.core.tokens import count_tokens
from tether.trust import Renderer, parse_prompt
from tether.trust.records import LoadedRetrievable, PromptRecords

__all__ = ["engine", "smollm2"]  # fixtures

STRANGE = "A stranger's note says that a worker likes tea."
WIRES = {
    ChatCompletions: ("/v1", chat_replies.said("Hm.")),
    Responses: (
        "/v1",
        responses_events.streamed_response(responses_events.message("Hm.")),
    ),
    AnthropicMessages: ("", anthropic_events.streamed_message(anthropic_events.text("Hm."))),
}


def sides(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return all text of a request that has the authority of the system, and all of the user's."""
    messages = body.get("messages", body.get("input", []))
    above = [it for it in messages if it.get("role") in ("system", "developer")]
    users = [it for it in messages if it.get("role") == "user"]
    leading = [body.get("system"), body.get("instructions"), above]
    return json.dumps(leading), json.dumps(users)


async def remember(store: SqliteStore, tier: TrustTier, text: str) -> None:
    memory = Memory(id=tier, content=text, confidence=0.9, importance=0.9, created_at=0)
    record = MemoryRecord(
        memory=memory,
        owner="ann",
        tier=tier,
        origin="person" if tier == "first-party" else "document",
        source="x.test",
    )
    await store.remember(record, confirmed_by="ann")


async def ask(store: SqliteStore, model: AskModel, shelf: Shelf) -> None:
    await remember(store, "third-party-public", STRANGE)
    await remember(store, "first-party", "The user runs a worker on Debian.")
    settings = AskSettings(address_check=False, retries=0, rewrite=False)
    agent = AskAgent(library=shelf, model=model, store=store, settings=settings)
    await agent.ask(QUESTION, owner="ann")


def assert_placed(body: Mapping[str, Any], shelf: Shelf) -> None:
    system, user = sides(body)
    assert json.dumps(RESTARTS)[1:-1] in user
    assert STRANGE in user
    assert "Debian" in system, "the person's own words are memories"
    assert user.rindex("<passage_") < user.rindex(QUESTION)
    for chunk in shelf.all_chunks:
        for line in filter(None, chunk.text.splitlines()):
            assert json.dumps(line.strip("# "))[1:-1] not in system.replace("documents", "")
    assert STRANGE not in system


@pytest.mark.parametrize(
    ("kind", "style"),
    [(ChatCompletions, "points"), *((kind, it) for kind in WIRES for it in ("links", "tools"))],
)
async def test_no_text_of_a_passage_is_in_a_system_message(
    kind: Any, style: Style, store: SqliteStore
) -> None:
    """The executor has its defaults: the agent alone sees to it."""
    shelf, (path, said) = Shelf(), WIRES[kind]
    async with FaultyEndpoint(said) as endpoint:
        async with kind(model="m", base_url=endpoint.url + path) as executor:
            model = AskModel(name="m", executor=executor, profile=WIDE, style=style)
            await ask(store, model, shelf)
        (request, *_) = endpoint.requests
    assert_placed(request.json(), shelf)


async def test_nor_in_that_of_a_local_model(
    store: SqliteStore, engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies: list[Mapping[str, Any]] = []

    def note(server: LlamaServer, body: Mapping[str, Any], listener: Listener) -> None:
        bodies.append(body)
        raise LocalModelFailed("only noted")

    await engine.load()
    monkeypatch.setattr(LlamaServer, "complete", note)
    roomy = LocalModel(engine, context_window=8_000, trailing_role="user")
    shelf = Shelf()
    await ask(store, AskModel(name="m", executor=roomy, profile=WIDE, style="points"), shelf)
    (body,) = bodies
    assert_placed(body, shelf)


LONG = "A worker restarts after three failed health checks. " * 12
MOST_WRAPPING = 45


def wrapped(tier: TrustTier, style: Style, number: int) -> tuple[str, list[str]]:
    """Return the passages of a prompt, and the parts of them that are not wrapping."""
    items = evidence_of(Shelf({f"guide/page{n}.md": f"# Page {n}\n\n{LONG}\n" for n in range(4)}))
    items = [replace(it, tier=tier) for it in items][:number]
    records = tuple(
        LoadedRetrievable(
            Retrievable(
                id=it.chunk.id,
                content=passage_text(it, style),
                trust_tier=it.tier,
                source=it.link,
                kind="documentation",
                score=1 / it.number,
                created_at=0,
            ),
            passage_text(it, style),
        )
        for it in items
    )
    renderer = Renderer().replaced(**RENDERING)
    prompt = renderer.render(PromptRecords(retrievables=records), turn_id="t")
    assert len(parse_prompt(prompt).beside) == number
    inside = [text for it in items for text in (text_of(it.chunk), it.chunk.title, it.link)]
    if style == "points":  # the numbers of its lines are how the model answers
        inside = [passage_text(it, style) for it in items]
    return prompt.evidence.partition("\n\n")[2], inside


@pytest.mark.parametrize("tier", TRUST_TIERS)
@pytest.mark.parametrize("style", ["links", "points", "tools"])
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base", "llama2"])
def test_a_passage_costs_at_most_45_tokens_of_wrapping(
    tier: TrustTier, style: Style, encoding: str
) -> None:
    meter = PromptMeter(encoding)
    for number in range(1, 5):
        for _ in range(8):  # every turn has other marks
            shown, inside = wrapped(tier, style, number)
            wrapping = meter.text(shown) - sum(map(meter.text, inside))
            assert wrapping <= MOST_WRAPPING * number


async def test_nor_more_by_the_vocabulary_of_a_local_model(engine: LocalEngine) -> None:
    await engine.load()
    for tier in TRUST_TIERS:
        shown, inside = wrapped(tier, "links", 3)
        counted = [int(count_tokens(text, engine.encoding)) for text in (shown, *inside)]
        assert counted[0] - sum(counted[1:]) <= MOST_WRAPPING * 3
