"""`tether prompt`: the exact prompt that a model was sent in a past turn."""

from __future__ import annotations

import json

import click

from tether.app.display import shown
from tether.app.ids import whole_id
from tether.app.options import as_json
from tether.app.settings.values import EXTRACTIVE, Settings
from tether.app.store import store_options, with_store
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Exchange

NO_PROMPT = "This turn had no prompt: the evidence was not sufficient, so no model was called."
QUOTED = "This turn was answered by quotation: no model was called; these are the passages quoted."


@click.command("prompt")
@click.argument("turn", default="", required=False)
@store_options("Whose conversation it is.")
@as_json
def command(*, turn: str, settings: Settings, as_json: bool) -> None:
    """Print the exact prompt of TURN, of the latest turn unless one is named.

    `tether logs` lists the turns; the beginning of an id is enough.
    """
    owner = settings.owner

    async def work(store: Store) -> Exchange:
        return await store.exchange(await whole_id(store, "turn", turn, owner=owner), owner=owner)

    found = with_store(settings, work)
    if as_json:
        click.echo(json.dumps(_form(found)))
        return
    if found.details.get("model") == EXTRACTIVE and found.prompt:
        click.echo(QUOTED, err=True)
    click.echo(shown(found.prompt) if found.prompt else NO_PROMPT, err=not found.prompt)


def _form(found: Exchange) -> dict[str, object]:
    return {
        "turn": found.turn,
        "conversation": found.conversation,
        "model": found.details.get("model", ""),
        "attempts": found.details.get("attempts", 0),
        "prompt": found.prompt or None,
    }
