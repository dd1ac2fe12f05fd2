"""`tether prompt`: what a model was really sent in a past turn."""

from __future__ import annotations

import json

import click

from tether.app.commands.memory_options import of_a_store, settings_of, with_store
from tether.app.options import as_json
from tether.app.printing import shown
from tether.app.settings.values import EXTRACTIVE
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Exchange

NO_PROMPT = "This turn had no prompt: nothing that was found sufficed, so no model was asked."
QUOTED = "This turn was answered by quotation: no model was sent this, it is what was quoted from."


@click.command("prompt")
@click.argument("turn", default="", required=False)
@of_a_store
@as_json
def command(*, turn: str, store: str | None, owner: str | None, as_json: bool) -> None:
    """Print the exact prompt of TURN, of the latest turn unless one is named.

    The id of a turn is in `tether ask --json`, in a receipt, and in `/history` of `tether chat`.
    """

    async def work(opened: Store, owner: str) -> Exchange:
        return await opened.exchange(turn, owner=owner)

    found = with_store(settings_of(store, owner), work)
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
