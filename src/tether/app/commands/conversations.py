"""`tether conversations`: list, search, show, export, rename and delete them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from tether.app.commands.logs import exchange_lines, turn_form
from tether.app.display import one_line
from tether.app.ids import short_ids, whole_id
from tether.app.listing_group import ListingGroup
from tether.app.options import COUNT, as_json
from tether.app.settings import Settings
from tether.app.store import store_options, tell, with_store
from tether.app.terminal.turn import Output
from tether.ask.citations.projections import markdown
from tether.ask.history import answer_of
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Conversation, Exchange

PAGE = 200
"""How many turns a search reads at once."""

T = TypeVar("T")

_options = store_options("Whose conversations they are.")
_limit = click.option("--limit", type=COUNT, default=20, show_default=True, help="How many.")


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation with its exchanges in order."""

    conversation: Conversation
    exchanges: Sequence[Exchange]


@click.group("conversations", cls=ListingGroup)
def command() -> None:
    """See and change conversations; the beginning of an ID is enough."""


@command.command("list")
@_limit
@_options
@as_json
def list_conversations(*, limit: int, settings: Settings, as_json: bool) -> None:
    """Print the conversations, the one that was used last first."""
    owner = settings.owner
    found = with_store(settings, lambda store: store.conversations(owner=owner, limit=limit))
    _tell_all(found, as_json=as_json)


@command.command("search")
@click.argument("words", nargs=-1, required=True)
@_limit
@_options
@as_json
def search(*, words: tuple[str, ...], limit: int, settings: Settings, as_json: bool) -> None:
    """Print the conversations with all WORDS in a title, or in one question and its answer."""
    wanted = [word.casefold() for word in " ".join(words).split()]

    async def work(store: Store) -> list[Conversation]:
        ids: dict[str, None] = {}
        async for exchange in _turns(store, settings.owner):
            if _has_all(f"{exchange.question.content} {exchange.answer.content}", wanted):
                ids[exchange.conversation] = None
        known = await store.conversations(owner=settings.owner, limit=10**6)
        return [it for it in known if it.id in ids or _has_all(it.title, wanted)][:limit]

    _tell_all(with_store(settings, work), as_json=as_json)


@command.command("show")
@click.argument("id")
@_options
@as_json
def show(*, id: str, settings: Settings, as_json: bool) -> None:
    """Print the conversation ID: its questions and answers with their sources."""
    talk = _talk(settings, id)
    output = Output.of_past(settings)
    blocks = ["\n".join(exchange_lines(each, output)) for each in talk.exchanges]
    head = _line(talk.conversation, talk.conversation.id)
    click.echo(json.dumps(_talk_form(talk)) if as_json else "\n\n".join([head, *blocks]))


@command.command("export")
@click.argument("id")
@click.option("--format", "form", type=click.Choice(["md", "json"]), default="md")
@_options
def export(*, id: str, form: str, settings: Settings) -> None:
    """Print the conversation ID as Markdown with links and quotes, or as JSON with everything."""
    talk = _talk(settings, id)
    whole = {**_form(talk.conversation), "answers": [dict(it.details) for it in talk.exchanges]}
    click.echo(json.dumps(whole, indent=2) if form == "json" else _markdown(talk))


@command.command("rename")
@click.argument("id")
@click.argument("title", nargs=-1, required=True)
@_options
@as_json
def rename(*, id: str, title: tuple[str, ...], settings: Settings, as_json: bool) -> None:
    """Give the conversation ID another TITLE."""
    words = " ".join(title)
    made = _on_one(
        settings, id, lambda store, id: store.rename_conversation(id, words, owner=settings.owner)
    )
    tell(_form(made), f"Renamed: {_line(made, made.id)}", as_json=as_json)


@command.command("delete")
@click.argument("id")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_options
@as_json
def delete(*, id: str, yes: bool, settings: Settings, as_json: bool) -> None:
    """Delete the conversation ID with all its questions and answers, permanently."""
    owner = settings.owner
    found = _on_one(settings, id, lambda store, id: store.conversation(id, owner=owner))
    if not yes:
        click.confirm(f"Delete {_line(found, found.id)}?", abort=True, err=True)
    with_store(settings, lambda store: store.delete_conversation(found.id, owner=owner))
    tell({"deleted": found.id}, f"Deleted: {found.id}", as_json=as_json)


def _on_one(settings: Settings, id: str, work: Callable[[Store, str], Coroutine[Any, Any, T]]) -> T:
    """Return the result of some work on the conversation that an id, or its beginning, names."""

    async def main(store: Store) -> T:
        return await work(store, await whole_id(store, "conversation", id, owner=settings.owner))

    return with_store(settings, main)


def _talk(settings: Settings, id: str) -> _Talk:
    async def work(store: Store, id: str) -> _Talk:
        conversation = await store.conversation(id, owner=settings.owner)
        return _Talk(conversation, await store.exchanges(id, owner=settings.owner))

    return _on_one(settings, id, work)


async def _turns(store: Store, owner: str) -> AsyncIterator[Exchange]:
    """Yield all turns, the newest first, page by page."""
    page = await store.turns(owner=owner, limit=PAGE)
    while page:
        for exchange in page:
            yield exchange
        page = await store.turns(owner=owner, limit=PAGE, before=page[-1].turn)


def _has_all(text: str, words: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _tell_all(found: Sequence[Conversation], *, as_json: bool) -> None:
    short = short_ids([each.id for each in found])
    text = "\n".join(_line(each, short[each.id]) for each in found) or "There is none."
    tell({"conversations": [_form(each) for each in found]}, text, as_json=as_json)


def _line(one: Conversation, id: str) -> str:
    times = f"{one.updated_at:%Y-%m-%d %H:%M} UTC  {one.exchanges:3}"
    return f"{id}  {times}  {one_line(one.title)}"


def _form(one: Conversation) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "created_at": one.created_at.isoformat(),
        "updated_at": one.updated_at.isoformat(),
        "exchanges": one.exchanges,
    }


def _talk_form(talk: _Talk) -> dict[str, Any]:
    turns = [{**turn_form(each), "answer": str(each.answer.content)} for each in talk.exchanges]
    return {**_form(talk.conversation), "turns": turns}


def _markdown(talk: _Talk) -> str:
    blocks = [f"# {one_line(talk.conversation.title)}"]
    for each in talk.exchanges:
        answer = answer_of(each)
        said = str(each.answer.content) if answer is None else markdown(answer, sources=True)
        blocks += [f"## {one_line(str(each.question.content))}", said]
    return "\n\n".join(blocks)
