"""`tether memory instructions`: the rules that hold in every turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from tether.app.commands.memory_options import (
    of_a_store,
    one_line,
    person,
    settings_of,
    tell,
    with_store,
)
from tether.app.options import as_json
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Instruction


@click.group("instructions")
def instructions() -> None:
    """See and change the standing instructions; only a person puts one in force."""


@instructions.command("list")
@of_a_store
@as_json
def list_instructions(*, store: str | None, owner: str | None, as_json: bool) -> None:
    """Print the instructions in force, and those that are only proposed."""

    async def work(opened: Store, owner: str) -> Sequence[Instruction]:
        return await opened.instructions(owner=owner, state=None)

    found = with_store(settings_of(store, owner), work)
    text = "\n".join(map(_lines, found)) or "There are no instructions."
    tell({"instructions": [_form(one) for one in found]}, text, as_json=as_json)


@instructions.command("add")
@click.argument("text")
@of_a_store
@as_json
def add(*, text: str, store: str | None, owner: str | None, as_json: bool) -> None:
    """Put the instruction TEXT in force, in your own words."""
    settings = settings_of(store, owner)

    async def work(opened: Store, owner: str) -> Instruction:
        made = await opened.propose_instruction(text, owner=owner)
        return await opened.confirm_instruction(made.id, owner=owner, by=person(settings))

    made = with_store(settings, work, new=True)
    tell(_form(made), _lines(made), as_json=as_json)


@instructions.command("confirm")
@click.argument("id")
@of_a_store
@as_json
def confirm(*, id: str, store: str | None, owner: str | None, as_json: bool) -> None:
    """Put the proposed instruction ID in force."""
    settings = settings_of(store, owner)

    async def work(opened: Store, owner: str) -> Instruction:
        return await opened.confirm_instruction(id, owner=owner, by=person(settings))

    made = with_store(settings, work)
    tell(_form(made), _lines(made), as_json=as_json)


@instructions.command("drop")
@click.argument("id")
@of_a_store
@as_json
def drop(*, id: str, store: str | None, owner: str | None, as_json: bool) -> None:
    """Delete the instruction ID."""

    async def work(opened: Store, owner: str) -> None:
        await opened.drop_instruction(id, owner=owner)

    with_store(settings_of(store, owner), work)
    tell({"dropped": id}, f"Dropped: {one_line(id)}", as_json=as_json)


def _form(one: Instruction) -> dict[str, Any]:
    return asdict(one) | {"created_at": one.created_at.isoformat()}


def _lines(one: Instruction) -> str:
    by = f", confirmed by {one_line(one.confirmed_by)}" if one.confirmed_by else ""
    return f"{one.id}  {one.state}{by}, {one.created_at:%Y-%m-%d}\n    {one_line(one.text)}"
