"""`tether logs`: past turns, each with its question, its verdict and its sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from tether.app.display import one_line
from tether.app.ids import short_ids, whole_id
from tether.app.listing_group import ListingGroup
from tether.app.options import COUNT, as_json
from tether.app.settings import Settings
from tether.app.store import store_options, tell, with_store
from tether.app.terminal.turn import Output
from tether.ask.history import answer_of
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Exchange

NOTHING = "No turn is stored. Only turns that ended in an answer or a refusal are."


@click.group("logs", cls=ListingGroup)
def command() -> None:
    """See past turns: time, question, verdict and sources."""


@command.command("list")
@click.option("--limit", type=COUNT, default=20, show_default=True, help="How many to print.")
@click.option("--conversation", metavar="ID", default="", help="Only those of this conversation.")
@store_options("Whose turns they are.")
@as_json
def list_turns(*, limit: int, conversation: str, settings: Settings, as_json: bool) -> None:
    """Print the latest turns, the newest first."""
    owner = settings.owner

    async def work(store: Store) -> Sequence[Exchange]:
        if not conversation:
            return await store.turns(owner=owner, limit=limit)
        id = await whole_id(store, "conversation", conversation, owner=owner)
        return list(await store.exchanges(id, owner=owner, last=limit))[::-1]

    found = with_store(settings, work)
    short = short_ids([each.turn for each in found])
    text = "\n".join(_line(each, short[each.turn]) for each in found) or NOTHING
    tell({"turns": [turn_form(each) for each in found]}, text, as_json=as_json)


@command.command("show")
@click.argument("id", default="", required=False)
@store_options("Whose turn it is.")
@as_json
def show(*, id: str, settings: Settings, as_json: bool) -> None:
    """Print the turn ID with its answer and its sources; the latest unless one is named.

    The beginning of an ID is enough. `tether prompt ID` prints what the model was sent.
    """
    owner = settings.owner

    async def work(store: Store) -> Exchange:
        return await store.exchange(await whole_id(store, "turn", id, owner=owner), owner=owner)

    found = with_store(settings, work)
    if as_json:
        click.echo(json.dumps({**found.details, **turn_form(found)}))
        return
    click.echo("\n".join(exchange_lines(found, Output.of_past(settings))))


def exchange_lines(exchange: Exchange, output: Output) -> list[str]:
    """Return a stored exchange as lines: its question, when it was asked, and the answer."""
    question = output.out.wrapped(one_line(str(exchange.question.content)))
    details = exchange.details
    facts = (_time(exchange), details.get("verdict", ""), details.get("model", ""))
    head = [
        output.out.toned(question, "strong"),
        one_line(", ".join(map(str, filter(None, facts)))),
    ]
    answer = answer_of(exchange)
    if answer is None:  # the details were written by another program
        return [*head, "", output.out.wrapped(one_line(str(exchange.answer.content)))]
    return [*head, "", *output.answer_lines(answer)]


def turn_form(exchange: Exchange) -> dict[str, Any]:
    """Return what a list says about a turn, as JSON."""
    answer = answer_of(exchange)
    sources = () if answer is None else answer.sources
    return {
        "turn": exchange.turn,
        "conversation": exchange.conversation,
        "time": exchange.question.created_at.isoformat(),
        "question": str(exchange.question.content),
        "verdict": exchange.details.get("verdict", ""),
        "reason": exchange.details.get("reason"),
        "model": exchange.details.get("model", ""),
        "sources": [{"title": source.title, "link": source.link} for source in sources],
    }


def _line(exchange: Exchange, id: str) -> str:
    form = turn_form(exchange)
    links = ", ".join(one_line(source["link"]) for source in form["sources"])
    about = f"\n    {links}" if links else ""
    verdict = one_line(str(form["verdict"]))
    return f"{id}  {_time(exchange)}  {verdict}  {one_line(form['question'])}{about}"


def _time(exchange: Exchange) -> str:
    return f"{exchange.question.created_at:%Y-%m-%d %H:%M} UTC"
