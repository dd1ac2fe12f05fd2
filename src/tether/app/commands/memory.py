"""`tether memory`: what is remembered, where it came from, and how to be rid of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import click

from tether.app.commands.memory_instructions import instructions
from tether.app.commands.memory_options import (
    of_a_store,
    one_line,
    person,
    settings_of,
    tell,
    with_store,
)
from tether.app.options import as_json
from tether.app.writing_files import write_new
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import MemoryRecord
from tether.core.errors import InputRefused
from tether.core.ids import new_id
from tether.core.memory import Memory
from tether.core.tiers import TRUST_TIERS, TrustTier
from tether.runtime.clock import SystemClock

LARGEST_IMPORT = 10_000_000


@click.group("memory", commands=[instructions])
def command() -> None:
    """See and change what is remembered, and where it came from."""


@command.command("list")
@click.option(
    "--state",
    type=click.Choice(["active", "proposed", "all"]),
    default="all",
    show_default=True,
    help="Which ones: proposed ones wait for a person and are not used.",
)
@of_a_store
@as_json
def list_memories(*, state: str, store: str | None, owner: str | None, as_json: bool) -> None:
    """Print memories with their origin, tier and date, the newest last."""

    async def work(opened: Store, owner: str) -> list[dict[str, Any]]:
        forms = await opened.export_memories(owner=owner)
        return [form for form in forms if state in ("all", form["state"])]

    found = with_store(settings_of(store, owner), work)
    text = "\n".join(map(_lines, found)) or "Nothing is remembered."
    tell({"memories": found}, text, as_json=as_json)


@command.command("add")
@click.argument("text")
@of_a_store
@as_json
def add(*, text: str, store: str | None, owner: str | None, as_json: bool) -> None:
    """Remember TEXT, in your own words."""

    async def work(opened: Store, owner: str) -> MemoryRecord:
        memory = Memory(
            id=new_id(), content=text, confidence=1, importance=0.8, created_at=SystemClock().now()
        )
        record = MemoryRecord(memory=memory, owner=owner, tier="first-party", origin="person")
        return await opened.remember(record)

    made = with_store(settings_of(store, owner), work, new=True)
    told = one_line(str(made.memory.content))
    tell(_form(made), f"Remembered: {made.memory.id}  {told}", as_json=as_json)


@command.command("confirm")
@click.argument("id")
@of_a_store
@as_json
def confirm(*, id: str, store: str | None, owner: str | None, as_json: bool) -> None:
    """Let the proposed memory ID be used; its tier stays what it is."""
    settings = settings_of(store, owner)

    async def work(opened: Store, owner: str) -> MemoryRecord:
        return await opened.confirm_memory(id, owner=owner, by=person(settings))

    made = with_store(settings, work)
    told = one_line(str(made.memory.content))
    tell(_form(made), f"Active, {made.tier}: {told}", as_json=as_json)


@command.command("forget")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@of_a_store
@as_json
def forget(*, ids: tuple[str, ...], store: str | None, owner: str | None, as_json: bool) -> None:
    """Delete memories for good, all of them or none."""

    async def work(opened: Store, owner: str) -> None:
        known = {form["id"] for form in await opened.export_memories(owner=owner)}
        for id in sorted(set(ids), key=lambda id: id in known):  # one that is missing stops it all
            await opened.forget(id, owner=owner)

    with_store(settings_of(store, owner), work)
    tell({"forgotten": list(ids)}, f"Forgotten: {len(set(ids))}", as_json=as_json)


@command.command("forget-source")
@click.argument("source")
@of_a_store
@as_json
def forget_source(*, source: str, store: str | None, owner: str | None, as_json: bool) -> None:
    """Delete every memory derived from SOURCE, and keep that source out from now on."""

    async def work(opened: Store, owner: str) -> int:
        return await opened.forget_source(source, owner=owner)

    count = with_store(settings_of(store, owner), work, new=True)
    text = f"Forgotten: {count}. Nothing of {one_line(source)} is remembered from now on."
    tell({"forgotten": count, "source": source}, text, as_json=as_json)


@command.command("export")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@of_a_store
def export(*, file: Path | None, store: str | None, owner: str | None) -> None:
    """Write all memories as JSON into FILE, which must be new, or print them."""

    async def work(opened: Store, owner: str) -> list[dict[str, Any]]:
        return await opened.export_memories(owner=owner)

    text = json.dumps(with_store(settings_of(store, owner), work), indent=2)
    if file is None:
        click.echo(text)
    else:
        write_new(file, f"{text}\n")
        file.chmod(0o600)  # like the store


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--tier",
    type=click.Choice(TRUST_TIERS),
    default="third-party-private",
    show_default=True,
    help="The most authority that a memory of the file may have, whatever it says.",
)
@of_a_store
@as_json
def import_memories(
    *, file: Path, tier: TrustTier, store: str | None, owner: str | None, as_json: bool
) -> None:
    """Read the memories of FILE as proposals; `tether memory confirm` makes one active."""
    forms = _read(file)

    async def work(opened: Store, owner: str) -> int:
        return await opened.import_memories(forms, owner=owner, tier=tier)

    count = with_store(settings_of(store, owner), work, new=True)
    tell({"imported": count}, f"Proposed: {count}", as_json=as_json)


def _read(file: Path) -> list[Any]:
    """Return the forms of a file; raises `InputRefused` for one that is no export."""
    wrong = "it is no export of `tether memory export`"
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST_IMPORT + 1)
    except OSError as error:
        raise InputRefused(f"{file} cannot be read: {error.strerror}") from error
    if len(content) > LARGEST_IMPORT:
        raise InputRefused(f"{file} is larger than {LARGEST_IMPORT} bytes: {wrong}")
    try:
        forms: object = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputRefused(f"{file} cannot be read as JSON: {wrong}") from error
    if not isinstance(forms, list):
        raise InputRefused(f"{file} holds no list: {wrong}")
    return forms


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _form(record: MemoryRecord) -> dict[str, Any]:
    memory = record.memory.to_json()
    return memory | {"tier": record.tier, "origin": record.origin, "state": record.state}


def _lines(form: dict[str, Any]) -> str:
    marks = [form["state"], form["tier"], form["origin"], form["updated_at"][:10]]
    marks += [f"from {one_line(source)}" for source in form["sources"]]
    if not form["intact"]:
        marks.append("CHANGED OUTSIDE OF THE STORE, not used")
    return f"{form['id']}  {', '.join(marks)}\n    {one_line(form['content'])}"
